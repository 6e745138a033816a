/* struct.c - reads structs that programs fill in. They may be shorter than ours if the program was
 * compiled with the headers of an earlier version; their first member is their size. */
#include "base/struct.h"

enum { SIZE_LIMIT = 1 << 12 };

static bool size_is_possible(size_t size)
{
    return size > sizeof size && size <= SIZE_LIMIT && size % sizeof size == 0;
}

bool hf_struct_read(void *ret_own, size_t own, const void *given)
{
    size_t size;

    memset(ret_own, 0, own);
    if (given) {
        memcpy(&size, given, sizeof size);
        if (!size_is_possible(size))
            return false;
        memcpy(ret_own, given, size < own ? size : own);
    }
    memcpy(ret_own, &own, sizeof own);
    return true;
}

int hf_struct_view(const void *given, size_t own, haft_arena *arena, const void **ret_view)
{
    size_t size;
    void *copy;

    memcpy(&size, given, sizeof size);
    if (!size_is_possible(size))
        return HAFT_EINVAL;
    *ret_view = given;
    if (size >= own)
        return 0;
    copy = haft_arena_alloc(arena, own);
    if (!copy)
        return HAFT_ENOMEM;
    hf_struct_read(copy, own, given);
    *ret_view = copy;
    return 0;
}
