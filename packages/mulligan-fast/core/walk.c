/* The loops of the walk: `Walk._redact_mapping` and `Walk._redact_sequence` in walk.py.
 *
 * What is left of a field's bounds is in the walk; here it is kept beside it, and written back
 * wherever Python may look: before a pure form is called, and at the end. */

#include "core.h"

typedef struct {
    Compiled *core;
    PyObject *walk;
    Py_ssize_t room;
    Py_ssize_t items;
    int full;
} Walk;

static int read_size(PyObject *walk, PyObject *name, Py_ssize_t *size)
{
    PyObject *number = PyObject_GetAttr(walk, name);
    if (number == NULL)
        return -1;
    *size = PyLong_AsSsize_t(number);
    Py_DECREF(number);
    return *size == -1 && PyErr_Occurred() ? -1 : 0;
}

static int write_size(PyObject *walk, PyObject *name, Py_ssize_t size)
{
    PyObject *number = PyLong_FromSsize_t(size);
    if (number == NULL)
        return -1;
    int done = PyObject_SetAttr(walk, name, number);
    Py_DECREF(number);
    return done;
}

static int load_bounds(Walk *walk)
{
    return read_size(walk->walk, NAMES.room, &walk->room) < 0
           || read_size(walk->walk, NAMES.items, &walk->items) < 0 ? -1 : 0;
}

static int save_bounds(const Walk *walk)
{
    return write_size(walk->walk, NAMES.room, walk->room) < 0
           || write_size(walk->walk, NAMES.items, walk->items) < 0 ? -1 : 0;
}

/* Load them after a pure form was called; an error of it stays as it is. */
static int reload_bounds(Walk *walk)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int done = load_bounds(walk);
    if (type != NULL) {
        PyErr_Restore(type, value, traceback);
        return -1;
    }
    return done;
}

/* Call a pure form by position and by name, and drop both. */
static PyObject *call_pure(Walk *walk, PyObject *form, PyObject *args, PyObject *names)
{
    PyObject *answer = NULL;
    if (args != NULL && names != NULL && save_bounds(walk) == 0) {
        answer = PyObject_Call(form, args, names);
        if (reload_bounds(walk) < 0)
            Py_CLEAR(answer);
    }
    Py_XDECREF(args);
    Py_XDECREF(names);
    return answer;
}

static PyObject *redact_purely(Walk *walk, PyObject *value, int depth, int ids)
{
    return call_pure(walk, walk->core->redact_value, PyTuple_Pack(2, walk->walk, value),
                     Py_BuildValue("{s:i,s:O}", "depth", depth, "ids", ids ? Py_True : Py_False));
}

static int add_purely(Walk *walk, PyObject *name, PyObject *value, PyObject *shown, int depth)
{
    PyObject *answer = call_pure(walk, walk->core->add_entry,
                                 PyTuple_Pack(4, walk->walk, name, value, shown),
                                 Py_BuildValue("{s:i}", "depth", depth));
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* What most strings come to: `Walk._short`, or `Walk.scrub_id` under the name of an id. */
static PyObject *make_text(const Walk *walk, PyObject *text, PyObject *name)
{
    if (!walk->full)
        return hash_short(walk->core, text);
    PyObject *shown = scrub_clean(walk->core, text);
    if (shown != NULL)
        return shown;
    int ids = name == NULL ? 0 : PySet_Contains(walk->core->ids, name);
    if (ids < 0)
        return NULL;
    PyObject *form = ids ? NAMES.scrub_id : NAMES.pure_scrub;
    return PyObject_CallMethodObjArgs(walk->walk, form, text, NULL);
}

static PyObject *make_more(Py_ssize_t count)
{
    PyObject *number = PyLong_FromSsize_t(count);
    if (number == NULL)
        return NULL;
    PyObject *grouped = PyObject_CallMethod(number, "__format__", "s", ",");
    Py_DECREF(number);
    if (grouped == NULL)
        return NULL;
    PyObject *more = PyUnicode_FromFormat("%s %U more>", "<\xe2\x80\xa6", grouped);
    Py_DECREF(grouped);
    return more;
}

static PyObject *make_deeper(void)
{
    return PyUnicode_FromString("<\xe2\x80\xa6 deeper>");
}

static int is_small_number(PyObject *value)
{
    if (PyLong_CheckExact(value)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return !overflow && -BIG < number && number < BIG;
    }
    if (PyFloat_CheckExact(value)) {
        double number = PyFloat_AsDouble(value);
        return -BIG < number && number < BIG;
    }
    return 0;
}

static int is_plain(PyObject *value)
{
    return value == Py_None || value == Py_True || value == Py_False || is_small_number(value);
}

static PyObject *redact_mapping(Walk *walk, PyObject *value, int depth);
static PyObject *redact_sequence(Walk *walk, PyObject *value, int depth, int ids);

/* `Walk.redact_value`. */
static PyObject *redact_value(Walk *walk, PyObject *value, int depth, int ids)
{
    if (is_plain(value))
        return Py_NewRef(value);
    if (PyDict_CheckExact(value))
        return redact_mapping(walk, value, depth);
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value))
        return redact_sequence(walk, value, depth, ids);
    return redact_purely(walk, value, depth, ids);
}

