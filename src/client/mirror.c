/* mirror.c - arguments that are repeated in headers, so that proxies can route by them.
 *
 * A property of the schema with x-mcp-header names the header; it is valid only on paths of
 * properties. */
#include <string.h>

#include "client/mirror.h"

#include "protocol/header.h"
#include "protocol/rpc.h"

enum { MIRROR_MAX_DEPTH = 512, MIRROR_MAX = 64 }; /* messages are not parsed deeper */

struct gathering {
    haft_arena *arena;
    haft_header *headers;
    size_t n;
    bool failed;
};

/* The text of a value; NULL data if it has none. */
static struct text mirror_text(yyjson_val *value, char digits[NUMBER_TEXT])
{
    if (yyjson_is_str(value))
        return (struct text){yyjson_get_str(value), yyjson_get_len(value)};
    if (yyjson_is_bool(value))
        return yyjson_get_bool(value) ? (struct text){"true", 4} : (struct text){"false", 5};
    if (yyjson_is_int(value)) /* ids are written the same way */
        return (struct text){digits, hf_rpc_id_to_text(value, digits, NUMBER_TEXT)};
    if (yyjson_is_real(value)) /* an integer, as required of headers: 5.0 */
        return (struct text){digits, hf_number_to_text(yyjson_get_real(value), digits)};
    return (struct text){NULL, 0};
}

static void mirror_add(struct gathering *to, const char *name, yyjson_val *value)
{
    char digits[NUMBER_TEXT];
    struct text text = mirror_text(value, digits);
    haft_header *header = &to->headers[to->n];

    if (to->n == MIRROR_MAX || !text.data)
        return;
    header->name = haft_arena_printf(to->arena, "Mcp-Param-%s", name);
    header->value = hf_mirror_encode(text.data, text.size, to->arena);
    to->failed = to->failed || !header->name || !header->value;
    to->n++;
}

static void mirror_gather(struct gathering *to, yyjson_val *schema, yyjson_val *arguments,
                          int depth)
{
    yyjson_obj_iter properties = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    yyjson_val *key;

    while (depth && (key = yyjson_obj_iter_next(&properties))) {
        yyjson_val *property = yyjson_obj_iter_get_val(key);
        const char *header = yyjson_get_str(yyjson_obj_get(property, "x-mcp-header"));
        yyjson_val *value = yyjson_obj_getn(arguments, yyjson_get_str(key), yyjson_get_len(key));

        if (header && hf_header_name_is_valid(header) && value)
            mirror_add(to, header, value);
        else if (yyjson_is_obj(value))
            mirror_gather(to, property, value, depth - 1);
    }
}

/* ---- schemas with headers ---- */

enum mirror_place { MIRROR_ROOT, MIRROR_PROPERTY, MIRROR_ELSEWHERE };

struct inspection {
    const char *names[MIRROR_MAX];
    size_t n;
    const char *why;
};

static bool mirror_is_one_of(yyjson_val *text, const char *const *names)
{
    while (*names && !yyjson_equals_str(text, *names))
        names++;
    return *names;
}

static bool mirror_is_scalar(yyjson_val *type)
{
    static const char *const names[] = {"string", "integer", "boolean", NULL};
    bool any = false;
    yyjson_val *one;
    size_t i, n;

    if (!yyjson_is_arr(type))
        return mirror_is_one_of(type, names);
    yyjson_arr_foreach(type, i, n, one) {
        if (!mirror_is_one_of(one, names) && !yyjson_equals_str(one, "null"))
            return false;
        any = any || mirror_is_one_of(one, names);
    }
    return any;
}

static const char *mirror_fault_at(struct inspection *in, yyjson_val *property,
                                   enum mirror_place place)
{
    yyjson_val *header = yyjson_obj_get(property, "x-mcp-header");
    const char *name = yyjson_get_str(header);

