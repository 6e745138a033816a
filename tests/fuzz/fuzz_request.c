/* fuzz_request.c - any operation and any arguments: a request, if there is one, stays below its base path, and its
 * headers are one line each.
 *
 * The bytes are decisions of a grammar of documents and arguments (grammar.h), so that what comes out is a document
 * with operations. */
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "fuzz/grammar.h"
#include "import/import.h"
#include "protocol/header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_TEXT = 1 << 16, FUZZ_ARENA = 1 << 24 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static const char *const words[] = {"a",  "b",   "id",   "body", "data", "name",    "type",
                                    "..", "X-A", "a[b]", "$q",   "R",    "f\\r\\nX"};
enum { N_WORDS = sizeof words / sizeof *words };

/* ---- documents ---- */

static void put_schema(struct choices *choices, haft_buffer *out, int depth)
{
    static const char *const schemas[] = {
        "{}",
        "{\"type\":\"string\"}",
        "{\"type\":\"string\",\"format\":\"binary\"}",
        "{\"type\":\"integer\",\"default\":7}",
        "{\"$ref\":\"#/components/schemas/s\"}",
        "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"binary\"}}",
        "{\"type\":\"file\"}",
        "{\"$ref\":\"#/nowhere\"}",
        "true",
        "[]"};

    if (depth < 1 || choose(choices, 3)) {
        haft_buffer_puts(out, CHOOSE(choices, schemas));
        return;
    }
    haft_buffer_puts(out, "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{");
    for (unsigned i = 0, n = choose(choices, 4); i < n; i++) {
        haft_buffer_printf(out, "%s\"%s\":", i ? "," : "",
                           words[(choose(choices, 4) * 4 + i) % N_WORDS]);
        put_schema(choices, out, depth - 1);
    }
    haft_buffer_puts(out, "}}");
}

static void put_parameter(struct choices *choices, haft_buffer *out)
{
    static const char *const places[] = {"path", "query", "header", "cookie", "formData", "body"};
    static const char *const styles[] = {"simple",         "label",         "matrix",     "form",
                                         "spaceDelimited", "pipeDelimited", "deepObject", "none"};
    static const char *const formats[] = {"csv", "ssv", "tsv", "pipes", "multi"};
    bool content;

    haft_buffer_printf(out, "{\"name\":\"%s\",\"in\":\"%s\"", CHOOSE(choices, words),
                       CHOOSE(choices, places));
    haft_buffer_printf(out, ",\"style\":\"%s\",\"explode\":%s", CHOOSE(choices, styles),
                       choose(choices, 2) ? "true" : "false");
    haft_buffer_printf(out, ",\"collectionFormat\":\"%s\",\"allowReserved\":%s",
                       CHOOSE(choices, formats), choose(choices, 2) ? "true" : "false");
    content = !choose(choices, 4);
    haft_buffer_puts(out, content ? ",\"content\":{\"a/b\":{\"schema\":" : ",\"schema\":");
    put_schema(choices, out, 1);
    haft_buffer_puts(out, content ? "}}}" : "}");
}

static void put_path(struct choices *choices, haft_buffer *out)
{
    static const char *const pieces[] = {"/",    "/x", "{a}",  "{id}", ".",      "{b}", "%2e",
                                         "?q=1", "#f", "\\\\", "{..}", "\u00e9", "{"};

    haft_buffer_puts(out, "/");
    for (unsigned i = 0, n = choose(choices, 8); i < n; i++)
        haft_buffer_puts(out, CHOOSE(choices, pieces));
}

static void put_body(struct choices *choices, haft_buffer *out)
{
    static const char *const types[] = {
        "application/json", "application/x-www-form-urlencoded", "multipart/form-data",
        "text/plain",       "application/octet-stream",          "*/*",
        "a/b\\r\\nX: y"};

    haft_buffer_printf(out, ",\"requestBody\":{\"required\":%s,\"content\":{\"%s\":{\"schema\":",
                       choose(choices, 2) ? "true" : "false", CHOOSE(choices, types));
    put_schema(choices, out, 2);
    haft_buffer_puts(out, ",\"encoding\":{\"a\":{\"style\":\"deepObject\"},\"b\":{\"contentType\":"
                          "\"text/a\\r\\nX: y\"}}}}}");
}