static int set_entry(PyObject *shown, PyObject *name, PyObject *value)
{
    int done = value == NULL ? -1 : PyDict_SetItem(shown, name, value);
    Py_XDECREF(value);
    return done;
}

/* `_add_entry` for a name that is shown as it is and hides nothing. */
static int add_container(Walk *walk, PyObject *name, PyObject *value, PyObject *shown, int depth)
{
    int ids = PySet_Contains(walk->core->ids, name);
    if (ids < 0)
        return -1;
    walk->room -= PyUnicode_GetLength(name) + ITEM;
    return set_entry(shown, name, redact_value(walk, value, depth + 1, ids));
}

/* One entry of a mapping; `room` is what its loop has left, `walk->room` what the walk is told. */
static int add_entry(Walk *walk, PyObject *name, PyObject *value, PyObject *shown, int depth,
                     Py_ssize_t *room)
{
    int known = PyUnicode_CheckExact(name) ? PySet_Contains(walk->core->open, name) : 0;
    if (known < 0)
        return -1;
    if (known && PyUnicode_CheckExact(value)) {
        Py_ssize_t length = PyUnicode_GetLength(value);
        if (length <= SHORT && length != UUID_LENGTH) {
            PyObject *text = make_text(walk, value, name);
            if (text == NULL)
                return -1;
            *room -= PyUnicode_GetLength(text) + ENTRY;
            return set_entry(shown, name, text);
        }
    } else if (known && is_plain(value)) {
        *room -= ENTRY;
        return PyDict_SetItem(shown, name, value);
    }
    walk->room = *room;
    int contains = PyDict_CheckExact(value) || PyList_CheckExact(value) || PyTuple_CheckExact(value);
    int done = known && contains ? add_container(walk, name, value, shown, depth)
                                 : add_purely(walk, name, value, shown, depth);
    *room = walk->room;
    return done;
}

