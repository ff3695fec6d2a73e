/* Rows on their way to the log: `RowQueue` in packages/mulligan/src/mulligan/telemetry/writer.py.
 *
 * No lock is needed: nothing in here runs Python code while a line is being changed, so that
 * nobody else, be it another thread or a signal handler, comes in between. */

#include "core.h"

#define ROW_BYTES 400
#define AT_PARAMETERS 6
#define AT_OUTCOME 8
#define AT_MESSAGE 12
#define AT_RESULT 15
#define COLUMNS 20
#define CROWDED (-1)

typedef struct Queued {
    PyObject *row;
    Py_ssize_t size;
    struct Queued *next;
} Queued;

typedef struct {
    Queued *first;
    Queued *last;
    Py_ssize_t count;
} Line;

typedef struct {
    PyObject_HEAD
    Py_ssize_t most_rows;
    Py_ssize_t most_bytes;
    Line successes;
    Line others;
    Py_ssize_t bytes;
    Py_ssize_t shed_successes;     /* since last asked */
    Py_ssize_t shed_failures;
    Py_ssize_t emitted;
    Py_ssize_t shed;
    int closed;
} Queue;

static void append(Line *line, Queued *queued)
{
    if (line->last == NULL)
        line->first = queued;
    else
        line->last->next = queued;
    line->last = queued;
    line->count++;
}

/* Take the first out of a line that is not empty. */
static Queued *pop_first(Queue *self, Line *line)
{
    Queued *queued = line->first;
    line->first = queued->next;
    if (line->first == NULL)
        line->last = NULL;
    line->count--;
    self->bytes -= queued->size;
    return queued;
}

static void count_shed(Queue *self, int succeeded)
{
    *(succeeded ? &self->shed_successes : &self->shed_failures) += 1;
    self->shed++;
}

static int is_full(const Queue *self, Py_ssize_t size)
{
    return self->successes.count + self->others.count >= self->most_rows
           || self->bytes + size > self->most_bytes;
}

/* Three quarters are taken: whoever puts should let the writer work. */
static int is_crowded(const Queue *self)
{
    return self->successes.count + self->others.count > self->most_rows * 3 / 4
           || self->bytes > self->most_bytes * 3 / 4;
}

/* How long a column is: `None` is nothing, and -1 an error. */
static Py_ssize_t measure(PyObject *row, Py_ssize_t column)
{
    PyObject *text = PyTuple_GetItem(row, column);
    return text == Py_None ? 0 : PyUnicode_GetLength(text);
}

/* As `_make_room`: shed the oldest until a row fits. A success never pushes a failure out.
 * What is shed goes into `gone`, for letting a row go may call anything. */
static int make_room(Queue *self, Py_ssize_t size, int succeeded, Queued **gone)
{
    while (is_full(self, size)) {
        Line *line = self->successes.count ? &self->successes : &self->others;
        if (!line->count || (succeeded && line == &self->others))
            return 0;
        Queued *oldest = pop_first(self, line);
        oldest->next = *gone;
        *gone = oldest;
        count_shed(self, line == &self->successes);
    }
    return 1;
}

static void let_go(Queued *gone)
{
    while (gone != NULL) {
        Queued *next = gone->next;
        Py_DECREF(gone->row);
        PyMem_Free(gone);
        gone = next;
    }
}

static PyObject *put_row(PyObject *object, PyObject *row)
{
    Queue *self = (Queue *)object;
    if (!PyTuple_Check(row) || PyTuple_Size(row) != COLUMNS) {
        PyErr_SetString(PyExc_TypeError, "a row of the log has twenty columns");
        return NULL;
    }
    Py_ssize_t parameters = measure(row, AT_PARAMETERS), message = measure(row, AT_MESSAGE);
    Py_ssize_t result = measure(row, AT_RESULT);
    PyObject *outcome = PyTuple_GetItem(row, AT_OUTCOME);
    if (parameters < 0 || message < 0 || result < 0 || !PyUnicode_Check(outcome)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "an outcome is a text");
        return NULL;
    }
    Queued *queued = PyMem_Malloc(sizeof *queued), *gone = NULL;
    if (queued == NULL)
        return PyErr_NoMemory();
    int succeeded = PyUnicode_CompareWithASCIIString(outcome, "success") == 0;
    *queued = (Queued){row, ROW_BYTES + parameters + message + result, NULL};
    self->emitted++;
    int full = self->closed || is_full(self, queued->size);
    if (self->closed || !make_room(self, queued->size, succeeded, &gone)) {
        count_shed(self, succeeded);
        PyMem_Free(queued);
    } else {
        Py_INCREF(row);
        append(succeeded ? &self->successes : &self->others, queued);
        self->bytes += queued->size;
    }
    Py_ssize_t waiting = self->successes.count + self->others.count;
    if (full || is_crowded(self))
        waiting = CROWDED;
    let_go(gone);
    return PyLong_FromSsize_t(waiting);
}

