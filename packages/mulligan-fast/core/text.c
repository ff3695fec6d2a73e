/* Texts that no rule can change, but for that of seed phrases: `scrub_value` in scrub.py.
 * What is looked for comes from there, as tables; any doubt is left to it. */

#include "core.h"

#include <string.h>

/* Flags of a byte. */
#define TELLING 1   /* a rule may start from it */
#define DIGIT 2
#define RUN 4       /* it may stand in a token */
#define LOWER 8
#define UPPER 16
#define GAP 32      /* between the words of a seed phrase */
#define BEYOND 64   /* not ASCII */
#define SAID 128    /* a literal of one byte */

/* Marks of a literal: what it says of a text. */
#define NEVER_CLEAN 1
#define WITH_DIGITS 2

#define FEWEST_DIGITS 6
#define CODE 12
#define LONG_RUN 16
#define SHORTEST_SEED 47
#define SEED_WORDS 12
#define SHORTEST_WORD 3
#define LONGEST_WORD 8

static inline uint8_t lower_byte(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

static inline uint8_t sum_pair(uint8_t first, uint8_t second)
{
    return (uint8_t)(first * 31u + second);
}

static int flag_bytes(TextRules *rules, PyObject *kinds, PyObject *runs)
{
    char *kind, *run;
    Py_ssize_t kind_size, run_size;
    if (PyBytes_AsStringAndSize(kinds, &kind, &kind_size) < 0
        || PyBytes_AsStringAndSize(runs, &run, &run_size) < 0)
        return -1;
    if (kind_size != 256 || run_size != 256) {
        PyErr_SetString(PyExc_ValueError, "a table has an entry for each byte");
        return -1;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t flags = kind[byte] == '.' ? TELLING : kind[byte] == '0' ? DIGIT : 0;
        flags |= run[byte] == 'r' ? RUN : 0;
        flags |= byte >= 'a' && byte <= 'z' ? LOWER : byte >= 'A' && byte <= 'Z' ? UPPER : 0;
        flags |= byte == ' ' || byte == '\t' || byte == '\n' ? GAP : 0;
        flags |= byte >= 128 ? BEYOND : 0;
        rules->flags[byte] = flags;
    }
    return 0;
}

static int add_literal(TextRules *rules, PyObject *literal, uint8_t mark)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(literal, &size);
    if (text == NULL)
        return -1;
    if (size == 1 && mark == WITH_DIGITS) {
        rules->flags[(uint8_t)text[0]] |= SAID;
        return 0;
    }
    if (size < 2 || size > LONGEST_LITERAL || rules->literal_count == MOST_LITERALS) {
        PyErr_SetString(PyExc_ValueError, "too many literals, or one of no use");
        return -1;
    }
    Literal *added = &rules->literals[++rules->literal_count];
    memcpy(added->text, text, (size_t)size);
    added->length = (uint8_t)size;
    added->mark = mark;
    uint8_t *start = &rules->starts[sum_pair((uint8_t)text[0], (uint8_t)text[1])];
    added->next = *start;
    *start = (uint8_t)rules->literal_count;
    return 0;
}

static int find_slot(const TextRules *rules, uint64_t word)
{
    unsigned slot = (unsigned)((word * 0x9E3779B97F4A7C15u) >> 55);
    while (rules->prose[slot] && rules->prose[slot] != word)
        slot = (slot + 1) % PROSE_SLOTS;
    return (int)slot;
}

static int add_prose(TextRules *rules, PyObject *listed)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(listed, &size);
    if (text == NULL)
        return -1;
    uint64_t word = 0;
    if (size > LONGEST_WORD)
        return 0;
    for (Py_ssize_t i = 0; i < size; i++)
        word = word << 8 | (uint8_t)text[i];
    rules->prose[find_slot(rules, word)] = word;
    return 0;
}

/* The tables: kinds of bytes, bytes of runs, and tuples of literals and of words of prose. */
int init_text_rules(TextRules *rules, PyObject *tables)
{
    PyObject *kinds, *runs, *never, *with_digits, *prose;
    if (!PyArg_ParseTuple(tables, "SSO!O!O!", &kinds, &runs, &PyTuple_Type, &never, &PyTuple_Type,
                          &with_digits, &PyTuple_Type, &prose))
        return -1;
    if (flag_bytes(rules, kinds, runs) < 0)
        return -1;
    if (PyTuple_Size(prose) > PROSE_SLOTS / 2) {
        PyErr_SetString(PyExc_ValueError, "too many words of prose");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(never); i++)
        if (add_literal(rules, PyTuple_GetItem(never, i), NEVER_CLEAN) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < PyTuple_Size(with_digits); i++)
        if (add_literal(rules, PyTuple_GetItem(with_digits, i), WITH_DIGITS) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < PyTuple_Size(prose); i++)
        if (add_prose(rules, PyTuple_GetItem(prose, i)) < 0)
            return -1;
    return 0;
}

