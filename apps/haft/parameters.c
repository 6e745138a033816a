/* parameters.c - arguments that are repeated in headers, so that proxies can route by them.
 *
 * A property of the schema with x-mcp-header names the header; only those that properties alone
 * lead to count. */
#include <string.h>

#include "arguments.h"

enum { MAX_DEPTH = 16, MAX_PARAMETERS = 64 };

struct gathering {
    haft_arena *arena;
    const char **pairs;
    size_t n;
    bool failed;
};

static bool is_token(const char *text)
{
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    return text && *text && strspn(text, token) == strlen(text);
}

static void add(struct gathering *to, const char *name, yyjson_val *value)
{
    const char *text;
    char digits[32];

    if (to->n == MAX_PARAMETERS)
        return;
    if (yyjson_is_str(value))
        text = yyjson_get_str(value);
    else if (yyjson_is_bool(value))
        text = yyjson_get_bool(value) ? "true" : "false";
    else if (yyjson_is_int(value))
        text = haft_arena_copy(to->arena, digits, integer_to_text(yyjson_get_sint(value), digits));
    else
        return;
    name = haft_arena_printf(to->arena, "Mcp-Param-%s", name);
    to->failed = to->failed || !name || !text;
    to->pairs[to->n * 2] = name;
    to->pairs[to->n * 2 + 1] = text;
    to->n++;
}

static void gather(struct gathering *to, yyjson_val *schema, yyjson_val *arguments, int depth)
{
    yyjson_obj_iter properties = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    yyjson_val *key;

    while (depth && (key = yyjson_obj_iter_next(&properties))) {
        yyjson_val *property = yyjson_obj_iter_get_val(key);
        const char *header = yyjson_get_str(yyjson_obj_get(property, "x-mcp-header"));
        yyjson_val *value = yyjson_obj_getn(arguments, yyjson_get_str(key), yyjson_get_len(key));

        if (is_token(header) && value)
            add(to, header, value);
        else if (yyjson_is_obj(value))
            gather(to, property, value, depth - 1);
    }
}

const char *const *parameters_of(yyjson_val *schema, yyjson_val *arguments, haft_arena *arena)
{
    struct gathering to = {.arena = arena};

    to.pairs = haft_arena_zalloc(arena, MAX_PARAMETERS * 2 + 1, sizeof *to.pairs);
    if (!to.pairs)
        return NULL;
    gather(&to, schema, arguments, MAX_DEPTH);
    return to.failed ? NULL : to.pairs;
}
