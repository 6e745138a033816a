/* numbers.h - whether a number is accepted, by a schema or by a declared type. */
#ifndef HAFT_TESTS_NUMBERS_H
#define HAFT_TESTS_NUMBERS_H

#include <haft/declare.h>
#include <haft/schema.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

HAFT_STRUCT(real, HAFT_NUMBER(n, "A number"));
HAFT_STRUCT(whole, HAFT_INTEGER(n, "An integer"));

static inline haft_schema *parse(const char *document)
{
    haft_reason error = {0};
    haft_schema *schema = NULL;

    if (haft_schema_parse(document, strlen(document), NULL, &schema, &error))
        fail_msg("%s: %s", document, error.text);
    return schema;
}

/* Whether the value is accepted; the schema is freed. */
static inline bool accepts(haft_schema *schema, const char *json)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_issues issues = {0};
    int status = haft_schema_validate_text(schema, json, strlen(json), arena, &issues);

    if (status && status != HAFT_EISSUES)
        fail_msg("%s: %s", json, haft_strerror(status));
    haft_arena_free(arena);
    haft_schema_free(schema);
    return !status;
}

/* Read from text, validated, and written again when it was accepted. */
static inline bool by_type(const haft_type *type, const char *value)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};
    haft_buffer text;
    char json[128];
    union {
        real real;
        whole whole;
    } read;
    int validated, decoded;

    snprintf(json, sizeof json, "{\"n\":%s}", value);
    assert_int_equal(haft_schema_compile(type, NULL, &schema, NULL), 0);
    validated = haft_schema_validate_text(schema, json, strlen(json), arena, &issues);
    decoded = haft_schema_decode_text(schema, json, strlen(json), arena, &read, &issues);
    assert_int_equal(validated, decoded);
    haft_buffer_init(&text, NULL, 1 << 10);
    if (!decoded)
        assert_int_equal(haft_schema_encode(schema, &read, arena, &text, &issues), 0);
    haft_buffer_finish(&text);
    haft_schema_free(schema);
    haft_arena_free(arena);
    return !decoded;
}

#endif
