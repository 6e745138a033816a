/* compile.c - the second pass: creates a node for every requested schema.
 *
 * A request returns the node at once and queues its location; the keywords of queued locations are
 * compiled one after the other. So schemas may refer to each other in any way. */
#include "schema/document/document.h"

static int compile_one(struct document *doc, struct location *location)
{
    struct site site = {doc, location, location->node, location->base->dialect, {NULL}};
    size_t i, n;
    yyjson_val *key, *value;
    int status = 0;

    if (hf_keyword_ref_only(site.dialect, location->value)) {
        site.values[KEYWORD_REF] = yyjson_obj_get(location->value, "$ref");
    } else {
        yyjson_obj_foreach(location->value, i, n, key, value) {
            const struct keyword_row *row = hf_keyword_named(site.dialect, key);

            if (row)
                site.values[row->keyword] = value;
        }
    }
    for (i = 0; i < KEYWORD_COUNT && !status; i++)
        if (site.values[i] && hf_keyword_rows[i].compile)
            status = hf_keyword_rows[i].compile(&site, &hf_keyword_rows[i], site.values[i]);
    return status;
}

static int compile_queue(struct document *doc)
{
    int status = 0;

    while (doc->first_waiting && !status) {
        struct location *location = doc->first_waiting;

        doc->first_waiting = location->waiting;
        status = compile_one(doc, location);
    }
    return status;
}

/* ---- dynamic anchors ---- */

/* Requests all possible targets of dynamic references: the dynamic anchors of all resources in
 * use. */
static int ask_for_anchors(struct document *doc)
{
    for (struct base *base = doc->bases; base; base = base->next) {
        if (!base->resource)
            continue;
        if (base->recursive && !hf_location_node(doc, base->root))
            return doc->error->code;
        for (struct mark *mark = base->marks; mark; mark = mark->next)
            if (mark->dynamic && !hf_location_node(doc, mark->location))
                return doc->error->code;
    }
    return 0;
}

static int list_anchors(struct document *doc, const struct base *base)
{
    struct resource *resource = base->resource;
    size_t n = base->recursive;

    for (const struct mark *mark = base->marks; mark; mark = mark->next)
        n += mark->dynamic;
    if (!n)
        return 0;
    resource->anchors = haft_arena_zalloc(doc->schema->arena, n, sizeof *resource->anchors);
    if (!resource->anchors)
        return hf_document_no_memory(doc);
    if (base->recursive)
        resource->anchors[resource->n_anchors++] = (struct anchor){"", base->root->node};
    for (const struct mark *mark = base->marks; mark; mark = mark->next)
        if (mark->dynamic)
            resource->anchors[resource->n_anchors++] =
                (struct anchor){mark->name, mark->location->node};
    return 0;
}

int hf_compile_waiting(struct document *doc)
{
    int status = 0;

    do {
        status = compile_queue(doc);
        if (!status)
            status = ask_for_anchors(doc);
    } while (!status && doc->first_waiting);
    for (const struct base *base = doc->bases; base && !status; base = base->next)
        if (base->resource)
            status = list_anchors(doc, base);
    return status;
}