/* The marks of the literals that stand here, in any case of ASCII. */
static int match_literals(const TextRules *rules, uint8_t number, const uint8_t *at,
                          Py_ssize_t left)
{
    int marks = 0;
    for (; number; number = rules->literals[number].next) {
        const Literal *literal = &rules->literals[number];
        int same = 0;
        while (same < literal->length && same < left
               && (uint8_t)literal->text[same] == lower_byte(at[same]))
            same++;
        if (same == literal->length)
            marks |= literal->mark;
    }
    return marks;
}

/* Whether `may_apply` finds nothing to do, seed phrases aside. */
static int is_clean(const TextRules *rules, const uint8_t *text, Py_ssize_t size)
{
    int seen = 0, digits = 0, run = 0, longest = 0, marks = 0;
    uint8_t before = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        uint8_t flags = rules->flags[text[i]];
        if (flags & TELLING)
            return 0;
        seen |= flags;
        digits += (flags & DIGIT) != 0;
        run = flags & RUN ? run + 1 : 0;
        longest = run > longest ? run : longest;
        uint8_t byte = lower_byte(text[i]), number = rules->starts[sum_pair(before, byte)];
        if (number && i)
            marks |= match_literals(rules, number, text + i - 1, size - i + 1);
        before = byte;
        if (marks & NEVER_CLEAN || longest >= LONG_RUN || digits >= FEWEST_DIGITS)
            return 0;
    }
    if (digits && (marks || seen & (SAID | BEYOND)))
        return 0;
    /* Base64 is never in one case: a short run in small letters is none. */
    if (longest >= CODE && (seen & (UPPER | BEYOND) || !(seen & LOWER)))
        return 0;
    return 1;
}

static int is_in_path(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
           || (byte >= '-' && byte <= '9') || byte == '_' || byte == '~' || byte == '+';
}

static int is_in_query(uint8_t byte)
{
    return byte == '!' || (byte >= '#' && byte <= ';') || byte == '=' || byte == '?'
           || (byte >= 'A' && byte <= '~');
}

/* `_LINK`: where the place of a text that is one link begins and ends; 0 if it is none. */
static int split_link(const uint8_t *text, Py_ssize_t size, Py_ssize_t *begin, Py_ssize_t *end)
{
    Py_ssize_t at = 4;
    if (size < 8 || memcmp(text, "http", 4) != 0)
        return 0;
    at += text[at] == 's';
    if (text[at] != ':' || text[at + 1] != '/' || text[at + 2] != '/')
        return 0;
    *begin = ++at;
    for (at += 2; at < size && is_in_path(text[at]); at++)
        ;
    *end = at;
    if (at == *begin + 2 || (at < size && text[at] != '?' && text[at] != '#'))
        return 0;
    while (++at < size)
        if (!is_in_query(text[at]))
            return 0;
    return 1;
}

/* `_scrub_link`, where its place is clean; NULL without an error where it is not. */
static PyObject *scrub_link(const TextRules *rules, PyObject *text, const uint8_t *bytes,
                            Py_ssize_t size)
{
    Py_ssize_t begin, end;
    if (!split_link(bytes, size, &begin, &end) || !is_clean(rules, bytes + begin, end - begin))
        return NULL;
    if (size - end <= 1)
        return Py_NewRef(text);
    PyObject *shown = PyUnicode_FromStringAndSize((const char *)bytes, end);
    if (shown == NULL)
        return NULL;
    PyObject *whole = PyUnicode_FromFormat("%U?<query>", shown);
    Py_DECREF(shown);
    return whole;
}

/* Words in a row that no sentence would hold, and what was written of the text before them. */
typedef struct {
    int words;
    Py_ssize_t first;
    Py_ssize_t last;
    Py_ssize_t done;
    char *out;             /* NULL until there is a phrase; what is hidden is longer than its name */
    Py_ssize_t used;
} Phrases;