static int hide_beside(const Walk *walk, PyObject *shown)
{
    if (!walk->full)
        return 0;
    int there = PyDict_Contains(shown, NAMES.value);
    if (there == 0)
        there = PyDict_Contains(shown, NAMES.Value);
    if (there <= 0)
        return there;
    PyObject *answer = PyObject_CallMethodObjArgs(walk->walk, NAMES.hide_beside, shown, NULL);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

static PyObject *show_mapping(Walk *walk, PyObject *const *taken, Py_ssize_t size, int depth)
{
    PyObject *shown = PyDict_New();
    Py_ssize_t room = walk->room;
    if (shown == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < size && room > 0; i++)
        if (add_entry(walk, taken[2 * i], taken[2 * i + 1], shown, depth, &room) < 0)
            goto failed;
    walk->room = room;
    if (hide_beside(walk, shown) < 0)
        goto failed;
    Py_ssize_t left = size - PyDict_Size(shown);
    if (left > 0) {
        PyObject *name = PyUnicode_FromString("<\xe2\x80\xa6>");
        int done = name == NULL ? -1 : set_entry(shown, name, make_more(left));
        Py_XDECREF(name);
        if (done < 0)
            goto failed;
    }
    return shown;
failed:
    Py_DECREF(shown);
    return NULL;
}

/* Taken in one go, so that nobody can change the dictionary in between. */
static PyObject **take_entries(PyObject *value, Py_ssize_t size)
{
    PyObject *name, *item;
    Py_ssize_t place = 0, count = 0;
    PyObject **taken = PyMem_Malloc((size_t)(2 * size + 1) * sizeof *taken);
    if (taken == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    while (count < size && PyDict_Next(value, &place, &name, &item)) {
        taken[2 * count] = Py_NewRef(name);
        taken[2 * count + 1] = Py_NewRef(item);
        count++;
    }
    return taken;
}

static PyObject *redact_mapping(Walk *walk, PyObject *value, int depth)
{
    Py_ssize_t size = PyDict_Size(value);
    if (depth >= WALK_DEPTH)
        return make_deeper();
    if (size > walk->items)
        return redact_purely(walk, value, depth, 0);
    PyObject **taken = take_entries(value, size);
    if (taken == NULL)
        return NULL;
    walk->items -= size;
    PyObject *shown = show_mapping(walk, taken, size, depth);
    for (Py_ssize_t i = 0; i < 2 * size; i++)
        Py_DECREF(taken[i]);
    PyMem_Free(taken);
    return shown;
}

static PyObject *redact_item(Walk *walk, PyObject *item, int depth, int ids, Py_ssize_t *room)
{
    PyObject *shown;
    if (!ids && PyUnicode_CheckExact(item) && PyUnicode_GetLength(item) <= SHORT) {
        shown = make_text(walk, item, NULL);
        if (shown != NULL)
            *room -= PyUnicode_GetLength(shown) + ITEM;
        return shown;
    }
    walk->room = *room - ITEM;
    shown = redact_value(walk, item, depth + 1, ids);
    *room = walk->room;
    return shown;
}

/* Whether `_hide_after` would look at anything: a pair, or a flag. */
static int may_hide_after(PyObject *taken, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyTuple_GetItem(taken, i);
        if (PyUnicode_CheckExact(item) && (size == 2 || PyUnicode_GetLength(item) > 0)
            && (size == 2 || PyUnicode_ReadChar(item, 0) == '-'))
            return 1;
    }
    return 0;
}

static int hide_after(const Walk *walk, PyObject *taken, Py_ssize_t size, PyObject *shown)
{
    if (!walk->full || size <= 1 || !may_hide_after(taken, size))
        return 0;
    PyObject *form = NAMES.hide_after;
    PyObject *answer = PyObject_CallMethodObjArgs(walk->walk, form, taken, shown, NULL);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

static int append(PyObject *shown, PyObject *item)
{
    int done = item == NULL ? -1 : PyList_Append(shown, item);
    Py_XDECREF(item);
    return done;
}

static PyObject *show_sequence(Walk *walk, PyObject *taken, int depth, int ids)
{
    PyObject *shown = PyList_New(0);
    Py_ssize_t room = walk->room, size = PyTuple_Size(taken);
    if (shown == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < size && room > 0; i++)
        if (append(shown, redact_item(walk, PyTuple_GetItem(taken, i), depth, ids, &room)) < 0)
            goto failed;
    walk->room = room;
    if (hide_after(walk, taken, size, shown) < 0)
        goto failed;
    Py_ssize_t left = size - PyList_Size(shown);
    if (left > 0 && append(shown, make_more(left)) < 0)
        goto failed;
    return shown;
failed:
    Py_DECREF(shown);
    return NULL;
}

static PyObject *redact_sequence(Walk *walk, PyObject *value, int depth, int ids)
{
    int is_list = PyList_CheckExact(value);
    Py_ssize_t size = is_list ? PyList_Size(value) : PyTuple_Size(value);
    if (depth >= WALK_DEPTH)
        return make_deeper();
    if (size > walk->items)
        return redact_purely(walk, value, depth, ids);
    PyObject *taken = is_list ? PyList_AsTuple(value) : Py_NewRef(value);
    if (taken == NULL)
        return NULL;
    walk->items -= size;
    PyObject *shown = show_sequence(walk, taken, depth, ids);
    Py_DECREF(taken);
    return shown;
}

/* redact(walk, value, depth, ids), for a dict, a list or a tuple. */
PyObject *redact(Compiled *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "redact takes a walk, a value, its depth, and whether it is ids");
        return NULL;
    }
    Walk walk = {.core = self, .walk = args[0]};
    long depth = PyLong_AsLong(args[2]);
    PyObject *full = PyObject_GetAttr(walk.walk, NAMES.full);
    walk.full = full == NULL ? -1 : PyObject_IsTrue(full);
    Py_XDECREF(full);
    if (walk.full < 0 || PyErr_Occurred() || load_bounds(&walk) < 0)
        return NULL;
    PyObject *shown = redact_value(&walk, args[1], (int)depth, PyObject_IsTrue(args[3]));
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int saved = save_bounds(&walk);
    if (type != NULL)
        PyErr_Restore(type, value, traceback);
    if (saved < 0)
        Py_CLEAR(shown);
    return shown;
}
