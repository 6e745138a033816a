/* read.c - strict reading: yyjson parses the text into the arena, then depth and keys are checked.
 *
 * A yyjson document is an array of values in document order, so both checks are a single pass
 * without recursion. */
#include "json/json.h"

#include <string.h>

#include "base/defaults.h"

enum { READ_FEW_KEYS = 16 };

static void *arena_malloc(void *context, size_t size)
{
    return haft_arena_alloc(context, size);
}

static void *arena_realloc(void *context, void *memory, size_t old_size, size_t size)
{
    return hf_arena_resize(context, memory, old_size, size);
}

static void arena_no_free(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

yyjson_alc hf_json_arena(haft_arena *arena)
{
    return (yyjson_alc){arena_malloc, arena_realloc, arena_no_free, arena};
}

int hf_json_parse(const char *text, size_t size, haft_arena *arena, yyjson_val **ret_value,
                  size_t *reterr_offset, const char **reterr_reason)
{
    const yyjson_alc alc = hf_json_arena(arena);
    yyjson_read_err error = {0};
    /* Without YYJSON_READ_INSITU yyjson does not modify the text. */
    yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)text, size, 0, &alc, &error);

    if (doc) {
        *ret_value = yyjson_doc_get_root(doc);
        return 0;
    }
    *reterr_offset = error.pos;
    *reterr_reason = error.msg ? error.msg : "not valid JSON";
    if (error.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        return HAFT_ENOMEM;
    return haft_utf8_valid(text, size) == size ? HAFT_EPARSE : HAFT_EUTF8;
}

static inline bool same_key(yyjson_val *left, yyjson_val *right)
{
    const char *l = unsafe_yyjson_get_str(left), *r = unsafe_yyjson_get_str(right);
    size_t size = unsafe_yyjson_get_len(left);

    /* Every string ends in a NUL, so reading the first byte is safe. */
    return size == unsafe_yyjson_get_len(right) && *l == *r && same_bytes(l, r, size);
}

static inline yyjson_val *next_key(yyjson_val *key)
{
    return unsafe_yyjson_get_next(key + 1);
}

/* Whether an earlier key of the object equals this one. */
APART static bool is_before(yyjson_val *object, yyjson_val *key)
{
    yyjson_val *at = unsafe_yyjson_get_first(object);

    while (at < key && !same_key(at, key))
        at = next_key(at);
    return at < key;
}

/* Whether a container holds nothing but its direct members. Members that are containers are then
 * empty, so the nesting is one level or two. */
static inline bool is_flat(yyjson_val *container)
{
    size_t n = unsafe_yyjson_get_len(container) << unsafe_yyjson_is_obj(container);

    return container->uni.ofs == (n + 1) * sizeof *container;
}

/* One of 64 bits, selected by the size and first byte of a key; equal keys have equal bits. */
static inline uint64_t key_bit(yyjson_val *key)
{
    size_t size = unsafe_yyjson_get_len(key);

    return UINT64_C(1) << ((size + (unsigned char)*unsafe_yyjson_get_str(key)) & 63);
}

/* For few keys: a key is compared with the earlier ones only if its bit is already taken. */
static inline bool few_duplicate(yyjson_val *object, yyjson_val **ret_key)
{
    yyjson_val *key = unsafe_yyjson_get_first(object);
    uint64_t seen = 0;

    for (size_t left = unsafe_yyjson_get_len(object); left; left--) {
        uint64_t bit = key_bit(key);

        if (seen & bit && is_before(object, key)) {
            *ret_key = key;
            return true;
        }
        seen |= bit;
        key = next_key(key);
    }
    return false;
}

/* For many keys: uses a hash table. */
APART static int many_duplicate(yyjson_val *object, haft_arena *arena, yyjson_val **ret_key)
{
    size_t n = unsafe_yyjson_get_len(object), n_slots = 64;
    arena_mark mark = hf_arena_save(arena);
    yyjson_val **slots, *key;
    yyjson_obj_iter iter;
    int found = 0;

    while (n_slots < n * 2)
        n_slots *= 2;
    slots = haft_arena_zalloc(arena, n_slots, sizeof(yyjson_val *));
    if (!slots)
        return HAFT_ENOMEM;
    iter = yyjson_obj_iter_with(object);
    while (!found && (key = yyjson_obj_iter_next(&iter))) {
        size_t at = hf_hash_bytes(yyjson_get_str(key), yyjson_get_len(key));

        for (; slots[at & (n_slots - 1)]; at++)
            if (same_key(slots[at & (n_slots - 1)], key)) {
                *ret_key = key;
                found = 1;
                break;
            }
        slots[at & (n_slots - 1)] = key;
    }
    hf_arena_rewind(arena, mark);
    return found;
}

static inline int find_duplicate(yyjson_val *object, haft_arena *arena, yyjson_val **ret_key)
{
    return unsafe_yyjson_get_len(object) <= READ_FEW_KEYS ? few_duplicate(object, ret_key)
                                                          : many_duplicate(object, arena, ret_key);
}

int hf_json_duplicate(yyjson_val *object, haft_arena *arena, yyjson_val **ret_key)
{
    return find_duplicate(object, arena, ret_key);
}

