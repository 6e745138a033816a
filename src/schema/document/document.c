/* document.c - a JSON Schema document as a compiled schema: sources, errors and the order of
 * things.
 *
 * What the passes need (document.h) lives in an arena of its own and is gone at the end; the
 * values that were read stay, for the nodes point into them. */
#include "schema/document/document.h"

#include <string.h>

#include "json/json.h"
#include "schema/text/uri.h"
#include "schema/walk/finish.h"

enum { SCRATCH_LIMIT = 64 << 20 };

/* ---- errors ---- */

int document_no_memory(struct document *doc)
{
    return error_set(doc->error, HAFT_ENOMEM, NULL, "%s", haft_strerror(HAFT_ENOMEM));
}

static void put_before(char *text, size_t *at, const char *piece)
{
    size_t size = strlen(piece);

    *at -= size;
    memcpy(text + *at, piece, size);
}

const char *location_path(struct document *doc, const struct location *where, const char *keyword)
{
    const struct source *source = where ? where->base->source : NULL;
    size_t size = keyword ? strlen(keyword) + 1 : 0;
    char *text;

    if (!where || (!where->parent && !keyword && !source->uri[0]))
        return "";
    for (const struct location *at = where; at; at = at->parent)
        size += strlen(at->step);
    size += strlen(source->uri) + 1;
    text = haft_arena_alloc(doc->scratch, size + 1);
    if (!text)
        return "";
    text[size] = '\0';
    if (keyword) {
        put_before(text, &size, keyword);
        put_before(text, &size, "/");
    }
    for (const struct location *at = where; at; at = at->parent)
        put_before(text, &size, at->step);
    put_before(text, &size, "#");
    put_before(text, &size, source->uri);
    return text;
}

int document_fail(struct document *doc, const struct location *where, const char *keyword, int code,
                  const char *format, ...)
{
    va_list args;

    va_start(args, format);
    error_vset(doc->error, code, location_path(doc, where, keyword), format, args);
    va_end(args);
    return code;
}

/* ---- sources ---- */

static struct source *add_source(struct document *doc, const char *uri, const char *text,
                                 size_t size)
{
    struct source *source = haft_arena_zalloc(doc->scratch, 1, sizeof *source), **end;

    if (!source)
        return NULL;
    source->uri = uri;
    source->text = text;
    source->size = size;
    for (end = &doc->sources; *end; end = &(*end)->next)
        ;
    *end = source;
    return source;
}

static int add_metaschema(struct document *doc, const char *uri, struct source **ret_source)
{
    const char *text = metaschema_named(uri);
    char *copy;

    *ret_source = NULL;
    if (!text)
        return 0;
    copy = haft_arena_copy(doc->scratch, text, strlen(text));
    for (char *at = copy; at && *at; at++)
        *at = *at == '\'' ? '"' : *at;
    *ret_source = copy ? add_source(doc, uri, copy, strlen(copy)) : NULL;
    return *ret_source ? 0 : document_no_memory(doc);
}

int source_find(struct document *doc, const char *uri, struct source **ret_source)
{
    for (struct source *source = doc->sources; source && uri[0]; source = source->next)
        if (strcmp(source->uri, uri) == 0) {
            *ret_source = source;
            return 0;
        }
    return add_metaschema(doc, uri, ret_source);
}

int source_read(struct document *doc, struct source *source)
{
    haft_reason error = {0};

    if (source->json)
        return 0;
    source->json =
        haft_json_read(source->text, source->size, JSON_MAX_DEPTH, doc->schema->arena, &error);
    return source->json ? 0 : error_set(doc->error, error.code, source->uri, "%s", error.text);
}

static int add_documents(struct document *doc)
{
    for (size_t i = 0; i < doc->options->n_documents; i++) {
        const haft_document *given = &doc->options->documents[i];
        const char *uri = uri_resolve(doc->scratch, "", given->uri, strlen(given->uri));

        if (!uri || !add_source(doc, uri, given->json, given->size))
            return document_no_memory(doc);
    }
    return 0;
}

/* ---- the whole ---- */

/* Every schema of the document becomes a node, also one that nothing refers to: a mistake in it is
 * told now. */
static int compile_main(struct document *doc, const struct location *end)
{
    for (struct location *at = doc->first; at; at = at->next) {
        if (!location_node(doc, at))
            return doc->error->code;
        if (at == end)
            break;
    }
    return compile_waiting(doc);
}

static int document_build(struct document *doc, struct node **ret_root)
{
    static const char standard[] = "https://json-schema.org/draft/2020-12/schema";
    const char *dialect = doc->options->dialect ? doc->options->dialect : standard;
    struct source *source = add_source(doc, "", doc->schema->document, doc->schema->document_size);
    int status = source ? add_documents(doc) : document_no_memory(doc);

    if (!status)
        status = dialect_find(doc, NULL, dialect, strlen(dialect), &doc->dialect);
    if (!status)
        status = scan_source(doc, source);
    if (!status)
        status = compile_main(doc, doc->last);
    if (!status)
        status = check_cycles(doc);
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

    doc.scratch = haft_arena_new(options->allocator,
                                 options->max_memory ? options->max_memory : SCRATCH_LIMIT);
    status = doc.scratch ? document_build(&doc, ret_root) : document_no_memory(&doc);
    haft_arena_free(doc.scratch);
    return status;
}

int haft_schema_parse(const char *json, size_t size, const haft_schema_options *options,
                      haft_schema **ret_schema, haft_reason *reterr_error)
{
    static const haft_schema_options none;
    haft_schema *schema = schema_new(options);
    struct node *root = NULL;
    haft_reason error = {0};
    int status;

    if (schema)
        schema->document = haft_arena_copy(schema->arena, json, size);
    if (!schema || !schema->document) {
        haft_schema_free(schema);
        return error_set(reterr_error, HAFT_ENOMEM, NULL, "%s", haft_strerror(HAFT_ENOMEM));
    }
    schema->document_size = size;
    status = parse(schema, options ? options : &none, &root, &error);
    if (status)
        haft_schema_free(schema);
    else
        status = schema_finish(schema, root, &error);
    if (!status)
        *ret_schema = schema;
    else if (reterr_error)
        *reterr_error = error;
    return status;
}

int haft_schema_parse_json(haft_value *json, const haft_schema_options *options,
                           haft_schema **ret_schema, haft_reason *reterr_error)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, options ? options->allocator : NULL,
                     options && options->max_memory ? options->max_memory : SCRATCH_LIMIT);
    haft_json_write(json, &text);
    status = text.status;
    if (status)
        error_set(reterr_error, status, NULL, "%s", haft_strerror(status));
    else
        status = haft_schema_parse(text.data, text.size, options, ret_schema, reterr_error);
    haft_buffer_finish(&text);
    return status;
}
