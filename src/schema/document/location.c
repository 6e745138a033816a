/* location.c - a schema's location: its path for errors, and its node. */
#include "schema/document/document.h"

#include <string.h>

/* ---- errors ---- */

int hf_document_no_memory(struct document *doc)
{
    return hf_error_set(doc->error, HAFT_ENOMEM, NULL, "%s", haft_strerror(HAFT_ENOMEM));
}

static void put_before(char *text, size_t *at, const char *piece)
{
    size_t size = strlen(piece);

    *at -= size;
    memcpy(text + *at, piece, size);
}

const char *hf_location_path(struct document *doc, const struct location *where,
                             const char *keyword)
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

int hf_document_fail(struct document *doc, const struct location *where, const char *keyword,
                     int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    hf_error_vset(doc->error, code, hf_location_path(doc, where, keyword), format, args);
    va_end(args);
    return code;
}

/* ---- lookup ---- */

struct location *hf_location_of(const struct document *doc, const yyjson_val *value)
{
    return hf_name_map_get(&doc->by_value, &value, sizeof value);
}

/* ---- nodes ---- */

static struct resource *make_resource(struct document *doc, const struct base *base)
{
    struct resource *resource = haft_arena_zalloc(doc->schema->arena, 1, sizeof *resource);

    if (resource)
        resource->uri = haft_arena_copy(doc->schema->arena, base->uri, strlen(base->uri));
    return resource && resource->uri ? resource : NULL;
}

struct node *hf_location_node(struct document *doc, struct location *location)
{
    struct base *base = location->base;

    if (location->node)
        return location->node;
    if (doc->schema->n_nodes >= doc->schema->max_nodes) {
        hf_document_fail(doc, location, NULL, HAFT_ETOOBIG, "there are more than %zu schemas",
                         doc->schema->max_nodes);
        return NULL;
    }
    if (!base->resource)
        base->resource = make_resource(doc, base);
    location->node = base->resource ? hf_node_new(doc->schema) : NULL;
    if (!location->node) {
        hf_document_no_memory(doc);
        return NULL;
    }
    location->node->resource = base->resource;
    location->node->never = yyjson_is_false(location->value);
    if (yyjson_is_obj(location->value)) {
        *(doc->first_waiting ? &doc->last_waiting->waiting : &doc->first_waiting) = location;
        doc->last_waiting = location;
    }
    return location->node;
}
