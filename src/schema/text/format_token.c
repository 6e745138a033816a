/* format_token.c - formats that need a parser: JSON Web Tokens and regular expressions.
 *
 * They need memory: the call's arena if there is one. */
#include "schema/text/format_check.h"
#include "schema/text/pattern.h"

#include <string.h>
#include <yyjson.h>

enum { OWN_LIMIT = 8 << 20 }; /* bytes, if there is no arena */

static bool in_own_arena(int (*check)(haft_arena *, const char *, size_t), const char *text,
                         size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, OWN_LIMIT);
    bool passes = arena && check(arena, text, size) == 1;

    haft_arena_free(arena);
    return passes;
}

/* ---- regular expressions ---- */

int hf_format_regex_in(haft_arena *arena, const char *text, size_t size)
{
    return hf_pattern_valid(arena, text, size);
}

bool hf_rfc_regex(const char *text, size_t size)
{
    return in_own_arena(hf_format_regex_in, text, size);
}

/* ---- JSON Web Tokens ---- */

static int sextet(char c)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(alphabet, c) : NULL;

    return at ? (int)(at - alphabet) : -1;
}

/* Decodes base64 like JavaScript's atob: ASCII white space is skipped, padding is optional, and
 * each byte becomes a character, written as UTF-8. Returns the size, or SIZE_MAX if it is not
 * base64. */
static size_t token_decode(const char *text, size_t size, char *ret_text)
{
    size_t count = 0, padding = 0, written = 0;
    unsigned bits = 0;

    for (size_t i = 0; i < size; i++) {
        int value = sextet(text[i]);

        if (text[i] && strchr(" \t\n\f\r", text[i]))
            continue;
        if (text[i] == '=') {
            padding++;
            continue;
        }
        if (value < 0 || padding)
            return SIZE_MAX;
        bits = (bits << 6 | (unsigned)value) & 0xFFFFFF;
        if (count++ % 4) {
            unsigned shift = 6 - (unsigned)((count - 1) % 4) * 2;

            written += hf_utf8_put(bits >> shift & 0xFF, ret_text + written);
        }
    }
    if (count % 4 == 1 || padding > 2 || (padding && (count + padding) % 4))
        return SIZE_MAX;
    return written;
}

/* Whether JavaScript treats the value as true. */
static bool is_truthy(yyjson_val *value)
{
    return value && !yyjson_is_null(value) && !yyjson_is_false(value) &&
           !(yyjson_is_str(value) && !yyjson_get_len(value)) &&
           !(yyjson_is_num(value) && !(yyjson_get_num(value) != 0));
}

/* The last member of that name: of duplicates, JavaScript keeps the last. */
static yyjson_val *last_member(yyjson_val *object, const char *name)
{
    yyjson_val *key, *found = NULL;
    yyjson_obj_iter iterator;

    yyjson_obj_iter_init(object, &iterator);
    while ((key = yyjson_obj_iter_next(&iterator)))
        if (yyjson_equals_str(key, name))
            found = yyjson_obj_iter_get_val(key);
    return found;
}

static bool is_header(yyjson_val *header)
{
    yyjson_val *type = last_member(header, "typ");

    return yyjson_is_obj(header) && (!type || yyjson_equals_str(type, "JWT")) &&
           is_truthy(last_member(header, "alg"));
}

/* Three parts, the first being a JSON header with an algorithm. The signature is not verified. */
int hf_format_jwt_in(haft_arena *arena, const char *text, size_t size)
{
    static const yyjson_read_flag flags = YYJSON_READ_BIGNUM_AS_RAW;
    const char *dot = size ? memchr(text, '.', size) : NULL, *second, *end = text + size;
    size_t header = dot ? (size_t)(dot - text) : 0, decoded, room;
    arena_mark mark = hf_arena_save(arena);
    char *json, *memory;
    yyjson_alc pool;
    yyjson_doc *document;
    bool passes;

    second = dot ? memchr(dot + 1, '.', (size_t)(end - dot - 1)) : NULL;
    if (!header || !second || memchr(second + 1, '.', (size_t)(end - second - 1)))
        return 0;
    json = haft_arena_alloc(arena, header * 2 + YYJSON_PADDING_SIZE);
    decoded = json ? token_decode(text, header, json) : 0;
    if (!json || decoded == SIZE_MAX || !decoded) {
        hf_arena_rewind(arena, mark);
        return json ? 0 : HAFT_ENOMEM;
    }
    room = yyjson_read_max_memory_usage(decoded, flags);
    memory = haft_arena_alloc(arena, room);
    if (!memory) {
        hf_arena_rewind(arena, mark);
        return HAFT_ENOMEM;
    }
    yyjson_alc_pool_init(&pool, memory, room);
    document = yyjson_read_opts(json, decoded, flags, &pool, NULL);
    passes = document && is_header(yyjson_doc_get_root(document));
    hf_arena_rewind(arena, mark);
    return passes;
}

bool hf_zod_jwt(const char *text, size_t size)
{
    return in_own_arena(hf_format_jwt_in, text, size);
}
