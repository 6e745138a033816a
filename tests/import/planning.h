/* import/planning.h - operations of small documents, and their requests as text.
 *
 * A document is written as its version and the members of one operation, with ' for ". */
#ifndef HAFT_TESTS_IMPORT_PLANNING_H
#define HAFT_TESTS_IMPORT_PLANNING_H

#include <stdio.h>

#include "import/import.h"
#include "import/reading.h"

enum { PLANNING_ARENA = 1 << 26 };

struct planning {
    haft_arena *arena;
    struct import *import;
    struct import_options options;
};

static inline void planning_init(struct planning *planning)
{
    *planning = (struct planning){.arena = haft_arena_new(NULL, PLANNING_ARENA)};
    assert_non_null(planning->arena);
}

static inline void planning_finish(struct planning *planning)
{
    hf_import_free(planning->import);
    haft_arena_free(planning->arena);
}

/* Imports a document; its only operation, or NULL if it was refused. */
static inline const struct import_operation *planning_read(struct planning *planning,
                                                           const char *document)
{
    haft_reason reason = {0};
    int status = hf_import_document(reading_value(planning->arena, document), &planning->options,
                                    &planning->import, &reason);

    if (status)
        fail_msg("%s: %s", document, reason.text);
    assert_int_equal(planning->import->n_operations + planning->import->n_refusals, 1);
    return planning->import->n_operations ? planning->import->operations : NULL;
}

/* The same for "VERSION METHOD PATH" and the members of the operation; `more` are members of the document. */
static inline const struct import_operation *planning_make(struct planning *planning,
                                                           const char *head, const char *members,
                                                           const char *more)
{
    char version[8], method[8], path[128], *document;
    bool old = !strncmp(head, "2", 1);

    assert_int_equal(sscanf(head, "%7s %7s %127s", version, method, path), 3);
    document = haft_arena_printf(
        planning->arena,
        "{'%s':'%s','info':{'title':'t','version':'1'},'paths':{'%s':{'%s':{%s}}}%s%s}",
        old ? "swagger" : "openapi", version, path, method, members, *more ? "," : "", more);
    assert_non_null(document);
    return planning_read(planning, document);
}

/* A request as it would be sent, without Accept and with boundaries replaced by B; NULL with the reason. */
static inline const char *planning_request(struct planning *planning,
                                           const struct import_operation *operation,
                                           const char *arguments, haft_reason *reason)
{
    struct import_request request = {0};
    haft_buffer out;
    const char *text, *type = NULL;

    *reason = (haft_reason){0};
    if (hf_import_request(operation, reading_value(planning->arena, arguments), planning->arena,
                          &request, reason))
        return NULL;
    haft_buffer_init(&out, NULL, 1 << 20);
    haft_buffer_printf(&out, "%s %s", request.method, request.target);
    for (size_t i = 0; i < request.n_headers; i++) {
        const char *value = request.headers[i].value, *boundary = strstr(value, "boundary=");

        if (!strcmp(request.headers[i].name, "Accept"))
            continue;
        if (boundary)
            type = boundary + strlen("boundary=");
        haft_buffer_printf(&out, "\n%s: %.*s", request.headers[i].name,
                           boundary ? (int)(boundary - value) + 9 : (int)strlen(value), value);
    }
    if (request.body)
        haft_buffer_printf(&out, "\n\n");
    for (size_t i = 0; i < request.body_size; i++) {
        if (type && !strncmp(request.body + i, type, strlen(type))) {
            haft_buffer_puts(&out, "B");
            i += strlen(type) - 1;
        } else {
            haft_buffer_add(&out, request.body + i, 1);
        }
    }
    assert_int_equal(out.status, 0);
    text = haft_arena_copy(planning->arena, out.data, out.size);
    haft_buffer_finish(&out);
    return text;
}

/* One request: members of the operation, arguments, and what is sent or, beginning with "!", why not. */
struct planning_row {
    const char *head, *members, *more, *arguments, *expected;
};

static inline void planning_check(const struct planning_row *row)
{
    struct planning planning;
    const struct import_operation *operation;
    const char *text, *expected;
    haft_reason reason = {0};

    planning_init(&planning);
    operation = planning_make(&planning, row->head, row->members, row->more ? row->more : "");
    if (!operation)
        fail_msg("%s: %s", row->members, planning.import->refusals[0].reason);
    expected = row->expected;
    text = planning_request(&planning, operation, row->arguments, &reason);
    if (!text)
        text = haft_arena_printf(planning.arena, "!%s: %s", reason.path, reason.text);
    if (strcmp(text, expected))
        fail_msg("%s\n%s\nwith %s\nis       %s\nexpected %s", row->head, row->members,
                 row->arguments, text, expected);
    planning_finish(&planning);
}

#endif
