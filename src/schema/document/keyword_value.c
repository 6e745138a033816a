/* keyword_value.c - keywords for a value itself: type, constants, size, text.
 *
 * Each function compiles one keyword into the node of the site, or rejects its value. */
#include <string.h>

#include "schema/document/document.h"

/* ---- annotations ---- */

int hf_keyword_text(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct meta *meta;

    if (!yyjson_is_str(value))
        return hf_site_refuse(site, row, "a string");
    if (row->keyword != KEYWORD_TITLE && row->keyword != KEYWORD_DESCRIPTION)
        return 0;
    meta = hf_node_meta(site->doc->schema, site->node);
    if (!meta)
        return hf_site_no_memory(site);
    *(row->keyword == KEYWORD_TITLE ? &meta->title : &meta->description) = yyjson_get_str(value);
    return 0;
}

int hf_keyword_boolean(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    static const struct check unique = {.op = CHECK_UNIQUE};
    struct meta *meta;

    if (!yyjson_is_bool(value))
        return hf_site_refuse(site, row, "true or false");
    if (!yyjson_get_bool(value))
        return 0;
    if (row->keyword == KEYWORD_UNIQUE_ITEMS)
        return hf_node_add_check(site->doc->schema, site->node, &unique) ? hf_site_no_memory(site)
                                                                         : 0;
    if (row->vocabulary != VOCABULARY_METADATA)
        return 0;
    meta = hf_node_meta(site->doc->schema, site->node);
    if (!meta)
        return hf_site_no_memory(site);
    meta->deprecated |= row->keyword == KEYWORD_DEPRECATED;
    meta->read_only |= row->keyword == KEYWORD_READ_ONLY;
    meta->write_only |= row->keyword == KEYWORD_WRITE_ONLY;
    site->node->secret |= meta->write_only;
    return 0;
}

int hf_keyword_object(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    return yyjson_is_obj(value) ? 0 : hf_site_refuse(site, row, "an object");
}

int hf_keyword_examples(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct meta *meta;

    if (!yyjson_is_arr(value))
        return hf_site_refuse(site, row, "an array");
    meta = hf_node_meta(site->doc->schema, site->node);
    if (!meta)
        return hf_site_no_memory(site);
    meta->examples = value;
    return 0;
}

/* ---- type and constants ---- */

static const struct {
    const char *name;
    unsigned bits;
} types[] = {
    {"string", TYPE_STRING},   {"number", TYPE_NUMBER}, {"integer", TYPE_INTEGER},
    {"boolean", TYPE_BOOLEAN}, {"object", TYPE_OBJECT}, {"array", TYPE_ARRAY},
    {"null", TYPE_NULL},
};

static int add_type(struct site *site, const struct keyword_row *row, yyjson_val *name)
{
    if (!yyjson_is_str(name))
        return hf_site_refuse(site, row, "a type name or a list of type names");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (yyjson_equals_str(name, types[i].name)) {
            site->node->types |= (uint8_t)types[i].bits;
            return 0;
        }
    }
    return hf_document_fail(
        site->doc, site->location, row->name, HAFT_ESCHEMA,
        "\"%s\" is not a type; use string, number, integer, boolean, object, array or null",
        yyjson_get_str(name));
}

int hf_keyword_type(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    size_t i, n;
    yyjson_val *name;

    site->node->types = 0;
    if (!yyjson_is_arr(value))
        return add_type(site, row, value);
    if (!yyjson_arr_size(value))
        return hf_site_refuse(site, row, "a list of at least one type");
    yyjson_arr_foreach(value, i, n, name) {
        int status = add_type(site, row, name);

        if (status)
            return status;
    }
    return 0;
}

int hf_keyword_enum(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    if (!yyjson_is_arr(value))
        return hf_site_refuse(site, row, "an array");
    site->node->values = value;
    return 0;
}

/* An array that contains a copy of the value. A value consists of consecutive cells with relative
 * offsets, so copying the cells is enough. */
static yyjson_val *array_of(haft_arena *arena, yyjson_val *value)
{
    size_t n = (size_t)(unsafe_yyjson_get_next(value) - value);
    yyjson_val *array = haft_arena_alloc(arena, (n + 1) * sizeof *array);

    if (!array)
        return NULL;
    array->tag = ((uint64_t)1 << YYJSON_TAG_BIT) | YYJSON_TYPE_ARR;
    array->uni.ofs = (n + 1) * sizeof *array;
    memcpy(array + 1, value, n * sizeof *array);
    return array;
}

