/* validate.c - validates and decodes, from text or from a value: sets up a walk and reports its
 * result. */
#include <string.h>

#include "schema/walk/fill.h"
#include "schema/walk/quick.h"
#include "schema/walk/walk.h"

/* Determines the path of a nested value from the containers that hold it, outermost first. */
static void report_twice(struct walk *w, yyjson_val *within, yyjson_val *key, const struct path *at)
{
    size_t i, n;
    yyjson_val *name, *item;

    if (w->frames++ > JSON_MAX_DEPTH)
        return;
    if (yyjson_is_arr(within)) {
        yyjson_arr_foreach(within, i, n, item) {
            struct path here = {at, NULL, i};

            if (key > item && key < unsafe_yyjson_get_next(item)) {
                report_twice(w, item, key, &here);
                return;
            }
        }
    } else {
        yyjson_obj_foreach(within, i, n, name, item) {
            struct path here = {at, yyjson_get_str(name), 0};

            if (key > item && key < unsafe_yyjson_get_next(item)) {
                report_twice(w, item, key, &here);
                return;
            }
        }
    }
    hf_report_duplicate(w, at, key);
}

/* Checks depth and keys of a value whose parts are not all visited by rules. */
static unsigned walk_uncovered(struct walk *w, yyjson_val *value)
{
    yyjson_val *key = NULL;
    int status = hf_json_check(value, w->schema->max_depth, w->arena, &key);

    if (status == HAFT_EINVAL) {
        report_twice(w, value, key, NULL);
        w->frames = 0;
        return ABORT;
    }
    return status ? hf_walk_stop(w, status) : PASS;
}

/* Adds an issue about the whole text or the whole walk. */
static int report_whole(struct walk *w, int status, const char *format, const char *message)
{
    haft_issue *list = haft_arena_zalloc(w->arena, 1, sizeof *list);

    *w->issues = (haft_issues){NULL, 0, 0};
    if (!list || !message)
        return HAFT_ENOMEM;
    list->code = format ? HAFT_INVALID_FORMAT : HAFT_CUSTOM;
    list->format = format;
    list->message = message;
    list->aborts = 1;
    *w->issues = (haft_issues){list, 1, 1};
    return status;
}

int hf_walk_finish(struct walk *w, unsigned verdict)
{
    if (w->status == HAFT_EDEPTH)
        return report_whole(w, w->status, NULL,
                            haft_arena_printf(w->arena,
                                              "Invalid input: nested deeper than %zu levels",
                                              w->schema->max_depth));
    if (w->status == HAFT_ESTEPS)
        return report_whole(w, w->status, NULL, "Invalid input: too complex to check");
    if (w->status)
        *w->issues = (haft_issues){NULL, 0, 0};
    return w->status ? w->status : verdict ? HAFT_EISSUES : 0;
}

int hf_walk_run(const haft_schema *schema, const struct node *node, yyjson_val *value,
                haft_arena *arena, struct place place, haft_issues *issues)
{
    struct walk w = {.schema = schema,
                     .arena = arena,
                     .issues = issues,
                     .scratch = {.arena = arena},
                     .steps = schema->max_steps};
    unsigned verdict = PASS;

    *issues = (haft_issues){NULL, 0, 0};
    if (!schema->covered)
        verdict = walk_uncovered(&w, value);
    if (!verdict)
        verdict = hf_walk(&w, node, value, NULL, NULL, place);
    return hf_walk_finish(&w, verdict);
}

/* Walks a value that the fast path did not accept. `to` is NULL if only a refinement needs the
 * decoded value. */
static int validate_walk(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to,
                         haft_issues *issues)
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};

    if (to)
        memset(to, 0, schema->root->size);
    if (schema->refines && !to) {
        to = haft_arena_zalloc(arena, 1, schema->root->size);
        if (!to)
            return HAFT_ENOMEM;
    }
    return hf_walk_run(schema, schema->root, value, arena, (struct place){to, &whole}, issues);
}

static int validate_read_text(const char *text, size_t size, haft_arena *arena,
                              yyjson_val **ret_value, haft_issues *reterr_issues)
{
    struct walk w = {.arena = arena, .issues = reterr_issues};
    const char *reason = NULL;
    size_t offset = 0;
    int status = hf_json_parse(text, size, arena, ret_value, &offset, &reason);

    *reterr_issues = (haft_issues){NULL, 0, 0};
    if (status == HAFT_EPARSE || status == HAFT_EUTF8)
        return report_whole(&w, status, "json_string",
                            haft_arena_printf(arena, "Invalid JSON string: %s at byte %zu",
                                              status == HAFT_EUTF8 ? "not valid UTF-8" : reason,
                                              offset));
    return status;
}

int haft_schema_validate(const haft_schema *schema, haft_value *value, haft_arena *arena,
                         haft_issues *reterr_issues)
{
    *reterr_issues = (haft_issues){NULL, 0, 0};
    return hf_quick_accept(schema, value, arena, NULL)
               ? 0
               : validate_walk(schema, value, arena, NULL, reterr_issues);
}

int haft_schema_validate_text(const haft_schema *schema, const char *text, size_t size,
                              haft_arena *arena, haft_issues *reterr_issues)
{
    yyjson_val *value;
    int status = validate_read_text(text, size, arena, &value, reterr_issues);

    return status ? status : haft_schema_validate(schema, value, arena, reterr_issues);
}

int haft_schema_decode(const haft_schema *schema, haft_value *value, haft_arena *arena,
                       void *ret_value, haft_issues *reterr_issues)
{
    *reterr_issues = (haft_issues){NULL, 0, 0};
    if (!schema->typed) {
        int status = haft_schema_validate(schema, value, arena, reterr_issues);

        return status ? status : hf_schema_fill(schema, value, arena, ret_value);
    }
    memset(ret_value, 0, schema->root->size);
    return hf_quick_accept(schema, value, arena, ret_value)
               ? 0
               : validate_walk(schema, value, arena, ret_value, reterr_issues);
}

/* Tries the fast path from text. */
static bool decode_quickly(const haft_schema *schema, const char *text, size_t size,
                           haft_arena *arena, void *ret_value)
{
    size_t taken;

    if (!schema->reads)
        return false;
    memset(ret_value, 0, schema->root->size);
    if (!hf_quick_read(schema, text, size, schema->max_depth, arena, ret_value, &taken))
        return false;
    while (taken < size && text[taken] && strchr(" \t\r\n", text[taken]))
        taken++;
    return taken == size;
}

int haft_schema_decode_text(const haft_schema *schema, const char *text, size_t size,
                            haft_arena *arena, void *ret_value, haft_issues *reterr_issues)
{
    yyjson_val *value;
    int status;

    *reterr_issues = (haft_issues){NULL, 0, 0};
    if (decode_quickly(schema, text, size, arena, ret_value))
        return 0;
    status = validate_read_text(text, size, arena, &value, reterr_issues);

    return status ? status : haft_schema_decode(schema, value, arena, ret_value, reterr_issues);
}
