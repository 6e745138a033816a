/* scan.c - the first pass: finds every schema of a source, its location and names.
 *
 * Only the parts that the table of keywords declares as schemas are visited: an `$id` in an enum or
 * in an unknown keyword is data. */
#include <string.h>

#include "schema/document/document.h"
#include "schema/text/uri.h"

static int add_location(struct document *doc, const struct location *parent, const char *step,
                        yyjson_val *value, struct base *base, struct location **ret_location)
{
    struct location *location = haft_arena_zalloc(doc->scratch, 1, sizeof *location);

    if (!location)
        return hf_document_no_memory(doc);
    location->value = value;
    location->parent = parent;
    location->step = step;
    location->base = base;
    location->depth = parent ? parent->depth + 1 : 1;
    if (hf_name_map_put(&doc->by_value, doc->scratch, &location->value, sizeof location->value,
                        location))
        return hf_document_no_memory(doc);
    *(doc->last ? &doc->last->next : &doc->first) = location;
    doc->last = location;
    *ret_location = location;
    return 0;
}

/* ---- subschemas ---- */

static size_t put_escaped(char *out, size_t at, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '~' || text[i] == '/')
            out[at++] = '~';
        out[at++] = text[i] == '~' ? '0' : text[i] == '/' ? '1' : text[i];
    }
    return at;
}

/* "/keyword/key" as a JSON pointer, or "/keyword" if the key is NULL. */
static const char *step_to(struct document *doc, const char *keyword, const char *key, size_t size)
{
    size_t at = strlen(keyword) + 1;
    char *step = haft_arena_alloc(doc->scratch, at + 2 * size + 2);

    if (!step)
        return NULL;
    step[0] = '/';
    memcpy(step + 1, keyword, at - 1);
    if (key) {
        step[at++] = '/';
        at = put_escaped(step, at, key, size);
    }
    step[at] = '\0';
    return step;
}

static int add_child(struct document *doc, struct location *parent, const struct keyword_row *row,
                     const char *key, size_t size, yyjson_val *value)
{
    const char *step = step_to(doc, row->name, key, size);
    struct location *child = NULL;
    int status = step ? add_location(doc, parent, step, value, parent->base, &child)
                      : hf_document_no_memory(doc);

    if (!status)
        child->may_switch = row->shape == SHAPE_SWITCH;
    return status;
}

static int add_list(struct document *doc, struct location *location, const struct keyword_row *row,
                    yyjson_val *list)
{
    size_t i, n;
    yyjson_val *item;

    yyjson_arr_foreach(list, i, n, item) {
        char text[32];
        int status =
            add_child(doc, location, row, text, hf_integer_to_text((int64_t)i, text), item);

        if (status)
            return status;
    }
    return 0;
}

static int add_map(struct document *doc, struct location *location, const struct keyword_row *row,
                   yyjson_val *map)
{
    size_t i, n;
    yyjson_val *key, *item;

    yyjson_obj_foreach(map, i, n, key, item) {
        int status;

        if (row->shape == SHAPE_MAP_OR_NAMES && yyjson_is_arr(item))
            continue;
        status = add_child(doc, location, row, yyjson_get_str(key), yyjson_get_len(key), item);
        if (status)
            return status;
    }
    return 0;
}

static int refuse_shape(struct document *doc, const struct location *location,
                        const struct keyword_row *row)
{
    static const char *const texts[] = {
        [SHAPE_LIST] = "a list of at least one schema",
        [SHAPE_SCHEMA_OR_LIST] = "a schema or a list of schemas",
        [SHAPE_MAP] = "an object of schemas",
        [SHAPE_MAP_OR_NAMES] = "an object of schemas or lists of strings",
    };

    return hf_document_fail(doc, location, row->name, HAFT_ESCHEMA, "\"%s\" must be %s", row->name,
                            texts[row->shape]);
}

static int scan_keyword(struct document *doc, struct location *location,
                        const struct keyword_row *row, yyjson_val *value)
{
    switch (row->shape) {
    case SHAPE_NONE:
        return 0;
    case SHAPE_SCHEMA:
    case SHAPE_SWITCH:
        return add_child(doc, location, row, NULL, 0, value);
    case SHAPE_LIST:
        return yyjson_arr_size(value) ? add_list(doc, location, row, value)
                                      : refuse_shape(doc, location, row);
    case SHAPE_SCHEMA_OR_LIST:
        return yyjson_is_arr(value) ? add_list(doc, location, row, value)
                                    : add_child(doc, location, row, NULL, 0, value);
    case SHAPE_MAP:
    case SHAPE_MAP_OR_NAMES:
        return yyjson_is_obj(value) ? add_map(doc, location, row, value)
                                    : refuse_shape(doc, location, row);
    }
    return 0;
}

/* ---- ids and anchors ---- */

