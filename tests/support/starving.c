/* starving.c - arenas with injected failures; see starving.h.
 *
 * The linker makes every other file of the library call these functions in place of those in
 * arena.c. */
#include "support/starving.h"

#include <haft/base.h>
#include <stdarg.h>

void *__real_haft_arena_alloc(haft_arena *arena, size_t size);
void *__real_haft_arena_zalloc(haft_arena *arena, size_t count, size_t size);
char *__real_haft_arena_copy(haft_arena *arena, const char *text, size_t size);
char *__real_haft_arena_vprintf(haft_arena *arena, const char *format, va_list args);

void *__wrap_haft_arena_alloc(haft_arena *arena, size_t size);
void *__wrap_haft_arena_zalloc(haft_arena *arena, size_t count, size_t size);
char *__wrap_haft_arena_copy(haft_arena *arena, const char *text, size_t size);
char *__wrap_haft_arena_printf(haft_arena *arena, const char *format, ...) HAFT_PRINTF_(2, 3);
char *__wrap_haft_arena_vprintf(haft_arena *arena, const char *format, va_list args);

static size_t fail_at, calls, failures;
static bool keep_failing;

void starve_at(size_t nth, bool goes_on)
{
    fail_at = nth;
    keep_failing = goes_on;
    calls = failures = 0;
}

size_t starved(void)
{
    return failures;
}

static bool starves(void)
{
    if (!fail_at || ++calls < fail_at || (calls > fail_at && !keep_failing))
        return false;
    failures++;
    return true;
}

void *__wrap_haft_arena_alloc(haft_arena *arena, size_t size)
{
    return starves() ? NULL : __real_haft_arena_alloc(arena, size);
}

void *__wrap_haft_arena_zalloc(haft_arena *arena, size_t count, size_t size)
{
    return starves() ? NULL : __real_haft_arena_zalloc(arena, count, size);
}

char *__wrap_haft_arena_copy(haft_arena *arena, const char *text, size_t size)
{
    return starves() ? NULL : __real_haft_arena_copy(arena, text, size);
}

char *__wrap_haft_arena_vprintf(haft_arena *arena, const char *format, va_list args)
{
    return starves() ? NULL : __real_haft_arena_vprintf(arena, format, args);
}

char *__wrap_haft_arena_printf(haft_arena *arena, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = __wrap_haft_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