static PyObject *take_rows(PyObject *object, PyObject *most)
{
    Queue *self = (Queue *)object;
    Py_ssize_t left = PyLong_AsSsize_t(most);
    if (left == -1 && PyErr_Occurred())
        return NULL;
    PyObject *taken = PyList_New(0);
    while (taken != NULL && left-- > 0 && self->successes.count + self->others.count) {
        Queued *first = pop_first(self, self->others.count ? &self->others : &self->successes);
        first->next = NULL;
        if (PyList_Append(taken, first->row) < 0)
            Py_CLEAR(taken);
        let_go(first);
    }
    return taken;
}

static PyObject *take_shed(PyObject *object, PyObject *unused)
{
    (void)unused;
    Queue *self = (Queue *)object;
    PyObject *counts = Py_BuildValue("(nn)", self->shed_successes, self->shed_failures);
    if (counts != NULL)
        self->shed_successes = self->shed_failures = 0;
    return counts;
}

static PyObject *give_back_shed(PyObject *object, PyObject *counts)
{
    Queue *self = (Queue *)object;
    Py_ssize_t successes, failures;
    if (!PyTuple_Check(counts)) {
        PyErr_SetString(PyExc_TypeError, "two counts, as take_shed gives them");
        return NULL;
    }
    if (!PyArg_ParseTuple(counts, "nn", &successes, &failures))
        return NULL;
    self->shed_successes += successes;
    self->shed_failures += failures;
    Py_RETURN_NONE;
}

static PyObject *close_queue(PyObject *object, PyObject *unused)
{
    (void)unused;
    ((Queue *)object)->closed = 1;
    Py_RETURN_NONE;
}

static PyObject *clear_queue(PyObject *object, PyObject *unused)
{
    (void)unused;
    Queue *self = (Queue *)object;
    Queued *gone[] = {self->successes.first, self->others.first};
    self->successes = self->others = (Line){NULL, NULL, 0};
    self->bytes = self->shed_successes = self->shed_failures = self->emitted = self->shed = 0;
    self->closed = 0;
    let_go(gone[0]);
    let_go(gone[1]);
    Py_RETURN_NONE;
}

static Py_ssize_t count_waiting(PyObject *object)
{
    Queue *self = (Queue *)object;
    return self->successes.count + self->others.count;
}

static PyObject *read_emitted(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromSsize_t(((Queue *)object)->emitted);
}

static PyObject *read_shed(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromSsize_t(((Queue *)object)->shed);
}

static PyObject *has_unwritten_shed(PyObject *object, void *unused)
{
    (void)unused;
    Queue *self = (Queue *)object;
    return PyBool_FromLong(self->shed_successes || self->shed_failures);
}

static PyObject *make_queue(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"most_rows", "most_bytes", NULL};
    Py_ssize_t rows, bytes;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "nn", names, &rows, &bytes))
        return NULL;
    Queue *self = (Queue *)PyType_GenericAlloc(type, 0);
    if (self != NULL) {
        self->most_rows = rows;
        self->most_bytes = bytes;
    }
    return (PyObject *)self;
}

static void drop_queue(PyObject *object)
{
    Queue *self = (Queue *)object;
    PyTypeObject *type = Py_TYPE(object);
    let_go(self->successes.first);
    let_go(self->others.first);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"put", put_row, METH_O, "As `RowQueue.put`."},
    {"take", take_rows, METH_O, "As `RowQueue.take`."},
    {"take_shed", take_shed, METH_NOARGS, "As `RowQueue.take_shed`."},
    {"give_back_shed", give_back_shed, METH_O, "As `RowQueue.give_back_shed`."},
    {"close", close_queue, METH_NOARGS, "As `RowQueue.close`."},
    {"clear", clear_queue, METH_NOARGS, "As `RowQueue.clear`."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"emitted", read_emitted, NULL, "Rows ever put.", NULL},
    {"shed", read_shed, NULL, "Rows ever shed.", NULL},
    {"unwritten_shed", has_unwritten_shed, NULL, "As `RowQueue.unwritten_shed`.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, make_queue},
    {Py_tp_dealloc, drop_queue},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_sq_length, count_waiting},
    {Py_tp_doc, "Rows on their way to the log."},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mulligan_fast.core.RowQueue",
    .basicsize = sizeof(Queue),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int add_queue(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    int added = type != NULL && PyModule_AddObjectRef(module, "RowQueue", type) == 0;
    Py_XDECREF(type);
    return added;
}
