/* site.c - functions shared by the keyword compilers. */
#include "schema/document/document.h"

#include <string.h>

struct node *hf_site_node(struct site *site, yyjson_val *schema)
{
    struct location *location = hf_location_of(site->doc, schema);

    if (location)
        return hf_location_node(site->doc, location);
    hf_document_fail(site->doc, site->location, NULL, HAFT_ESCHEMA, "a schema was not scanned");
    return NULL;
}

int hf_site_nodes(struct site *site, yyjson_val *list, const struct node ***ret_nodes,
                  size_t *ret_n)
{
    size_t i, n = yyjson_arr_size(list);
    const struct node **nodes = haft_arena_zalloc(site->doc->schema->arena, n, sizeof *nodes);
    yyjson_val *item;

    if (!nodes)
        return hf_site_no_memory(site);
    yyjson_arr_foreach(list, i, n, item) {
        nodes[i] = hf_site_node(site, item);
        if (!nodes[i])
            return site->doc->error->code;
    }
    *ret_nodes = nodes;
    *ret_n = n;
    return 0;
}

int hf_site_refuse(struct site *site, const struct keyword_row *row, const char *text)
{
    return hf_document_fail(site->doc, site->location, row->name, HAFT_ESCHEMA, "\"%s\" must be %s",
                            row->name, text);
}

int hf_site_no_memory(struct site *site)
{
    return hf_document_no_memory(site->doc);
}

int hf_site_size(struct site *site, const struct keyword_row *row, yyjson_val *value,
                 size_t *ret_size)
{
    if (yyjson_is_uint(value)) {
        uint64_t size = yyjson_get_uint(value);

        *ret_size = size > SIZE_MAX ? SIZE_MAX : (size_t)size;
        return 0;
    }
    if (yyjson_is_real(value)) {
        double size = yyjson_get_real(value);

        if (size >= 0x1p64) {
            *ret_size = SIZE_MAX;
            return 0;
        }
        if (size >= 0 && (double)(uint64_t)size <= size && (double)(uint64_t)size >= size) {
            *ret_size = (size_t)size;
            return 0;
        }
    }
    return hf_site_refuse(site, row, "a non-negative integer");
}

int hf_site_names(struct site *site, const struct keyword_row *row, yyjson_val *value,
                  const char *const **ret_names, size_t *ret_n)
{
    size_t i, n = yyjson_arr_size(value);
    const char **names = haft_arena_zalloc(site->doc->schema->arena, n + 1, sizeof *names);
    yyjson_val *item;

    if (!names)
        return hf_site_no_memory(site);
    yyjson_arr_foreach(value, i, n, item) {
        if (!yyjson_is_str(item))
            return hf_site_refuse(site, row, "made of lists of strings");
        names[i] = yyjson_get_str(item);
        if (strlen(names[i]) != yyjson_get_len(item))
            return hf_site_refuse(site, row, "without U+0000 in its names");
    }
    *ret_names = names;
    *ret_n = n;
    return 0;
}