bool hf_json_is_deep(yyjson_val *value, size_t max_depth)
{
    yyjson_val *ends[JSON_MAX_DEPTH + 1];
    yyjson_val *end = unsafe_yyjson_get_next(value), *at = value;
    size_t depth = 0;

    if (max_depth > JSON_MAX_DEPTH)
        max_depth = JSON_MAX_DEPTH;
    /* Each level needs at least one value. */
    if ((size_t)(end - value) <= max_depth)
        return false;
    ends[0] = end;
    while (at < end) {
        yyjson_val *next = unsafe_yyjson_get_next(at);

        if (unsafe_yyjson_is_ctn(at)) {
            while (at >= ends[depth])
                depth--;
            if (depth == max_depth)
                return true;
            if (depth + 1 == max_depth || !is_flat(at)) {
                ends[++depth] = next;
                next = at + 1;
            }
        }
        at = next;
    }
    return false;
}

/* Whether both keys of an object with two keys are equal. */
static inline bool is_twin(yyjson_val *object)
{
    yyjson_val *first = unsafe_yyjson_get_first(object);

    return same_key(first, next_key(first));
}

/* Checks a value too small to exceed the depth: all its objects, one after the other. Most have one
 * or two keys. */
static inline int check_small(yyjson_val *value, haft_arena *arena, yyjson_val **reterr_key)
{
    yyjson_val *end = unsafe_yyjson_get_next(value);

    for (yyjson_val *at = value; at < end; at++) {
        size_t n;

        if (!unsafe_yyjson_is_obj(at))
            continue;
        n = unsafe_yyjson_get_len(at);
        if (n > 2 || (n == 2 && is_twin(at))) {
            int status = hf_json_duplicate(at, arena, reterr_key);

            if (status)
                return status < 0 ? status : HAFT_EINVAL;
        }
        /* Skip to the last value if none of the members is a container. */
        if (at->uni.ofs == (2 * n + 1) * sizeof *at)
            at += 2 * n;
    }
    return 0;
}

APART static int check_large(yyjson_val *value, size_t max_depth, haft_arena *arena,
                             yyjson_val **reterr_key)
{
    yyjson_val *ends[JSON_MAX_DEPTH + 1]; /* ends of the open containers */
    yyjson_val *at = value, *end = unsafe_yyjson_get_next(value);
    size_t depth = 0;

    ends[0] = end;
    while (at < end) {
        if (!unsafe_yyjson_is_ctn(at)) {
            at++;
            continue;
        }
        while (at >= ends[depth])
            depth--;
        if (depth == max_depth)
            return HAFT_EDEPTH;
        if (unsafe_yyjson_is_obj(at) && unsafe_yyjson_get_len(at) > 1) {
            int status = find_duplicate(at, arena, reterr_key);

            if (status)
                return status < 0 ? status : HAFT_EINVAL;
        }
        if (depth + 1 < max_depth && is_flat(at)) {
            at = unsafe_yyjson_get_next(at);
        } else {
            ends[++depth] = unsafe_yyjson_get_next(at);
            at++;
        }
    }
    return 0;
}

int hf_json_check(yyjson_val *value, size_t max_depth, haft_arena *arena, yyjson_val **reterr_key)
{
    if (max_depth > JSON_MAX_DEPTH)
        max_depth = JSON_MAX_DEPTH;
    /* Each level needs at least one value. */
    if ((size_t)(unsafe_yyjson_get_next(value) - value) <= max_depth)
        return check_small(value, arena, reterr_key);
    return check_large(value, max_depth, arena, reterr_key);
}

bool hf_json_text_is_deep(const char *text, size_t size, size_t max_depth)
{
    const char *end = text + size;
    size_t depth = 0;

    for (; text < end; text++) {
        if (*text == '"') {
            /* Skip to the end of the string, ignoring escaped quotes. */
            for (text++; text < end && *text != '"'; text++)
                text += *text == '\\';
        } else if (*text == '[' || *text == '{') {
            if (++depth > max_depth)
                return true;
        } else if ((*text == ']' || *text == '}') && depth) {
            depth--;
        }
    }
    return false;
}

haft_value *haft_json_read(const char *text, size_t size, size_t max_depth, haft_arena *arena,
                           haft_reason *reterr_error)
{
    yyjson_val *value = NULL, *key = NULL;
    const char *reason = NULL;
    size_t offset = 0;
    int status = hf_json_parse(text, size, arena, &value, &offset, &reason);

    if (status == HAFT_ENOMEM) {
        hf_error_set(reterr_error, status, NULL, "out of memory");
        return NULL;
    }
    if (status) {
        hf_error_set(reterr_error, status, NULL, "%s at byte %zu", reason, offset);
        return NULL;
    }
    if (!max_depth)
        max_depth = DEFAULT_DEPTH;
    status = hf_json_check(value, max_depth, arena, &key);
    if (status == HAFT_EINVAL)
        hf_error_set(reterr_error, HAFT_EPARSE, NULL, "the key \"%s\" occurs more than once",
                     yyjson_get_str(key));
    else if (status == HAFT_EDEPTH)
        hf_error_set(reterr_error, status, NULL, "nested deeper than %zu levels", max_depth);
    else if (status)
        hf_error_set(reterr_error, status, NULL, "out of memory");
    return status ? NULL : value;
}
