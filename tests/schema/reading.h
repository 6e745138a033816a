/* reading.h - a compiled type with what its readings need, and what came of one as text. */
#ifndef HAFT_TESTS_READING_H
#define HAFT_TESTS_READING_H

#include <haft/schema.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

struct reading {
    haft_schema *schema;
    haft_arena *arena;
    haft_buffer text;
    haft_issues issues;
    int status;
    _Alignas(16) char value[2048]; /* of the declared type */
};

static inline void reading_open(struct reading *r, const haft_type *type,
                                const haft_schema_options *options)
{
    haft_reason error = {0};

    memset(r, 0, sizeof *r);
    if (haft_schema_compile(type, options, &r->schema, &error))
        fail_msg("%s: %s", error.path, error.text);
    r->arena = haft_arena_new(NULL, 64 << 20);
    assert_non_null(r->arena);
    haft_buffer_init(&r->text, NULL, 1 << 20);
}

static inline void reading_close(struct reading *r)
{
    haft_schema_free(r->schema);
    haft_arena_free(r->arena);
    haft_buffer_finish(&r->text);
}

/* The text so far, with a NUL. */
static inline const char *reading_text(struct reading *r)
{
    haft_buffer_add(&r->text, "", 1);
    assert_int_equal(r->text.status, 0);
    r->text.size--;
    return r->text.data;
}

/* "!" and the issues; before them the status, when it is not that of issues. */
static inline const char *issues_text(struct reading *r)
{
    haft_buffer_clear(&r->text);
    haft_buffer_puts(&r->text, "!");
    if (r->status != HAFT_EISSUES)
        haft_buffer_printf(&r->text, "%s: ", haft_strerror(r->status));
    haft_issues_text(&r->issues, &r->text);
    return reading_text(r);
}

static inline const char *encoded(struct reading *r, const void *value)
{
    haft_buffer_clear(&r->text);
    r->status = haft_schema_encode(r->schema, value, r->arena, &r->text, &r->issues);
    return r->status ? issues_text(r) : reading_text(r);
}

/* Decodes and says what came of it: what is encoded again, or the issues.  Validation must
 * agree. */
static inline const char *decoded(struct reading *r, const char *json, size_t size)
{
    int status;

    haft_arena_reset(r->arena);
    status = haft_schema_validate_text(r->schema, json, size, r->arena, &r->issues);
    haft_arena_reset(r->arena);
    r->status = haft_schema_decode_text(r->schema, json, size, r->arena, r->value, &r->issues);
    assert_int_equal(r->status, status);
    return r->status ? issues_text(r) : encoded(r, r->value);
}

struct reading_row {
    const haft_type *type;
    const char *json;
    const char *expected; /* NULL: the JSON comes back as it was */
};

/* Prints every row that differs, then fails if one did. */
static inline void check_rows(const struct reading_row *rows, size_t n)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        const char *expected = rows[i].expected ? rows[i].expected : rows[i].json, *found;
        struct reading r;

        reading_open(&r, rows[i].type, NULL);
        found = decoded(&r, rows[i].json, strlen(rows[i].json));
        if (strcmp(found, expected)) {
            print_message("%s\n  expected %s\n  found    %s\n", rows[i].json, expected, found);
            wrong++;
        }
        reading_close(&r);
    }
    assert_int_equal(wrong, 0);
}

#endif