static struct base *add_base(struct document *doc, const char *uri, const struct source *source,
                             const struct dialect *dialect)
{
    struct base *base = haft_arena_zalloc(doc->scratch, 1, sizeof *base);

    if (!base)
        return NULL;
    base->uri = uri;
    base->source = source;
    base->dialect = dialect;
    base->next = doc->bases;
    doc->bases = base;
    return base;
}

/* Registers the base by its URI. If several sources claim a URI, the first one has it. */
static int name_base(struct document *doc, const struct location *where, const char *keyword,
                     struct base *base)
{
    const struct base *other = hf_name_map_get(&doc->by_uri, base->uri, strlen(base->uri));

    if (!other)
        return hf_name_map_put(&doc->by_uri, doc->scratch, base->uri, strlen(base->uri), base)
                   ? hf_document_no_memory(doc)
                   : 0;
    if (other == base || other->source != base->source)
        return 0;
    return hf_document_fail(doc, where, keyword, HAFT_ESCHEMA, "\"%s\" names two schemas",
                            base->uri);
}

static bool is_anchor(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
                      text[i] == '_';

        if (!letter && (!i || !text[i] || !strchr("0123456789-.:", text[i])))
            return false;
    }
    return size;
}

static int add_mark(struct document *doc, struct location *location, const char *keyword,
                    const char *name, size_t size, bool dynamic)
{
    struct base *base = location->base;
    struct mark *mark = hf_name_map_get(&base->names, name, size);

    if (mark && mark->location != location)
        return hf_document_fail(doc, location, keyword, HAFT_ESCHEMA,
                                "the anchor \"%s\" occurs more than once", name);
    if (mark) {
        mark->dynamic |= dynamic;
        return 0;
    }
    mark = haft_arena_zalloc(doc->scratch, 1, sizeof *mark);
    if (!mark || hf_name_map_put(&base->names, doc->scratch, name, size, mark))
        return hf_document_no_memory(doc);
    *mark = (struct mark){base->marks, name, location, dynamic};
    base->marks = mark;
    return 0;
}

static int read_anchor(struct document *doc, struct location *location, enum keyword keyword)
{
    const struct keyword_row *row = &hf_keyword_rows[keyword];
    yyjson_val *value = yyjson_obj_get(location->value, row->name);

    if (!(row->drafts & location->base->dialect->draft) || !yyjson_is_str(value))
        return 0;
    if (!is_anchor(yyjson_get_str(value), yyjson_get_len(value)))
        return hf_document_fail(doc, location, row->name, HAFT_ESCHEMA,
                                "\"%s\" must be a name of letters, digits, \"-\", \"_\" and \".\"",
                                row->name);
    return add_mark(doc, location, row->name, yyjson_get_str(value), yyjson_get_len(value),
                    keyword == KEYWORD_DYNAMIC_ANCHOR);
}

/* Processes `$id`: a URI starts a new base, and a fragment (in old drafts) is a name. */
static int scan_read_id(struct document *doc, struct location *location,
                        const struct dialect *dialect, const struct keyword_row *row)
{
    yyjson_val *id = yyjson_obj_get(location->value, row->name);
    const char *text = yyjson_get_str(id), *uri, *fragment;
    size_t n = 0;
    int status = 0;

    if (!text)
        return 0;
    uri = hf_uri_resolve(doc->scratch, location->base->uri, text, yyjson_get_len(id));
    fragment = hf_uri_fragment(doc->scratch, text, yyjson_get_len(id), &n);
    if (!uri || !fragment)
        return hf_document_no_memory(doc);
    if (n && (dialect->draft & DRAFTS_SINCE_2019))
        return hf_document_fail(doc, location, row->name, HAFT_ESCHEMA,
                                "\"%s\" must not have a fragment", row->name);
    if (strcmp(uri, location->base->uri) != 0) {
        if (location->parent) {
            location->base = add_base(doc, uri, location->base->source, dialect);
            if (!location->base)
                return hf_document_no_memory(doc);
            location->base->root = location;
        }
        location->base->uri = uri;
        status = name_base(doc, location, row->name, location->base);
    }
    if (!status && n && fragment[0] != '/')
        status = add_mark(doc, location, row->name, fragment, n, false);
    return status;
}

