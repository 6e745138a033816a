/* fuzz/grammar.h - bytes as decisions: what a fuzzer changes is which branch a grammar takes, so
 * that what comes out is always well written and goes deep.
 *
 * When the bytes are used up every decision is 0, which each grammar makes the short way out. */
#ifndef HAFT_TESTS_GRAMMAR_H
#define HAFT_TESTS_GRAMMAR_H

#include <haft/base.h>
#include <stdint.h>

struct choices {
    const uint8_t *data;
    size_t size, at;
};

/* One of n. */
static inline unsigned choose(struct choices *choices, unsigned n)
{
    return choices->at < choices->size ? choices->data[choices->at++] % n : 0;
}

#define CHOOSE(choices, table) ((table)[choose(choices, sizeof(table) / sizeof *(table))])

/* A JSON value; `depth` is how far it may nest. */
static inline void put_value(struct choices *choices, haft_buffer *out, const char *const *words,
                             unsigned n_words, int depth)
{
    static const char *const scalars[] = {
        "null",  "true", "false", "0",   "1",           "-1",    "7",       "1.5", "-0.0",
        "100",   "101",  "1e3",   "3.0", "\"\"",        "\"a\"", "\"red\"", "[]",  "\"abcdef\"",
        "\"5\"", "{}",   "1e-7",  "99",  "\"\\u00e9\"", "2",     "50",      "-100"};
    unsigned how = choose(choices, depth > 0 ? 8 : 4);

    if (how < 4) {
        haft_buffer_puts(out, CHOOSE(choices, scalars));
    } else if (how < 6) {
        unsigned n = choose(choices, 4);

        haft_buffer_puts(out, "[");
        for (unsigned i = 0; i < n; i++) {
            haft_buffer_puts(out, i ? "," : "");
            put_value(choices, out, words, n_words, depth - 1);
        }
        haft_buffer_puts(out, "]");
    } else {
        unsigned n = choose(choices, 5), first = choose(choices, n_words);

        haft_buffer_puts(out, "{");
        for (unsigned i = 0; i < n && i < n_words; i++) {
            haft_buffer_printf(out, "%s\"%s\":", i ? "," : "", words[(first + i) % n_words]);
            put_value(choices, out, words, n_words, depth - 1);
        }
        haft_buffer_puts(out, "}");
    }
}

#endif
