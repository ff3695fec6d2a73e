/* The compiled form of redaction's walk, and of what else every call comes through. Pure Python says
 * what is right, packages/mulligan/src/mulligan: each part here names what it is equal to, and leaves to that what is
 * not common. */

#ifndef MULLIGAN_FAST_CORE_H
#define MULLIGAN_FAST_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

/* As in walk.py, lean.py and stub.py. */
#define BIG 100000000
#define SHORT 1024
#define UUID_LENGTH 36
#define FIELD_BYTES 65536
#define WALK_DEPTH 32
#define LEAN_DEPTH 4
#define LEAN_MOST 32
#define ENTRY 24
#define ITEM 8

/* hash.c: BLAKE2s with a key and a digest of six bytes. */

#define HEX_DIGITS 12
#define LONGEST_KEY 32

typedef struct {
    uint32_t fresh[8];     /* before the key was mixed in */
    uint32_t keyed[8];     /* after it */
    uint8_t key_block[64];
} Hasher;

void init_hasher(Hasher *hasher, const uint8_t *key, size_t length);
void hash_bytes(const Hasher *hasher, const uint8_t *bytes, size_t length, char *hex);

/* text.c: whether a text is clean, which most are, but for seed phrases. */

#define MOST_LITERALS 96
#define LONGEST_LITERAL 24
#define PROSE_SLOTS 512

typedef struct {
    char text[LONGEST_LITERAL];
    uint8_t length;
    uint8_t mark;
    uint8_t next;          /* the number of another one of the same sum; 0: there is none */
} Literal;

typedef struct {
    uint8_t flags[256];    /* of each byte */
    uint8_t starts[256];   /* the number of a literal whose first two bytes have this sum */
    Literal literals[MOST_LITERALS + 1];
    int literal_count;
    uint64_t prose[PROSE_SLOTS];
} TextRules;

int init_text_rules(TextRules *rules, PyObject *tables);

/* module.c: names that are looked up at every walk, and the object that a redactor has. */

typedef struct {
    PyObject *room;
    PyObject *items;
    PyObject *full;
    PyObject *value;
    PyObject *Value;
    PyObject *pure_scrub;  /* forms that are the walk's own */
    PyObject *scrub_id;
    PyObject *hide_beside;
    PyObject *hide_after;
} Names;

extern Names NAMES;

typedef struct {
    PyObject_HEAD
    Hasher hasher;
    TextRules rules;
    PyObject *open;        /* names that are shown as they are, and hide nothing */
    PyObject *ids;         /* those of them whose values are ids */
    PyObject *hash_short;  /* the pure forms, for all that is not common */
    PyObject *redact_value;
    PyObject *add_entry;
} Compiled;

/* Each gives a new reference, or NULL with an error set. */
PyObject *hash_short(Compiled *self, PyObject *text);
PyObject *scrub(Compiled *self, PyObject *const *args, Py_ssize_t count);
PyObject *write_lean(Compiled *self, PyObject *value);
PyObject *redact(Compiled *self, PyObject *const *args, Py_ssize_t count);

/* queue.c and site.c: a type each. 0 with an error set if it cannot be there. */

int add_queue(PyObject *module);
int add_site(PyObject *module);

/* text.c: a text that no rule can change, as it is shown; NULL without an error where one may. */
PyObject *scrub_clean(Compiled *self, PyObject *text);

int write_stub(const Compiled *self, PyObject *text, Py_ssize_t size, char *out);

#define LONGEST_STUB 32

#endif
