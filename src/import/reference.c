/* reference.c - local references: JSON pointers into the document.
 *
 * Each text is looked up once.  The document itself is never read from anywhere: a reference to another
 * document fails, and costs the operations that need it. */
#include <string.h>

#include "base/percent.h"
#include "import/shape.h"

enum { REFERENCE_WORK = 256 << 20, REFERENCE_INDEX_DIGITS = 9 };

struct import_reference {
    yyjson_val *value;   /* NULL if it cannot be used */
    const char *failure; /* why */
};

struct import_cache *hf_import_cache_new(struct import *import, const haft_allocator *allocator)
{
    struct import_cache *cache = haft_arena_zalloc(import->arena, 1, sizeof *cache);

    if (!cache)
        return NULL;
    cache->arena = import->arena;
    cache->work = haft_arena_new(allocator, REFERENCE_WORK);
    return cache->work ? cache : NULL;
}

void hf_import_cache_finish(struct import_cache *cache)
{
    if (cache)
        haft_arena_free(cache->work);
}

/* ---- pointers ---- */

/* Replaces ~1 and ~0, in place. */
static size_t reference_unescape(char *step, size_t size)
{
    size_t to = 0;

    for (size_t from = 0; from < size; from++) {
        bool escaped = step[from] == '~' && from + 1 < size &&
                       (step[from + 1] == '0' || step[from + 1] == '1');

        step[to++] = !escaped ? step[from] : step[from + 1] == '1' ? '/' : '~';
        from += escaped;
    }
    return to;
}

static yyjson_val *reference_item(yyjson_val *array, const char *step, size_t size)
{
    size_t index = 0;

    if (!size || size > REFERENCE_INDEX_DIGITS || (size > 1 && *step == '0'))
        return NULL;
    for (; size; size--, step++) {
        if (*step < '0' || *step > '9')
            return NULL;
        index = index * 10 + (size_t)(*step - '0');
    }
    return yyjson_arr_get(array, index);
}

/* Follows a pointer, which it overwrites. */
static yyjson_val *reference_follow(yyjson_val *value, char *pointer, size_t size)
{
    char *end = pointer + size;

    while (value && pointer < end) {
        char *step = pointer + 1, *slash = memchr(step, '/', (size_t)(end - step));
        size_t length;

        pointer = slash ? slash : end;
        length = reference_unescape(step, (size_t)(pointer - step));
        value = yyjson_is_obj(value) ? yyjson_obj_getn(value, step, length)
                                     : reference_item(value, step, length);
    }
    return value;
}

static int reference_find(const struct import_document *document, const char *text, size_t size,
                          struct import_reference *reference)
{
    haft_arena *arena = document->cache->arena;
    arena_mark mark = hf_arena_save(arena);
    const char *why = NULL;
    char *pointer;
    size_t length;

    if (!size || *text != '#') {
        why = "external reference";
    } else if (size > 1 && text[1] != '/') {
        why = "reference to an anchor";
    } else {
        pointer = haft_arena_alloc(arena, size);
        if (!pointer)
            return HAFT_ENOMEM;
        length = hf_percent_decode_bytes(text + 1, size - 1, false, pointer);
        if (length != PERCENT_INVALID)
            reference->value = reference_follow(document->root, pointer, length);
        if (!reference->value)
            why = "missing reference";
        hf_arena_rewind(arena, mark);
    }
    if (!why)
        return 0;
    reference->failure =
        haft_arena_printf(arena, "%s %.*s", why, (int)(size < 160 ? size : 160), text);
    return reference->failure ? 0 : HAFT_ENOMEM;
}

/* Returns NULL without memory. */
static struct import_reference *reference_get(const struct import_document *document,
                                              yyjson_val *text)
{
    struct import_cache *cache = document->cache;
    const char *key = yyjson_get_str(text);
    size_t size = yyjson_get_len(text);
    struct import_reference *reference = hf_name_map_get(&cache->texts, key, size);

    if (reference)
        return reference;
    reference = haft_arena_zalloc(cache->arena, 1, sizeof *reference);
    if (!reference || reference_find(document, key, size, reference) ||
        hf_name_map_put(&cache->texts, cache->arena, key, size, reference))
        return NULL;
    return reference;
}

/* Whether a value is a reference and nothing else.  Only schemas of 3.1 may have more. */
static bool reference_is_alone(const struct import_document *document, yyjson_val *value,
                               bool schema)
{
    return yyjson_is_str(yyjson_obj_get(value, "$ref")) &&
           (!schema || document->version != IMPORT_3_1 || yyjson_obj_size(value) == 1);
}

yyjson_val *hf_import_follow(const struct import_document *document, bool schema, yyjson_val **text,
                             haft_reason *reterr_reason)
{
    yyjson_val *first = *text;

    for (size_t hops = import_max_depth(document); hops; hops--) {
        struct import_reference *reference = reference_get(document, *text);

        if (!reference) {
            hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
            return NULL;
        }
        if (reference->failure) {
            hf_error_set(reterr_reason, HAFT_EINVAL, "", "%s", reference->failure);
            return NULL;
        }
        if (!reference_is_alone(document, reference->value, schema))
            return reference->value;
        *text = yyjson_obj_get(reference->value, "$ref");
    }
    hf_error_set(reterr_reason, HAFT_EINVAL, "", "circular reference %.160s",
                 yyjson_get_str(first));
    return NULL;
}

yyjson_val *hf_import_resolve(const struct import_document *document, yyjson_val *value,
                              haft_reason *reterr_reason)
{
    yyjson_val *text = yyjson_obj_get(value, "$ref");

    return yyjson_is_str(text) ? hf_import_follow(document, false, &text, reterr_reason) : value;
}
