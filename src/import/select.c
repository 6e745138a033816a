/* select.c - which operations of a document become tools. */
#include <string.h>

#include "import/found.h"

static bool select_matches(const char *pattern, const char *text)
{
    return hf_glob_match(pattern, strlen(pattern), text);
}

/* Methods are written in either case. */
static bool select_matches_method(const char *pattern, const char *method)
{
    char small[16];
    size_t i = 0;

    for (; method[i] && i < sizeof small - 1; i++)
        small[i] = ascii_lower(method[i]);
    small[i] = '\0';
    return select_matches(pattern, method) || select_matches(pattern, small);
}

static bool select_matches_tag(const char *pattern, yyjson_val *operation)
{
    yyjson_arr_iter all = yyjson_arr_iter_with(yyjson_obj_get(operation, "tags"));
    yyjson_val *tag;

    while ((tag = yyjson_arr_iter_next(&all)))
        if (yyjson_is_str(tag) && select_matches(pattern, yyjson_get_str(tag)))
            return true;
    return false;
}

static bool select_rule_matches(const struct import_rule *rule, const struct import_found *found)
{
    return (!rule->path || select_matches(rule->path, found->path)) &&
           (!rule->method || select_matches_method(rule->method, found->method)) &&
           (!rule->id || (found->id && select_matches(rule->id, found->id))) &&
           (!rule->tag || select_matches_tag(rule->tag, found->operation));
}

const char *hf_import_left_out(const struct import_document *document,
                               const struct import_found *found, int *ret_status)
{
    const struct import_options *options = document->options;
    const char *why;

    *ret_status = 0;
    if (options->read_only && strcmp(found->method, "GET") && strcmp(found->method, "HEAD"))
        return "not read-only";
    for (size_t i = 0; i < options->n_rules; i++) {
        if (!select_rule_matches(&options->rules[i], found))
            continue;
        if (!options->rules[i].exclude)
            return NULL;
        why = haft_arena_printf(document->import->arena, "excluded by rule %zu", i + 1);
        *ret_status = why ? 0 : HAFT_ENOMEM;
        return why;
    }
    return options->n_rules && !options->rules[options->n_rules - 1].exclude ? "not selected"
                                                                             : NULL;
}
