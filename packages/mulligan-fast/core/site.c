/* What is done at the site of every call: packages/mulligan/src/mulligan/runtime/tool.py.
 *
 * Whatever is not common is handed to the pure forms, which a `Site` is made with. */

#include "core.h"

/* As in runtime.py, silent.py and ids.py. */
#define COPIED 64
#define MOST_KEYS 200
#define MOST_MILLISECONDS (1LL << 48)
#define MOST_CHANCE (1ULL << 62)

typedef struct {
    PyObject_HEAD
    PyObject *look_over;
    PyObject *make_uuid7;
    PyObject *is_known;
} Site;

/* How many parts a value has that a tool can change, or -1 if it cannot change it. */
static Py_ssize_t count_parts(PyObject *value)
{
    if (PyDict_CheckExact(value))
        return PyDict_Size(value);
    if (PyList_CheckExact(value))
        return PyList_Size(value);
    if (Py_IS_TYPE(value, &PySet_Type))
        return PySet_Size(value);
    return PyByteArray_CheckExact(value) ? PyByteArray_Size(value) : -1;
}

static PyObject *copy_parts(PyObject *value)
{
    if (PyDict_CheckExact(value))
        return PyDict_Copy(value);
    if (PyList_CheckExact(value))
        return PyList_GetSlice(value, 0, PyList_Size(value));
    return Py_IS_TYPE(value, &PySet_Type) ? PySet_New(value) : PyByteArray_FromObject(value);
}

/* Whether a text may be one of JSON. */
static int is_opening(PyObject *text)
{
    Py_UCS4 first = PyUnicode_GetLength(text) > 0 ? PyUnicode_ReadChar(text, 0) : 0;
    return first == '{' || first == '[';
}

/* Keep a copy of one argument, if a tool can change it. A copy may call the collector, and that
 * anything: both are held meanwhile. */
static int keep_copy(PyObject *copies, PyObject *name, PyObject *value)
{
    Py_ssize_t parts = count_parts(value);
    if (parts < 0 || parts > COPIED)
        return 0;
    Py_INCREF(name);
    Py_INCREF(value);
    PyObject *copy = copy_parts(value);
    int done = copy == NULL ? -1 : PyDict_SetItem(copies, name, copy);
    Py_XDECREF(copy);
    Py_DECREF(value);
    Py_DECREF(name);
    return done;
}

static PyObject *look_over(Site *self, PyObject *arguments)
{
    if (!PyDict_CheckExact(arguments))
        return PyObject_CallFunctionObjArgs(self->look_over, arguments, NULL);
    PyObject *name, *value, *copies = PyDict_New();
    Py_ssize_t place = 0, size = PyDict_Size(arguments);
    int wrapped = 0;
    while (copies != NULL && PyDict_Next(arguments, &place, &name, &value)) {
        if (!PyUnicode_CheckExact(name) || PyDict_Size(arguments) != size) {
            Py_DECREF(copies);
            return PyObject_CallFunctionObjArgs(self->look_over, arguments, NULL);
        }
        if (PyUnicode_CheckExact(value)) {
            wrapped |= is_opening(value);
        } else {
            wrapped |= size == 1 && PyDict_CheckExact(value);
            if (keep_copy(copies, name, value) < 0)
                Py_CLEAR(copies);
        }
    }
    if (copies == NULL)
        return NULL;
    PyObject *found = PyTuple_Pack(2, copies, wrapped ? Py_True : Py_False);
    Py_DECREF(copies);
    return found;
}

static void write_hex(char *out, uint64_t number)
{
    for (int i = 15; i >= 0; i--, number >>= 4)
        out[i] = "0123456789abcdef"[number & 15];
}

static PyObject *make_uuid7(Site *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "make_uuid7 takes a time and chance");
        return NULL;
    }
    if (PyLong_CheckExact(args[0]) && PyLong_CheckExact(args[1])) {
        long long at_us = PyLong_AsLongLong(args[0]);
        unsigned long long chance = PyLong_AsUnsignedLongLong(args[1]);
        if (!PyErr_Occurred() && at_us >= 0 && at_us / 1000 < MOST_MILLISECONDS
            && chance < MOST_CHANCE) {
            char hex[32];
            write_hex(hex, (uint64_t)(at_us / 1000) << 16 | 7u << 12 | (uint64_t)(at_us % 1000));
            write_hex(hex + 16, 1ULL << 63 | chance);
            return PyUnicode_FromStringAndSize(hex, sizeof hex);
        }
        PyErr_Clear();
    }
    return PyObject_CallFunctionObjArgs(self->make_uuid7, args[0], args[1], NULL);
}

/* The names of a mapping in their order; NULL without an error if one is not a plain text. */
static PyObject *list_names(PyObject *mapping)
{
    PyObject *name, *value, *names = PyTuple_New(PyDict_Size(mapping));
    Py_ssize_t place = 0, count = 0, size = PyDict_Size(mapping);
    while (names != NULL && PyDict_Next(mapping, &place, &name, &value)) {
        if (!PyUnicode_CheckExact(name) || count == size)
            Py_CLEAR(names);
        else
            PyTuple_SetItem(names, count++, Py_NewRef(name));
    }
    if (count < size)
        Py_CLEAR(names);
    return names;
}

static PyObject *is_known(Site *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "is_known takes a result and shapes");
        return NULL;
    }
    if (!PyDict_CheckExact(args[0]))
        return Py_NewRef(Py_False);
    PyObject *names = NULL;
    if (PyDict_Size(args[0]) <= MOST_KEYS && PyAnySet_Check(args[1]))
        names = list_names(args[0]);
    if (names == NULL) {
        PyErr_Clear();
        return PyObject_CallFunctionObjArgs(self->is_known, args[0], args[1], NULL);
    }
    int known = PySet_Contains(args[1], names);
    Py_DECREF(names);
    return known < 0 ? NULL : PyBool_FromLong(known);
}

static PyObject *make_site(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"look_over", "make_uuid7", "is_known", NULL};
    PyObject *look, *make, *known;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO", names, &look, &make, &known))
        return NULL;
    Site *self = (Site *)PyType_GenericAlloc(type, 0);
    if (self != NULL) {
        self->look_over = Py_NewRef(look);
        self->make_uuid7 = Py_NewRef(make);
        self->is_known = Py_NewRef(known);
    }
    return (PyObject *)self;
}

static void drop_site(PyObject *object)
{
    Site *self = (Site *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_CLEAR(self->look_over);
    Py_CLEAR(self->make_uuid7);
    Py_CLEAR(self->is_known);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"look_over", (PyCFunction)(void (*)(void))look_over, METH_O, "As `look_over`."},
    {"make_uuid7", (PyCFunction)(void (*)(void))make_uuid7, METH_FASTCALL, "As `make_uuid7`."},
    {"is_known", (PyCFunction)(void (*)(void))is_known, METH_FASTCALL, "As `is_known`."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, make_site},
    {Py_tp_dealloc, drop_site},
    {Py_tp_methods, methods},
    {Py_tp_doc, "What is done at the site of every call."},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mulligan_fast.core.Site",
    .basicsize = sizeof(Site),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int add_site(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    int added = type != NULL && PyModule_AddObjectRef(module, "Site", type) == 0;
    Py_XDECREF(type);
    return added;
}