/* A schema with its own `$id` may have a different dialect, by its `$schema`. */
static int read_names(struct document *doc, struct location *location)
{
    const struct dialect *dialect = location->base->dialect;
    yyjson_val *named = yyjson_obj_get(location->value, "$schema");
    bool embedded =
        location->parent && yyjson_is_str(named) &&
        (yyjson_obj_get(location->value, "$id") || yyjson_obj_get(location->value, "id"));
    int status = 0;

    if (embedded)
        status =
            hf_dialect_find(doc, location, yyjson_get_str(named), yyjson_get_len(named), &dialect);
    if (status || hf_keyword_ref_only(dialect, location->value))
        return status;
    status = scan_read_id(doc, location, dialect,
                          &hf_keyword_rows[dialect->draft == DRAFT_4 ? KEYWORD_ID_4 : KEYWORD_ID]);
    if (!status)
        status = read_anchor(doc, location, KEYWORD_ANCHOR);
    if (!status)
        status = read_anchor(doc, location, KEYWORD_DYNAMIC_ANCHOR);
    if (location->base->root == location && location->base->dialect->draft == DRAFT_2019)
        location->base->recursive =
            yyjson_is_true(yyjson_obj_get(location->value, "$recursiveAnchor"));
    return status;
}

/* ---- the pass ---- */

/* MCP allows x-mcp-header only on paths of `properties`; the first one elsewhere is recorded, so
 * that it can be reported. */
static int note_header(struct document *doc, const struct location *location)
{
    static const char properties[] = "/properties/";
    const struct location *at = location;
    const char *path;

    if (doc->schema->stray_header || location->base->source->uri[0] ||
        !yyjson_obj_get(location->value, "x-mcp-header"))
        return 0;
    while (at->parent && !strncmp(at->step, properties, sizeof properties - 1))
        at = at->parent;
    if (!at->parent && location->parent)
        return 0;
    path = hf_location_path(doc, location, "x-mcp-header");
    doc->schema->stray_header = haft_arena_copy(doc->schema->arena, path, strlen(path));
    return doc->schema->stray_header ? 0 : hf_document_no_memory(doc);
}

static int scan_one(struct document *doc, struct location *location)
{
    bool booleans = location->base->dialect->draft != DRAFT_4 || location->may_switch;
    const struct dialect *dialect;
    bool ref_only;
    int status = 0;
    size_t i, n;
    yyjson_val *key, *value;

    if (location->depth > doc->schema->max_depth)
        return hf_document_fail(doc, location, NULL, HAFT_EDEPTH,
                                "schemas are nested deeper than %zu levels",
                                doc->schema->max_depth);
    if (booleans && yyjson_is_bool(location->value))
        return 0;
    if (!yyjson_is_obj(location->value))
        return hf_document_fail(doc, location, NULL, HAFT_ESCHEMA, "a schema must be an object%s",
                                booleans ? " or a boolean" : "");
    status = read_names(doc, location);
    if (!status)
        status = note_header(doc, location);
    if (status)
        return status;
    dialect = location->base->dialect;
    ref_only = hf_keyword_ref_only(dialect, location->value);
    yyjson_obj_foreach(location->value, i, n, key, value) {
        const struct keyword_row *row = hf_keyword_named(dialect, key);

        /* Siblings of `$ref` are ignored in old drafts, but definitions may contain the target of a
         * reference. */
        if (!row || (ref_only && row->keyword != KEYWORD_DEFINITIONS))
            continue;
        status = scan_keyword(doc, location, row, value);
        if (status)
            return status;
    }
    return 0;
}

/* Scans a location and all locations added after it. */
static int scan_from(struct document *doc, struct location *location)
{
    int status = 0;

    for (; location && !status; location = location->next)
        status = scan_one(doc, location);
    return status;
}

int hf_scan_location(struct document *doc, const struct location *parent, const char *step,
                     yyjson_val *value, struct location **ret_location)
{
    int status = add_location(doc, parent, step, value, parent->base, ret_location);

    return status ? status : scan_from(doc, *ret_location);
}

static int scan_root(struct document *doc, struct source *source)
{
    const struct dialect *dialect = doc->dialect;
    struct location *root = NULL;
    struct base *base;
    yyjson_val *named;
    int status = hf_source_read(doc, source);

    if (status)
        return status;
    base = add_base(doc, source->uri, source, dialect);
    if (!base)
        return hf_document_no_memory(doc);
    status = add_location(doc, NULL, "", source->json, base, &root);
    if (status)
        return status;
    base->root = root;
    named = yyjson_obj_get(source->json, "$schema");
    if (yyjson_is_str(named))
        status = hf_dialect_find(doc, root, yyjson_get_str(named), yyjson_get_len(named),
                                 &base->dialect);
    if (!status && source->uri[0])
        status = name_base(doc, root, NULL, base);
    if (!status)
        status = scan_from(doc, root);
    source->base = base;
    return status;
}

int hf_scan_source(struct document *doc, struct source *source)
{
    int status;

    if (source->failure) {
        *doc->error = *source->failure;
        return doc->error->code;
    }
    status = scan_root(doc, source);
    if (status) {
        source->base = NULL;
        source->failure = haft_arena_alloc(doc->scratch, sizeof *source->failure);
        if (source->failure)
            *source->failure = *doc->error;
    }
    return status;
}
