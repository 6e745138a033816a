/* shape_key.c - what equal calls have in common, as a digest.
 *
 * Values are hashed with their types and sizes, so that only equal ones have equal digests; the order of keys and
 * the difference between 1 and 1.0 do not matter. */
#include <stdlib.h>
#include <string.h>

#include "gateway/shape.h"
#include "protocol/meta.h"
#include "upstream/upstream.h"

static void key_put_number(struct sha256 *hash, char type, uint64_t number)
{
    hf_sha256_add(hash, &type, 1);
    hf_sha256_add(hash, &number, sizeof number);
}

static void key_put_text(struct sha256 *hash, const char *text, size_t size)
{
    key_put_number(hash, 's', size);
    hf_sha256_add(hash, text, size);
}

/* NULL differs from an empty text. */
static void key_put_member(struct sha256 *hash, const char *text)
{
    key_put_number(hash, 'm', text != NULL);
    if (text)
        key_put_text(hash, text, strlen(text));
}

/* ---- arguments ---- */

static void key_put_double(struct sha256 *hash, yyjson_val *value)
{
    static const double exact = 9007199254740992.0; /* 2^53 */
    double number = yyjson_get_real(value);
    uint64_t bits;

    if (number > -exact && number < exact && (double)(int64_t)number == number) {
        key_put_number(hash, 'i', (uint64_t)(int64_t)number);
        return;
    }
    memcpy(&bits, &number, sizeof bits);
    key_put_number(hash, 'd', bits);
}

static void key_put_scalar(struct sha256 *hash, yyjson_val *value)
{
    if (yyjson_is_str(value))
        key_put_text(hash, yyjson_get_str(value), yyjson_get_len(value));
    else if (yyjson_is_raw(value)) /* a number that is larger than others */
        key_put_text(hash, yyjson_get_raw(value), yyjson_get_len(value));
    else if (yyjson_is_real(value))
        key_put_double(hash, value);
    else if (yyjson_is_sint(value))
        key_put_number(hash, 'i', (uint64_t)yyjson_get_sint(value));
    else if (yyjson_is_uint(value)) /* not the same as a negative number */
        key_put_number(hash, yyjson_get_uint(value) > INT64_MAX ? 'u' : 'i',
                       yyjson_get_uint(value));
    else
        key_put_number(hash, 'c', (uint64_t)unsafe_yyjson_get_tag(value));
}

static int key_compare(const void *left, const void *right)
{
    yyjson_val *one = *(yyjson_val *const *)left, *other = *(yyjson_val *const *)right;
    size_t size = yyjson_get_len(one), other_size = yyjson_get_len(other);
    int order =
        memcmp(yyjson_get_str(one), yyjson_get_str(other), size < other_size ? size : other_size);

    return order ? order : (size > other_size) - (size < other_size);
}

/* An open object or array: its values, or its keys in order. */
struct key_level {
    struct key_level *above;
    bool is_object;
    size_t n, i;
    yyjson_val *list[];
};

static struct key_level *key_open(struct sha256 *hash, yyjson_val *value, haft_arena *arena,
                                  struct key_level *above)
{
    struct key_level *level;
    size_t n = unsafe_yyjson_get_len(value), i, max;
    yyjson_val *key, *each;

    level = haft_arena_alloc(arena, sizeof *level + n * sizeof *level->list);
    if (!level)
        return NULL;
    *level = (struct key_level){.above = above, .is_object = yyjson_is_obj(value), .n = n};
    key_put_number(hash, level->is_object ? '{' : '[', n);
    yyjson_arr_foreach(value, i, max, each)
        level->list[i] = each;
    yyjson_obj_foreach(value, i, max, key, each)
        level->list[i] = key;
    if (level->is_object && n)
        qsort(level->list, n, sizeof *level->list, key_compare);
    return level;
}

/* Returns 0 or HAFT_ENOMEM. */
static int key_put_value(struct sha256 *hash, yyjson_val *value, haft_arena *arena)
{
    struct key_level *level = NULL;

    for (;;) {
        if (yyjson_is_ctn(value)) {
            level = key_open(hash, value, arena, level);
            if (!level)
                return HAFT_ENOMEM;
        } else {
            key_put_scalar(hash, value);
        }
        while (level && level->i == level->n)
            level = level->above;
        if (!level)
            return 0;
        value = level->list[level->i++];
        if (level->is_object) {
            key_put_text(hash, yyjson_get_str(value), yyjson_get_len(value));
            value = unsafe_yyjson_get_next(value);
        }
    }
}

/* ---- the whole ---- */

/* Everything that a handler can know of the caller, because results may depend on it. */
static void key_put_identity(struct sha256 *hash, const haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);

    key_put_member(hash, call->request.principal);
    if (!identity)
        return;
    key_put_member(hash, identity->method);
    key_put_member(hash, identity->issuer);
    key_put_member(hash, identity->subject);
    key_put_member(hash, identity->client);
    key_put_member(hash, identity->scopes);
    key_put_member(hash, identity->claims);
}

/* Members of `_meta` that the handler can see; an upstream that does not pass them on ignores them. Returns 0 or
 * HAFT_ENOMEM. */
static int key_put_meta(struct sha256 *hash, const haft_call *call, const struct upstream *upstream)
{
    haft_value *meta = haft_request_meta(call);
    yyjson_val *key, *value, **list;
    size_t i, n, count = 0;
    int status = 0;

    if (!yyjson_is_obj(meta) || (upstream && !upstream->kind->passes_meta))
        return 0;
    list = haft_arena_alloc(call->arena, (yyjson_obj_size(meta) + 1) * sizeof *list);
    if (!list)
        return HAFT_ENOMEM;
    yyjson_obj_foreach(meta, i, n, key, value)
        if (hf_meta_is_own(yyjson_get_str(key)))
            list[count++] = key;
    qsort(list, count, sizeof *list, key_compare);
    for (i = 0; i < count && !status; i++) {
        key_put_number(hash, '_', i);
        key_put_text(hash, yyjson_get_str(list[i]), yyjson_get_len(list[i]));
        status = key_put_value(hash, unsafe_yyjson_get_next(list[i]), call->arena);
    }
    return status;
}

/* Headers that the upstream gets of this request. */
static void key_put_headers(struct sha256 *hash, const haft_call *call)
{
    for (size_t i = 0; i < call->request.n_forwarded; i++) {
        const haft_header *header = &call->request.forwarded[i];

        key_put_number(hash, 'h', strlen(header->name));
        for (const char *c = header->name; *c; c++)
            hf_sha256_add(hash, &(char){ascii_lower(*c)}, 1);
        key_put_member(hash, header->value);
    }
}

int hf_shape_key(haft_call *call, const struct tool_shape *shape, unsigned char ret_key[SHAPE_KEY])
{
    yyjson_val *arguments = hf_call_arguments(call);
    const struct upstream *upstream = hf_upstream_of(call->entry->item);
    struct sha256 hash;
    int status;

    if (!arguments)
        return HAFT_ENOMEM;
    hf_sha256_init(&hash);
    key_put_number(&hash, 't', shape->serial);
    key_put_number(&hash, 'r', (uint64_t)call->revision);
    status = key_put_value(&hash, arguments, call->arena);
    key_put_headers(&hash, call);
    if (!status && !shape->rule->shared) {
        key_put_identity(&hash, call);
        status = key_put_meta(&hash, call, upstream);
    }
    hf_sha256_finish(&hash, ret_key);
    return status;
}
