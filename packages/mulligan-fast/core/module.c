/* `mulligan_fast.core`: the type that packages/mulligan/src/mulligan/redaction/fast.py makes for a redactor,
 * and those that packages/mulligan/src/mulligan/runtime/tool.py puts in the place of pure ones. */

#include "core.h"

#include <string.h>

/* The version of Mulligan whose pure form this is equal to. */
#define MADE_FOR "0.1.0"

Names NAMES;

/* `<str 12 #0123456789ab>`: how long it is, or 0 for a text without UTF-8. */
int write_stub(const Compiled *self, PyObject *text, Py_ssize_t size, char *out)
{
    Py_ssize_t length;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (bytes == NULL) {
        PyErr_Clear();
        return 0;
    }
    char digits[8];
    int count = 0;
    Py_ssize_t rest = size;
    do
        digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    char *at = out;
    memcpy(at, "<str ", 5);
    at += 5;
    while (count)
        *at++ = digits[--count];
    *at++ = ' ';
    *at++ = '#';
    hash_bytes(&self->hasher, (const uint8_t *)bytes, (size_t)length, at);
    at += HEX_DIGITS;
    *at++ = '>';
    return (int)(at - out);
}

PyObject *hash_short(Compiled *self, PyObject *text)
{
    char stub[LONGEST_STUB];
    Py_ssize_t size = PyUnicode_CheckExact(text) ? PyUnicode_GetLength(text) : SHORT + 1;
    int length = size <= SHORT ? write_stub(self, text, size, stub) : 0;
    if (length == 0)
        return PyObject_CallFunctionObjArgs(self->hash_short, text, NULL);
    return PyUnicode_FromStringAndSize(stub, length);
}

static PyObject *make_compiled(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"key", "open", "ids", "pure", "tables", NULL};
    const char *key;
    Py_ssize_t length;
    PyObject *open, *ids, *pure, *tables;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y#O!O!O!O!", names, &key, &length, &PySet_Type,
                                     &open, &PySet_Type, &ids, &PyTuple_Type, &pure, &PyTuple_Type,
                                     &tables))
        return NULL;
    if (length > LONGEST_KEY || PyTuple_Size(pure) != 3) {
        PyErr_SetString(PyExc_ValueError, "a key of at most 32 bytes, and three pure forms");
        return NULL;
    }
    Compiled *self = (Compiled *)PyType_GenericAlloc(type, 0);
    if (self == NULL)
        return NULL;
    init_hasher(&self->hasher, (const uint8_t *)key, (size_t)length);
    self->open = Py_NewRef(open);
    self->ids = Py_NewRef(ids);
    self->hash_short = Py_NewRef(PyTuple_GetItem(pure, 0));
    self->redact_value = Py_NewRef(PyTuple_GetItem(pure, 1));
    self->add_entry = Py_NewRef(PyTuple_GetItem(pure, 2));
    if (init_text_rules(&self->rules, tables) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void drop_compiled(PyObject *object)
{
    Compiled *self = (Compiled *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_CLEAR(self->open);
    Py_CLEAR(self->ids);
    Py_CLEAR(self->hash_short);
    Py_CLEAR(self->redact_value);
    Py_CLEAR(self->add_entry);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"write", (PyCFunction)(void (*)(void))write_lean, METH_O, "As `Lean.write`."},
    {"hash_short", (PyCFunction)(void (*)(void))hash_short, METH_O, "As `Stubs.hash_short`."},
    {"scrub", (PyCFunction)(void (*)(void))scrub, METH_FASTCALL, "As `scrub_value`."},
    {"redact", (PyCFunction)(void (*)(void))redact, METH_FASTCALL,
     "As `Walk.redact_value`, of a dict, a list or a tuple."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, make_compiled},
    {Py_tp_dealloc, drop_compiled},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Redaction's walk for one key and one set of names."},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mulligan_fast.core.Compiled",
    .basicsize = sizeof(Compiled),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "mulligan_fast.core",
    .m_doc = "The compiled form of Mulligan's redaction.",
    .m_size = -1,
};

static int intern_names(void)
{
    NAMES.room = PyUnicode_InternFromString("room");
    NAMES.items = PyUnicode_InternFromString("items");
    NAMES.full = PyUnicode_InternFromString("full");
    NAMES.value = PyUnicode_InternFromString("value");
    NAMES.Value = PyUnicode_InternFromString("Value");
    NAMES.pure_scrub = PyUnicode_InternFromString("pure_scrub");
    NAMES.scrub_id = PyUnicode_InternFromString("scrub_id");
    NAMES.hide_beside = PyUnicode_InternFromString("hide_beside");
    NAMES.hide_after = PyUnicode_InternFromString("hide_after");
    return NAMES.room && NAMES.items && NAMES.full && NAMES.value && NAMES.Value
           && NAMES.pure_scrub && NAMES.scrub_id && NAMES.hide_beside && NAMES.hide_after;
}

PyMODINIT_FUNC PyInit_core(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module == NULL ? NULL : PyType_FromSpec(&spec);
    int failed = type == NULL || !intern_names()
                 || PyModule_AddObjectRef(module, "Compiled", type) < 0 || !add_queue(module)
                 || !add_site(module)
                 || PyModule_AddStringConstant(module, "MADE_FOR", MADE_FOR) < 0;
    Py_XDECREF(type);
    if (failed)
        Py_CLEAR(module);
    return module;
}
