/* name.c - names of tools that come from elsewhere.
 *
 * A name depends on nothing but its parts, so that it is the same at every run.  Only a name that would be too
 * long, or that another operation has, ends with digits of a hash. */
#include <string.h>

#include "base/sha256.h"
#include "import/name.h"

enum { NAME_HASH_DIGITS = 6, NAME_KEPT = IMPORT_NAME_MAX - NAME_HASH_DIGITS - 1 };

static bool name_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Replaces runs of other characters by one underscore, none at the ends. */
static void name_clean(char *name)
{
    char *to = name;

    for (const char *from = name; *from; from++)
        if (name_is_word(*from) || *from == '_' || *from == '-')
            *to++ = *from;
        else if (to > name && to[-1] != '_')
            *to++ = '_';
    while (to > name && to[-1] == '_')
        to--;
    *to = '\0';
}

/* The length of the beginning that ends with a word. */
static size_t name_cut(const char *name)
{
    size_t size = strlen(name);

    if (size > NAME_KEPT) {
        size = NAME_KEPT;
        while (size > NAME_KEPT / 2 && name[size] != '_' && name[size] != '-' &&
               !(name[size] >= 'A' && name[size] <= 'Z'))
            size--;
        if (size == NAME_KEPT / 2)
            size = NAME_KEPT;
    }
    while (size && (name[size - 1] == '_' || name[size - 1] == '-'))
        size--;
    return size;
}

static const char *name_with_hash(haft_arena *arena, const char *name, const char *hashed)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, hashed, strlen(hashed));
    hf_sha256_finish(&hash, digest);
    return haft_arena_printf(arena, "%.*s_%02x%02x%02x", (int)name_cut(name), name, digest[0],
                             digest[1], digest[2]);
}

const char *hf_import_name(haft_arena *arena, const char *prefix, const char *name)
{
    return hf_import_name_apart(arena, prefix, name, NULL);
}

const char *hf_import_name_clean(haft_arena *arena, const char *name)
{
    char *clean = haft_arena_copy(arena, name, strlen(name));

    if (clean)
        name_clean(clean);
    return clean;
}

const char *hf_import_name_apart(haft_arena *arena, const char *prefix, const char *name,
                                 const char *apart)
{
    const char *before = hf_import_name_clean(arena, prefix ? prefix : ""),
               *clean = hf_import_name_clean(arena, name);
    const char *between = before && *before ? "__" : "";
    const char *whole =
        before && clean ? haft_arena_printf(arena, "%s%s%s", before, between, clean) : NULL;
    const char *hashed;

    if (!whole || (!apart && *clean && strlen(whole) <= IMPORT_NAME_MAX))
        return whole;
    hashed = haft_arena_printf(arena, "%s%s%s%s", prefix ? prefix : "", between, name,
                               apart ? apart : "");
    return hashed ? name_with_hash(arena, whole, hashed) : NULL;
}

bool hf_import_name_has_words(const char *name)
{
    while (*name && !name_is_word(*name))
        name++;
    return *name;
}