    if (place != MIRROR_PROPERTY)
        return "declares x-mcp-header where no argument is";
    if (!name || !hf_header_name_is_valid(name) || strlen(name) != yyjson_get_len(header))
        return "declares an x-mcp-header that is not a valid header name";
    if (!mirror_is_scalar(yyjson_obj_get(property, "type")))
        return "declares x-mcp-header for a type other than string, integer or boolean";
    for (size_t i = 0; i < in->n; i++)
        if (hf_text_same_ignoring_case(in->names[i], name))
            return "declares the same x-mcp-header twice";
    if (in->n == MIRROR_MAX)
        return "declares too many x-mcp-header arguments";
    in->names[in->n++] = name;
    return NULL;
}

/* Visits everything in a value that can be a schema. Outside of arguments, only a string is taken
 * for a header, because the object may be a map of schemas. */
static void mirror_inspect(struct inspection *in, yyjson_val *value, enum mirror_place place,
                           int depth)
{
    static const char *const data[] = {"const", "default", "enum", "examples", NULL};
    yyjson_val *header = yyjson_obj_get(value, "x-mcp-header"), *key, *one, *name;
    size_t i, n, k, m;

    if (!value || !depth || in->why)
        return;
    if (header && (place == MIRROR_PROPERTY || yyjson_is_str(header)))
        in->why = mirror_fault_at(in, value, place);
    yyjson_arr_foreach(value, i, n, one)
        mirror_inspect(in, one, MIRROR_ELSEWHERE, depth - 1);
    yyjson_obj_foreach(value, i, n, key, one) {
        if (mirror_is_one_of(key, data))
            continue;
        if (!yyjson_equals_str(key, "properties")) {
            mirror_inspect(in, one, MIRROR_ELSEWHERE, depth - 1);
            continue;
        }
        yyjson_obj_foreach(one, k, m, name, header)
            mirror_inspect(in, header,
                           place == MIRROR_ELSEWHERE ? MIRROR_ELSEWHERE : MIRROR_PROPERTY,
                           depth - 1);
    }
}

const char *hf_mirror_fault(yyjson_val *schema)
{
    struct inspection in = {.n = 0};

    mirror_inspect(&in, schema, MIRROR_ROOT, MIRROR_MAX_DEPTH);
    return in.why;
}

/* ---- the headers of a call ---- */

/* Whether a header can hold a value as it is. */
static bool mirror_is_plain(const char *text, size_t size)
{
    static const char before[] = "=?base64?", after[] = "?=";

    if (size && (text[0] == ' ' || text[size - 1] == ' '))
        return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] < 0x20 || text[i] >= 0x7F)
            return false;
    return size < sizeof before + sizeof after - 2 ||
           memcmp(text, before, sizeof before - 1) != 0 ||
           memcmp(text + size - 2, after, sizeof after - 1) != 0;
}

const char *hf_mirror_encode(const char *text, size_t size, haft_arena *arena)
{
    static const char before[] = "=?base64?", after[] = "?=";
    char *encoded, *end;

    if (mirror_is_plain(text, size))
        return haft_arena_copy(arena, text, size);
    encoded = end = haft_arena_alloc(arena, sizeof before + HAFT_BASE64_SIZE(size) + sizeof after);
    if (!encoded)
        return NULL;
    memcpy(end, before, sizeof before - 1);
    end += sizeof before - 1;
    end += haft_base64_encode(text, size, end);
    memcpy(end, after, sizeof after);
    return encoded;
}

int hf_mirror_headers(yyjson_val *schema, yyjson_val *arguments, haft_arena *arena,
                      haft_header **ret_headers, size_t *ret_n)
{
    struct gathering to = {.arena = arena};

    to.headers = haft_arena_zalloc(arena, MIRROR_MAX + 1, sizeof *to.headers);
    if (!to.headers)
        return HAFT_ENOMEM;
    mirror_gather(&to, schema, arguments, MIRROR_MAX_DEPTH);
    if (to.failed)
        return HAFT_ENOMEM;
    *ret_headers = to.headers;
    *ret_n = to.n;
    return 0;
}