static void put_document(struct choices *choices, haft_buffer *out)
{
    bool old = choose(choices, 4) == 3;

    haft_buffer_printf(out,
                       "{\"%s\":\"%s\",\"info\":{\"title\":\"t\",\"version\":\"1\"},\"paths\":{\"",
                       old ? "swagger" : "openapi", old ? "2.0" : "3.0.3");
    put_path(choices, out);
    haft_buffer_puts(out, "\":{\"post\":{\"parameters\":[");
    for (unsigned i = 0, n = choose(choices, 5); i < n; i++) {
        haft_buffer_puts(out, i ? "," : "");
        put_parameter(choices, out);
    }
    haft_buffer_puts(out, "]");
    if (choose(choices, 2))
        put_body(choices, out);
    haft_buffer_puts(out,
                     ",\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":");
    put_schema(choices, out, 1);
    haft_buffer_puts(out, "}}}}}}},\"components\":{\"schemas\":{\"s\":");
    put_schema(choices, out, 2);
    haft_buffer_puts(out, "}}}");
}

/* ---- arguments ---- */

static void put_argument(struct choices *choices, haft_buffer *out, int depth)
{
    static const char *const values[] = {
        "\"..\"",
        "\".\"",
        "\"\"",
        "\"a/../b\"",
        "\"%2e%2e\"",
        "\"a\\r\\nX: y\"",
        "\"\\\\..\"",
        "\"aGk=\"",
        "null",
        "7",
        "\"?#&=\"",
        "\"\\u0000\"",
        "\"\\u00e9\"",
        "[]",
        "{\"data\":\"aGk=\",\"name\":\"a\\r\\nb\",\"type\":\"c\\nd\"}",
        "{\"data\":\"aGk=\",\"name\":\"a\\\"b\"}",
        "\"data:a/b;base64,aGk=\"",
        "[\"aGk=\"]"};

    if (choose(choices, 3))
        haft_buffer_puts(out, CHOOSE(choices, values));
    else
        put_value(choices, out, words, N_WORDS, depth);
}

static void put_arguments(struct choices *choices, haft_buffer *out)
{
    static const char *const names[] = {"a",       "b",        "id",        "body", "X-A",
                                        "a__path", "a__query", "a__header", "name", "a_b",
                                        "q",       "data",     "b__cookie"};

    haft_buffer_puts(out, "{");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!choose(choices, 3))
            continue;
        haft_buffer_printf(out, "%s\"%s\":", out->data[out->size - 1] == '{' ? "" : ",", names[i]);
        put_argument(choices, out, 2);
    }
    haft_buffer_puts(out, "}");
}

/* ---- checks ---- */

/* No segment means another folder, for a server that decodes as well as for one that does not, and there is no authority
 * in front. */
static void check_target(const char *target)
{
    char *copy = malloc(strlen(target) + 1);
    const char *at = target;

    require(copy);
    memcpy(copy, target, strlen(target) + 1);
    require(target[0] == '/' && target[1] != '/' && !strpbrk(target, "\\# \t\r\n{}\"<>"));
    for (; *at; at++)
        require((unsigned char)*at > 0x20 && (unsigned char)*at < 0x7F);
    copy[strcspn(copy, "?")] = '\0';
    for (char *segment = copy; segment;) {
        char *end = strchr(segment, '/');
        size_t size;

        if (end)
            *end++ = '\0';
        size = hf_percent_decode_bytes(segment, strlen(segment), false, segment);
        require(size != PERCENT_INVALID);
        require(!(size == 1 && segment[0] == '.') && !(size == 2 && !memcmp(segment, "..", 2)));
        segment = end;
    }
    free(copy);
}

static void check_request(const struct import_request *request)
{
    check_target(request->target);
    for (size_t i = 0; i < request->n_headers; i++) {
        const haft_header *header = &request->headers[i];

        require(hf_header_name_is_valid(header->name));
        require(hf_header_value_is_valid(header->value, strlen(header->value)));
        require(!hf_text_same_ignoring_case(header->name, "Host") &&
                !hf_text_same_ignoring_case(header->name, "Content-Length") &&
                !hf_text_same_ignoring_case(header->name, "Transfer-Encoding"));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size, 0};
    haft_arena *arena = haft_arena_new(NULL, FUZZ_ARENA);
    haft_buffer document, arguments;
    struct import *import = NULL;
    haft_value *root, *given;
    haft_reason reason;

    require(arena);
    haft_buffer_init(&document, NULL, FUZZ_TEXT);
    haft_buffer_init(&arguments, NULL, FUZZ_TEXT);
    put_document(&choices, &document);
    put_arguments(&choices, &arguments);
    root = document.status ? NULL : haft_json_read(document.data, document.size, 64, arena, NULL);
    given =
        arguments.status ? NULL : haft_json_read(arguments.data, arguments.size, 64, arena, NULL);
    if (root && given && !hf_import_document(root, &(struct import_options){0}, &import, &reason)) {
        for (size_t i = 0; i < import->n_operations; i++) {
            struct import_request request;

            if (!hf_import_request(&import->operations[i], given, arena, &request, &reason))
                check_request(&request);
            else
                require(reason.code == HAFT_EINVAL || reason.code == HAFT_ENOMEM);
        }
        hf_import_free(import);
    }
    haft_buffer_finish(&document);
    haft_buffer_finish(&arguments);
    haft_arena_free(arena);
    return 0;
}