int hf_keyword_const(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct haft_schema *schema = site->doc->schema;
    struct node *node = site->node;

    (void)row;
    /* Beside an enum, const needs a separate node, because a node has one set of values. */
    if (node->values) {
        const struct node *apart = hf_node_new(schema);

        if (!apart || !hf_node_add_rule(schema, node, RULE_ALL, &apart, 1))
            return hf_site_no_memory(site);
        node = (struct node *)(uintptr_t)apart;
        node->resource = site->node->resource;
    }
    node->single = true;
    node->values = array_of(schema->arena, value);
    return node->values ? 0 : hf_site_no_memory(site);
}

/* ---- sizes and bounds ---- */

static int add_check(struct site *site, const struct check *check)
{
    return hf_node_add_check(site->doc->schema, site->node, check) ? hf_site_no_memory(site) : 0;
}

int hf_keyword_size(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct check check = {.op = (uint8_t)row->argument};
    int status = hf_site_size(site, row, value, &check.size);

    return status ? status : add_check(site, &check);
}

int hf_keyword_bound(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct check check = {.op = (uint8_t)row->argument};
    enum keyword exclusive_4 =
        row->argument == CHECK_MIN ? KEYWORD_EXCLUSIVE_MINIMUM_4 : KEYWORD_EXCLUSIVE_MAXIMUM_4;

    if (!yyjson_is_num(value))
        return hf_site_refuse(site, row, "a number");
    if (row->keyword == KEYWORD_MULTIPLE_OF && !(yyjson_get_num(value) > 0))
        return hf_site_refuse(site, row, "a number greater than 0");
    check.bound = *value;
    check.exclusive =
        row->keyword == KEYWORD_EXCLUSIVE_MINIMUM || row->keyword == KEYWORD_EXCLUSIVE_MAXIMUM ||
        (row->keyword != KEYWORD_MULTIPLE_OF && yyjson_is_true(site->values[exclusive_4]));
    return add_check(site, &check);
}

/* ---- text ---- */

int hf_keyword_pattern(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct document *doc = site->doc;
    haft_reason error = {0};
    int status;

    if (!yyjson_is_str(value))
        return hf_site_refuse(site, row, "a string");
    status = hf_node_add_pattern(doc->schema, site->node, yyjson_get_str(value),
                                 yyjson_get_len(value), "", &error);
    if (status == HAFT_ENOMEM)
        return hf_site_no_memory(site);
    return status ? hf_document_fail(doc, site->location, row->name, status, "%s", error.text) : 0;
}

int hf_keyword_format(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct document *doc = site->doc;
    const struct format *format;
    haft_reason error = {0};
    int status;

    if (!yyjson_is_str(value))
        return hf_site_refuse(site, row, "a string");
    /* Not an assertion: it marks the value as secret. */
    site->node->secret |= yyjson_equals_str(value, "password");
    if (doc->options->formats == HAFT_FORMATS_ANNOTATE && !site->dialect->asserts_formats)
        return 0;
    format = hf_format_named(yyjson_get_str(value), yyjson_get_len(value), site->dialect->number);
    if (!format && !site->dialect->asserts_formats)
        return 0;
    /* If formats are assertions, an unknown format must be rejected. */
    if (!format)
        return hf_document_fail(
            doc, site->location, row->name, HAFT_ESCHEMA,
            "unknown format \"%s\", and the dialect requires formats to be checked",
            yyjson_get_str(value));
    status = hf_node_add_format(doc->schema, site->node, format, &error);
    if (status == HAFT_ENOMEM)
        return hf_site_no_memory(site);
    return status ? hf_document_fail(doc, site->location, row->name, status, "%s", error.text) : 0;
}

static bool keyword_is_word(yyjson_val *value, const char *word)
{
    const char *text = yyjson_get_str(value);
    size_t size = yyjson_get_len(value);

    if (size != strlen(word))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]) != word[i])
            return false;
    return true;
}

/* The two content keywords make one check, added with the second. They are assertions only in
 * draft-07, and only if formats are. */
int hf_keyword_content(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    yyjson_val *encoding = site->values[KEYWORD_ENCODING];
    yyjson_val *media_type = site->values[KEYWORD_MEDIA_TYPE];
    bool base64 = encoding && keyword_is_word(encoding, "base64");
    struct check check = {.op = CHECK_CONTENT};

    if (!yyjson_is_str(value))
        return hf_site_refuse(site, row, "a string");
    if (site->dialect->draft != DRAFT_7 || site->doc->options->formats == HAFT_FORMATS_ANNOTATE)
        return 0;
    if ((row->keyword == KEYWORD_ENCODING && media_type) || (encoding && !base64))
        return 0;
    check.text = base64 ? "base64" : NULL;
    check.text_size = base64 ? strlen("base64") : 0;
    check.size = media_type && keyword_is_word(media_type, "application/json");
    return check.text || check.size ? add_check(site, &check) : 0;
}
