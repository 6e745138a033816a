/* failing.c - an allocator with injected failures; see failing.h.
 *
 * Each block is preceded by its size, to detect a wrong size. A resize always moves the block, so
 * that the sanitizers detect stale pointers. */
#include "support/failing.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { HEADER = 16 };

static void failing_lock(struct failing *failing)
{
    while (atomic_flag_test_and_set(&failing->lock))
        ;
}

static void failing_unlock(struct failing *failing)
{
    atomic_flag_clear(&failing->lock);
}

static bool fails(struct failing *failing)
{
    bool now;

    failing_lock(failing);
    failing->calls++;
    now = failing->fail_at && failing->calls >= failing->fail_at &&
          (failing->calls == failing->fail_at || failing->keep_failing);
    failing->failures += now;
    failing_unlock(failing);
    return now;
}

static void *take(struct failing *failing, size_t size)
{
    char *block = size <= SIZE_MAX - HEADER ? malloc(HEADER + size) : NULL;

    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    memset(block + HEADER, 0xA5, size);
    failing_lock(failing);
    failing->live_blocks++;
    failing->live_bytes += size;
    if (failing->live_bytes > failing->peak_bytes)
        failing->peak_bytes = failing->live_bytes;
    failing_unlock(failing);
    return block + HEADER;
}

static void give(void *context, void *memory, size_t size)
{
    struct failing *failing = context;
    char *block = (char *)memory - HEADER;
    size_t real;

    memcpy(&real, block, sizeof real);
    failing_lock(failing);
    failing->wrong_sizes += real != size;
    failing->live_blocks--;
    failing->live_bytes -= real;
    failing_unlock(failing);
    free(block);
}

static void *failing_alloc(void *context, size_t size)
{
    struct failing *failing = context;

    return fails(failing) ? NULL : take(failing, size);
}

static void *failing_resize(void *context, void *memory, size_t old_size, size_t size)
{
    struct failing *failing = context;
    void *fresh = fails(failing) ? NULL : take(failing, size);

    if (fresh && memory) {
        memcpy(fresh, memory, old_size < size ? old_size : size);
        give(failing, memory, old_size);
    }
    return fresh;
}

void failing_init(struct failing *failing, size_t fail_at)
{
    *failing = (struct failing){
        .allocator = {failing_alloc, failing_resize, give, failing},
        .lock = ATOMIC_FLAG_INIT,
        .fail_at = fail_at,
    };
}

void failing_check(const struct failing *failing)
{
    assert_int_equal(failing->live_blocks, 0);
    assert_int_equal(failing->live_bytes, 0);
    assert_int_equal(failing->wrong_sizes, 0);
}
