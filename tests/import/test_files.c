/* test_files.c - whole documents: a server accepts every tool, and its lint refuses none. */
#include <haft/server.h>
#include <haft/tool.h>
#include <stdio.h>
#include <string.h>

#include "config/file.h"
#include "import/import.h"
#include "support/test.h"

enum { FILES_MEMORY = 256 << 20 };

/* A document that is served. */
struct files_document {
    haft_arena *arena;
    struct import *import;
    haft_server *server;
    haft_tool *tools;
    haft_schema **schemas; /* two for each tool */
    size_t n_descriptions; /* warnings for want of a description, which is the document's affair */
};

static int files_call(haft_call *call, const void *in, void *out)
{
    (void)call;
    (void)in;
    (void)out;
    return 0;
}

/* Of the lint's warnings, documents may cause only those about what they do not say. */
static void files_log(void *context, haft_level level, const char *text, size_t size)
{
    struct files_document *document = context;

    if (strstr(text, "no description") || strstr(text, "items without a type"))
        document->n_descriptions++;
    else if (level >= HAFT_WARNING)
        fail_msg("%.*s", (int)size, text);
}

static void files_open(struct files_document *document, const char *path)
{
    haft_reason reason = {0};
    haft_value *value;
    haft_buffer text;

    *document = (struct files_document){.arena = haft_arena_new(NULL, FILES_MEMORY)};
    haft_buffer_init(&text, NULL, IMPORT_DOCUMENT_MAX);
    assert_int_equal(hf_file_read(path, &text), 0);
    value = hf_import_read(text.data, text.size, path, document->arena, &reason);
    haft_buffer_finish(&text);
    if (!value || hf_import_document(value, &(struct import_options){.prefix = "api"},
                                     &document->import, &reason))
        fail_msg("%s: %s", path, reason.text);
    document->server = haft_server_new_with(
        "files", "1", HAFT_WITH(haft_server_options, .log = files_log, .log_context = document));
    assert_non_null(document->server);
}

static haft_schema *files_compile(struct files_document *document, size_t i, const char *text,
                                  size_t size)
{
    haft_reason reason = {0};

    if (text && hf_import_compile(text, size, NULL, &document->schemas[i], &reason))
        fail_msg("%s: %s: %s", text, reason.path, reason.text);
    return document->schemas[i];
}

static void files_serve(struct files_document *document)
{
    size_t n = document->import->n_operations;

    document->tools = haft_arena_zalloc(document->arena, n, sizeof *document->tools);
    document->schemas = haft_arena_zalloc(document->arena, 2 * n, sizeof(haft_schema *));
    for (size_t i = 0; i < n; i++) {
        const struct import_operation *one = &document->import->operations[i];

        document->tools[i] = (haft_tool)HAFT_INIT(
            haft_tool, .name = one->name, .title = one->title, .description = one->description,
            .annotations = one->annotations, .call = files_call);
        document->tools[i].input_schema =
            files_compile(document, 2 * i, one->input, one->input_size);
        document->tools[i].output_schema =
            files_compile(document, 2 * i + 1, one->output, one->output_size);
        assert_int_equal(haft_add(document->server, &document->tools[i]), 0);
    }
}

static void files_close(struct files_document *document)
{
    haft_server_free(document->server);
    for (size_t i = 0; i < 2 * document->import->n_operations; i++)
        haft_schema_free(document->schemas[i]);
    hf_import_free(document->import);
    haft_arena_free(document->arena);
}

static void servers_accept_every_tool(void **state)
{
    static const struct {
        const char *path;
        size_t operations;
    } rows[] = {
        {"tests/import/documents/petstore.json", 19},
        {"tests/import/documents/github-sample.json", 26},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct files_document document;

        files_open(&document, rows[i].path);
        assert_int_equal(document.import->n_found, rows[i].operations);
        assert_int_equal(document.import->n_operations, rows[i].operations);
        files_serve(&document);
        files_close(&document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_accept_every_tool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