/* Whether a byte joins the small letters beside it to a longer word. */
static int joins_word(const TextRules *rules, uint8_t byte)
{
    return rules->flags[byte] & (UPPER | DIGIT) || byte == '_';
}

/* A row has ended: it is a phrase if it was long enough. */
static int end_row(Phrases *row, const uint8_t *text, Py_ssize_t size)
{
    static const char NAME[] = "<seed phrase>";
    int words = row->words;
    row->words = 0;
    if (words < SEED_WORDS)
        return 1;
    if (row->out == NULL && (row->out = PyMem_Malloc((size_t)size)) == NULL)
        return 0;
    memcpy(row->out + row->used, text + row->done, (size_t)(row->first - row->done));
    row->used += row->first - row->done;
    memcpy(row->out + row->used, NAME, sizeof NAME - 1);
    row->used += sizeof NAME - 1;
    row->done = row->last;
    return 1;
}

/* `_find_runs` in seed_phrases.py, of the whole text; whether there was memory for it. */
static int find_phrases(const TextRules *rules, Phrases *row, const uint8_t *text, Py_ssize_t size)
{
    int length = 0, joined = 0;
    uint64_t word = 0;
    for (Py_ssize_t i = 0; i <= size; i++) {
        uint8_t flags = i < size ? rules->flags[text[i]] : 0;
        if (flags & LOWER) {
            word = word << 8 | text[i];
            length += length <= LONGEST_WORD;
            continue;
        }
        int joins = i < size && joins_word(rules, text[i]);
        if (length) {
            int fits = !joined && !joins && length >= SHORTEST_WORD && length <= LONGEST_WORD
                       && !rules->prose[find_slot(rules, word)];
            if (!fits && !end_row(row, text, size))
                return 0;
            row->first = fits && !row->words ? i - length : row->first;
            row->last = fits ? i : row->last;
            row->words += fits;
        }
        if (!(flags & GAP) && !end_row(row, text, size))
            return 0;
        joined = joins;
        length = 0;
        word = 0;
    }
    return 1;
}

/* The rule of seed phrases, for a text that no other rule can change. */
static PyObject *hide_phrases(const TextRules *rules, PyObject *text, const uint8_t *bytes,
                              Py_ssize_t size)
{
    Phrases row = {0};
    PyObject *shown = NULL;
    if (size < SHORTEST_SEED)
        return Py_NewRef(text);
    if (find_phrases(rules, &row, bytes, size)) {
        if (row.out == NULL)
            return Py_NewRef(text);
        memcpy(row.out + row.used, bytes + row.done, (size_t)(size - row.done));
        shown = PyUnicode_FromStringAndSize(row.out, row.used + size - row.done);
    }
    PyMem_Free(row.out);
    return shown;
}

static PyObject *scrub_bytes(const TextRules *rules, PyObject *text, const uint8_t *bytes,
                             Py_ssize_t size)
{
    if (is_clean(rules, bytes, size))
        return hide_phrases(rules, text, bytes, size);
    return size && bytes[0] == 'h' ? scrub_link(rules, text, bytes, size) : NULL;
}

/* The bytes of a long text are not kept in it, as Python would do with those of a short one. */
static PyObject *scrub_copy(const TextRules *rules, PyObject *text)
{
    char *bytes;
    Py_ssize_t size;
    PyObject *copy = PyUnicode_AsUTF8String(text);
    if (copy == NULL)
        return NULL;
    PyObject *shown = NULL;
    if (PyBytes_AsStringAndSize(copy, &bytes, &size) == 0)
        shown = scrub_bytes(rules, text, (const uint8_t *)bytes, size);
    Py_DECREF(copy);
    return shown;
}

PyObject *scrub_clean(Compiled *self, PyObject *text)
{
    PyObject *shown = NULL;
    if (PyUnicode_CheckExact(text)) {
        if (PyUnicode_GetLength(text) > SHORT) {
            shown = scrub_copy(&self->rules, text);
        } else {
            Py_ssize_t size;
            const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
            if (bytes != NULL)
                shown = scrub_bytes(&self->rules, text, (const uint8_t *)bytes, size);
        }
    }
    if (shown == NULL)
        PyErr_Clear();
    return shown;
}

/* scrub(pure, text): `pure` is called for a text that is not clean. */
PyObject *scrub(Compiled *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "scrub takes its pure form and a text");
        return NULL;
    }
    PyObject *shown = scrub_clean(self, args[1]);
    return shown != NULL ? shown : PyObject_CallFunctionObjArgs(args[0], args[1], NULL);
}
