/* The common call, written straight to JSON: `Lean` in lean.py. */

#include "core.h"

#include <string.h>

#define PLACES 10000

/* All that is written is ASCII, and more of it than a field may hold is of no use. */
typedef struct {
    char *text;
    size_t used;
    size_t room;
    char small[2048];
} Out;

static int reserve(Out *out, size_t more)
{
    if (out->used + more <= out->room)
        return 1;
    if (out->used + more > FIELD_BYTES + LONGEST_STUB)
        return 0;
    size_t room = 2 * (out->used + more);
    char *text = PyMem_Malloc(room);
    if (text == NULL)
        return 0;
    memcpy(text, out->text, out->used);
    if (out->text != out->small)
        PyMem_Free(out->text);
    out->text = text;
    out->room = room;
    return 1;
}

static int put(Out *out, const char *text, size_t length)
{
    if (!reserve(out, length))
        return 0;
    memcpy(out->text + out->used, text, length);
    out->used += length;
    return 1;
}

static int encode_value(const Compiled *self, Out *out, PyObject *value, int depth);

static int encode_string(const Compiled *self, Out *out, PyObject *value)
{
    Py_ssize_t size = PyUnicode_GetLength(value);
    if (size > SHORT || (size == UUID_LENGTH && PyUnicode_ReadChar(value, 8) == '-'))
        return 0;
    if (!reserve(out, LONGEST_STUB + 2))
        return 0;
    out->text[out->used] = '"';
    int length = write_stub(self, value, size, out->text + out->used + 1);
    if (length == 0)
        return 0;
    out->used += (size_t)length + 1;
    return put(out, "\"", 1);
}

/* The digits of a number that is not negative; where they begin, before `end`. */
static char *write_digits(char *end, long long number)
{
    do
        *--end = (char)('0' + number % 10);
    while (number /= 10);
    return end;
}

static int encode_integer(Out *out, PyObject *value)
{
    char text[16], *end = text + sizeof text;
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow || number <= -BIG || number >= BIG)
        return 0;
    char *first = write_digits(end, number < 0 ? -number : number);
    if (number < 0)
        *--first = '-';
    return put(out, first, (size_t)(end - first));
}

/* A number with four decimal places at most, as prices and shares are; 0 for another one.
 *
 * It has no more than twelve digits, and of two numbers with up to fifteen no two are the same
 * double: what is written is what `repr` writes, the shortest text that is read as this double. */
static int encode_decimal(Out *out, double number)
{
    double size = number < 0 ? -number : number;
    long long scaled = (long long)(size * PLACES + 0.5);
    if (size < 1.0 / PLACES || (double)scaled / PLACES != size)
        return 0;
    char text[24], *end = text + sizeof text;
    char *first = write_digits(end, scaled % PLACES + PLACES);
    *first = '.';
    while (end[-1] == '0' && end - first > 2)
        end--;
    first = write_digits(first, scaled / PLACES);
    if (number < 0)
        *--first = '-';
    return put(out, first, (size_t)(end - first));
}

static int encode_float(Out *out, PyObject *value)
{
    double number = PyFloat_AsDouble(value);
    if (!(-BIG < number && number < BIG))
        return 0;
    if (encode_decimal(out, number))
        return 1;
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (text == NULL)
        return 0;
    int done = put(out, text, strlen(text));
    PyMem_Free(text);
    return done;
}

/* Nothing in here runs Python code or lets another thread in, so that borrowed references hold. */
static int encode_mapping(const Compiled *self, Out *out, PyObject *value, int depth)
{
    PyObject *name, *item;
    Py_ssize_t place = 0, size;
    char before = '{';
    while (PyDict_Next(value, &place, &name, &item)) {
        /* Names in there are shown as they are, and need no escaping. */
        if (!PyUnicode_CheckExact(name) || PySet_Contains(self->open, name) != 1)
            return 0;
        const char *text = PyUnicode_AsUTF8AndSize(name, &size);
        if (text == NULL || !put(out, &before, 1) || !put(out, "\"", 1)
            || !put(out, text, (size_t)size) || !put(out, "\":", 2)
            || !encode_value(self, out, item, depth - 1))
            return 0;
        before = ',';
    }
    return put(out, before == '{' ? "{}" : "}", before == '{' ? 2 : 1);
}

static int encode_sequence(const Compiled *self, Out *out, PyObject *value, int depth)
{
    int is_list = PyList_CheckExact(value);
    Py_ssize_t size = is_list ? PyList_Size(value) : PyTuple_Size(value);
    if (!put(out, "[", 1))
        return 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = is_list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
        if (item == NULL || (i && !put(out, ",", 1)) || !encode_value(self, out, item, depth - 1))
            return 0;
    }
    return put(out, "]", 1);
}

/* Whether it could be written. */
static int encode_value(const Compiled *self, Out *out, PyObject *value, int depth)
{
    if (PyUnicode_CheckExact(value))
        return encode_string(self, out, value);
    if (value == Py_True)
        return put(out, "true", 4);
    if (value == Py_False)
        return put(out, "false", 5);
    if (PyLong_CheckExact(value))
        return encode_integer(out, value);
    if (PyFloat_CheckExact(value))
        return encode_float(out, value);
    if (value == Py_None)
        return put(out, "null", 4);
    if (depth && PyDict_CheckExact(value) && PyDict_Size(value) <= LEAN_MOST)
        return encode_mapping(self, out, value, depth);
    if (depth && PyList_CheckExact(value) && PyList_Size(value) <= LEAN_MOST)
        return encode_sequence(self, out, value, depth);
    if (depth && PyTuple_CheckExact(value) && PyTuple_Size(value) <= LEAN_MOST)
        return encode_sequence(self, out, value, depth);
    return 0;
}

PyObject *write_lean(Compiled *self, PyObject *value)
{
    Out out;
    out.text = out.small;
    out.used = 0;
    out.room = sizeof out.small;
    PyObject *written = NULL;
    if (encode_value(self, &out, value, LEAN_DEPTH) && out.used <= FIELD_BYTES)
        written = PyUnicode_FromStringAndSize(out.text, (Py_ssize_t)out.used);
    if (out.text != out.small)
        PyMem_Free(out.text);
    if (written == NULL) {
        PyErr_Clear();
        return Py_NewRef(Py_None);
    }
    return written;
}
