/* source.c - the documents that contain schemas: lookup by URI, and parsing. */
#include "schema/document/document.h"

#include <string.h>

#include "json/json.h"

struct source *hf_source_add(struct document *doc, const char *uri, const char *text, size_t size)
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
    const char *text = hf_metaschema_named(uri);
    char *copy;

    *ret_source = NULL;
    if (!text)
        return 0;
    copy = haft_arena_copy(doc->scratch, text, strlen(text));
    for (char *at = copy; at && *at; at++)
        *at = *at == '\'' ? '"' : *at;
    *ret_source = copy ? hf_source_add(doc, uri, copy, strlen(copy)) : NULL;
    if (!*ret_source)
        return hf_document_no_memory(doc);
    (*ret_source)->is_metaschema = true;
    return 0;
}

int hf_source_find(struct document *doc, const char *uri, struct source **ret_source)
{
    for (struct source *source = doc->sources; source && uri[0]; source = source->next)
        if (strcmp(source->uri, uri) == 0) {
            *ret_source = source;
            return 0;
        }
    return add_metaschema(doc, uri, ret_source);
}

int hf_source_read(struct document *doc, struct source *source)
{
    haft_reason error = {0};

    if (source->json)
        return 0;
    source->json =
        haft_json_read(source->text, source->size, JSON_MAX_DEPTH, doc->schema->arena, &error);
    return source->json ? 0 : hf_error_set(doc->error, error.code, source->uri, "%s", error.text);
}
