/* document.c - compiles a JSON Schema document: the sequence of steps.
 *
 * The data of the passes (document.h) lives in a separate arena that is freed at the end; parsed
 * values remain, because the nodes point to them. */
#include "schema/document/document.h"

#include <string.h>

#include "json/json.h"
#include "schema/text/uri.h"
#include "schema/walk/finish.h"
#include "base/struct.h"

enum { DOCUMENT_SCRATCH_LIMIT = 64 << 20 };

static int add_documents(struct document *doc)
{
    for (size_t i = 0; i < doc->options->n_documents; i++) {
        const haft_document *given = &doc->options->documents[i];
        const char *uri = hf_uri_resolve(doc->scratch, "", given->uri, strlen(given->uri));

        if (!uri || !hf_source_add(doc, uri, given->json, given->size))
            return hf_document_no_memory(doc);
    }
    return 0;
}

/* ---- the whole ---- */

/* Every schema of the document becomes a node, even if nothing refers to it, so that its errors are
 * reported. */
static int compile_main(struct document *doc, const struct location *end)
{
    for (struct location *at = doc->first; at; at = at->next) {
        if (!hf_location_node(doc, at))
            return doc->error->code;
        if (at == end)
            break;
    }
    return hf_compile_waiting(doc);
}

static int document_build(struct document *doc, struct node **ret_root)
{
    static const char standard[] = "https://json-schema.org/draft/2020-12/schema";
    const char *dialect = doc->options->dialect ? doc->options->dialect : standard;
    struct source *source =
        hf_source_add(doc, "", doc->schema->document, doc->schema->document_size);
    int status = source ? add_documents(doc) : hf_document_no_memory(doc);

    if (!status)
        status = hf_dialect_find(doc, NULL, dialect, strlen(dialect), &doc->dialect);
    if (!status)
        status = hf_scan_source(doc, source);
    if (!status)
        status = compile_main(doc, doc->last);
    if (!status)
        status = hf_check_cycles(doc);
    if (status)
        return status;
    doc->schema->draft = source->base->dialect->number;
    *ret_root = source->base->root->node;
    return 0;
}

static int parse(haft_schema *schema, const haft_schema_options *options, struct node **ret_root,
                 haft_reason *error)
{
    struct document doc = {.schema = schema, .options = options, .error = error};
    int status;

    doc.scratch = haft_arena_new(options->allocator, options->max_memory ? options->max_memory
                                                                         : DOCUMENT_SCRATCH_LIMIT);
    status = doc.scratch ? document_build(&doc, ret_root) : hf_document_no_memory(&doc);
    haft_arena_free(doc.scratch);
    return status;
}

int haft_schema_parse(const char *json, size_t size, const haft_schema_options *options,
                      haft_schema **ret_schema, haft_reason *reterr_error)
{
    haft_schema_options own;
    haft_schema *schema;
    struct node *root = NULL;
    haft_reason error = {0};
    int status;

    if (!hf_struct_read(&own, sizeof own, options))
        return hf_error_set(reterr_error, HAFT_EINVAL, "haft_schema_options", STRUCT_UNSIZED);
    schema = hf_schema_new(&own);
    if (schema)
        schema->document = haft_arena_copy(schema->arena, json, size);
    if (!schema || !schema->document) {
        haft_schema_free(schema);
        return hf_error_set(reterr_error, HAFT_ENOMEM, NULL, "%s", haft_strerror(HAFT_ENOMEM));
    }
    schema->document_size = size;
    status = parse(schema, &own, &root, &error);
    if (status)
        haft_schema_free(schema);
    else
        status = hf_schema_finish(schema, root, &error);
    if (!status)
        *ret_schema = schema;
    else if (reterr_error)
        *reterr_error = error;
    return status;
}

int haft_schema_parse_json(haft_value *json, const haft_schema_options *options,
                           haft_schema **ret_schema, haft_reason *reterr_error)
{
    haft_schema_options own;
    haft_buffer text;
    int status;

    if (!hf_struct_read(&own, sizeof own, options))
        return hf_error_set(reterr_error, HAFT_EINVAL, "haft_schema_options", STRUCT_UNSIZED);
    haft_buffer_init(&text, own.allocator,
                     own.max_memory ? own.max_memory : DOCUMENT_SCRATCH_LIMIT);
    haft_json_write(json, &text);
    status = text.status;
    if (status)
        hf_error_set(reterr_error, status, NULL, "%s", haft_strerror(status));
    else
        status = haft_schema_parse(text.data, text.size, &own, ret_schema, reterr_error);
    haft_buffer_finish(&text);
    return status;
}
