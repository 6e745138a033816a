/* pattern.c - ECMA-262 patterns on PCRE2, with limits on time and depth.
 *
 * PCRE2 allocates from arenas: compiled code from the schema's; match data from the call's, created
 * once and reused. Only JIT code lives elsewhere, because it must be executable. The steps of a
 * match are limited, so no pattern can occupy a thread for long. */
#include "schema/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "schema/text/ecma.h"

enum {
    HEAP_LIMIT = 16 * 1024, /* KiB of heap for one match without JIT */
    COMPILE_OPTIONS = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOTALL | PCRE2_MATCH_UNSET_BACKREF |
                      PCRE2_NEVER_BACKSLASH_C
};

/* ---- memory ---- */

/* While compiling, PCRE2 allocates blocks that it soon frees, in no particular order. To release
 * them, each block records the arena's position before and after it; once the newest block is free
 * and nothing was allocated after it, the arena is rewound. */
struct piece {
    struct piece *older;
    arena_mark before, after;
    bool freed;
};

struct pattern_pool {
    haft_arena *arena;
    struct piece *newest;
};

enum { PIECE_SIZE = (sizeof(struct piece) + 15) / 16 * 16 };

static void *pool_malloc(PCRE2_SIZE size, void *context)
{
    struct pattern_pool *pool = context;
    arena_mark before = hf_arena_save(pool->arena);
    struct piece *piece;

    if (size > SIZE_MAX - PIECE_SIZE)
        return NULL;
    piece = haft_arena_alloc(pool->arena, size + PIECE_SIZE);
    if (!piece)
        return NULL;
    *piece = (struct piece){pool->newest, before, hf_arena_save(pool->arena), false};
    pool->newest = piece;
    return (char *)piece + PIECE_SIZE;
}

static void pool_free(void *memory, void *context)
{
    struct pattern_pool *pool = context;

    if (!memory)
        return;
    ((struct piece *)(void *)((char *)memory - PIECE_SIZE))->freed = true;
    while (pool->newest && pool->newest->freed) {
        struct piece *piece = pool->newest;
        arena_mark now = hf_arena_save(pool->arena);

        if (now.block != piece->after.block || now.used != piece->after.used)
            return;
        pool->newest = piece->older;
        hf_arena_rewind(pool->arena, piece->before);
    }
}

/* PCRE2's allocation context, in the arena; NULL without memory. */
static pcre2_general_context *pool_new(haft_arena *arena)
{
    struct pattern_pool *pool = haft_arena_zalloc(arena, 1, sizeof *pool);

    if (!pool)
        return NULL;
    pool->arena = arena;
    return pcre2_general_context_create(pool_malloc, pool_free, pool);
}

/* ---- compiling ---- */

/* Maps the byte `offset` of the translation to an offset in the source. */
static size_t source_offset(haft_arena *arena, const char *source, size_t size, const char *flags,
                            size_t offset)
{
    struct ecma ecma;
    size_t located = 0;

    if (!hf_ecma_translate(&ecma, hf_arena_allocator(arena), source, size, flags, offset))
        located = ecma.located;
    haft_buffer_finish(&ecma.out);
    return located;
}

static int refused(haft_reason *error, const char *text, size_t offset)
{
    return hf_error_set(error, HAFT_EPATTERN, "", "%s at offset %zu", text, offset);
}

/* Compiles a translation. Returns NULL with PCRE2's error and its offset in the translation. */
static pcre2_code *pattern_compile_code(haft_arena *arena, const struct ecma *ecma,
                                        int *reterr_code, size_t *reterr_offset)
{
    pcre2_general_context *general = pool_new(arena);
    pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;
    uint32_t options = COMPILE_OPTIONS;

    *reterr_code = PCRE2_ERROR_HEAP_FAILED;
    *reterr_offset = 0;
    if (!context)
        return NULL;
    if (ecma->ignore_case)
        options |= PCRE2_CASELESS;
    if (!ecma->back_references)
        options |= PCRE2_NO_AUTO_CAPTURE;
    return pcre2_compile((PCRE2_SPTR)(ecma->out.size ? ecma->out.data : ""), ecma->out.size,
                         options, reterr_code, reterr_offset, context);
}

static int pattern_explain(haft_arena *arena, const char *source, size_t size, const char *flags,
                           int code, size_t offset, haft_reason *error)
{
    PCRE2_UCHAR buffer[128] = "";
    const char *text = (const char *)buffer;

    if (code == PCRE2_ERROR_HEAP_FAILED)
        return hf_error_set(error, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
    if (code == PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH)
        text = "lookbehind without a fixed length";
    else if (code == PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY)
        text = "unknown script";
    else
        pcre2_get_error_message(code, buffer, sizeof buffer);
    return refused(error, text, source_offset(arena, source, size, flags, offset));
}

int hf_pattern_compile(haft_arena *arena, struct pattern **list, const char *source, size_t size,
                       const char *flags, uint32_t steps, const struct pattern **ret_pattern,
                       haft_reason *reterr_error)
{
    struct pattern *pattern = haft_arena_zalloc(arena, 1, sizeof *pattern);
    pcre2_code *code = NULL;
    struct ecma ecma;
    size_t offset;
    int status, error;

    flags = flags ? flags : "";
    status = hf_ecma_translate(&ecma, hf_arena_allocator(arena), source, size, flags, SIZE_MAX);
    if (status == HAFT_EPATTERN) {
        status = refused(reterr_error, ecma.error, ecma.error_offset);
        goto out;
    }
    if (pattern) {
        pattern->source = haft_arena_copy(arena, source, size);
        pattern->flags = haft_arena_copy(arena, flags, strlen(flags));
    }
    if (status || !pattern || !pattern->source || !pattern->flags) {
        status = hf_error_set(reterr_error, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
        goto out;
    }
    code = pattern_compile_code(arena, &ecma, &error, &offset);
    if (!code) {
        status = pattern_explain(arena, source, size, flags, error, offset, reterr_error);
        goto out;
    }
    (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* optional: only affects speed */
    pattern->code = code;
    pattern->steps = steps;
    pattern->next = *list;
    *list = pattern;
    *ret_pattern = pattern;
out:
    haft_buffer_finish(&ecma.out);
    return status;
}

int hf_pattern_valid(haft_arena *arena, const char *source, size_t size)
{
    arena_mark mark = hf_arena_save(arena);
    struct ecma ecma;
    size_t offset;
    int error = 0, status;

    status = hf_ecma_translate(&ecma, hf_arena_allocator(arena), source, size, "", SIZE_MAX);
    /* The syntax has been checked; of the errors that PCRE2 can still report, only an unknown
     * script name makes the expression invalid in ECMA-262. */
    if (!status && !pattern_compile_code(arena, &ecma, &error, &offset) &&
        error == PCRE2_ERROR_HEAP_FAILED)
        status = HAFT_ENOMEM;
    haft_buffer_finish(&ecma.out);
    hf_arena_rewind(arena, mark);
    if (status == HAFT_ENOMEM)
        return status;
    return !status && error != PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY;
}

void hf_patterns_free(struct pattern *list)
{
    for (; list; list = list->next)
        pcre2_code_free(list->code);
}

/* ---- matching ---- */

static int pattern_prepare(struct pattern_scratch *scratch)
{
    if (scratch->match_context)
        return 0;
    if (!scratch->general_context)
        scratch->general_context = pool_new(scratch->arena);
    if (scratch->general_context && !scratch->match_data)
        scratch->match_data = pcre2_match_data_create(1, scratch->general_context);
    if (scratch->match_data)
        scratch->match_context = pcre2_match_context_create(scratch->general_context);
    if (!scratch->match_context)
        return HAFT_ENOMEM;
    pcre2_set_heap_limit(scratch->match_context, HEAP_LIMIT);
    return 0;
}

int hf_pattern_match(const struct pattern *pattern, struct pattern_scratch *scratch,
                     const char *text, size_t size)
{
    int result = pattern_prepare(scratch);

    if (result)
        return result;
    pcre2_set_match_limit(scratch->match_context, pattern->steps);
    pcre2_set_depth_limit(scratch->match_context, pattern->steps);
    result = pcre2_match(pattern->code, (PCRE2_SPTR)(size ? text : ""), size, 0, PCRE2_NO_UTF_CHECK,
                         scratch->match_data, scratch->match_context);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT)
        result =
            pcre2_match(pattern->code, (PCRE2_SPTR)text, size, 0, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                        scratch->match_data, scratch->match_context);
    if (result >= 0)
        return 1;
    if (result == PCRE2_ERROR_NOMATCH)
        return 0;
    return result == PCRE2_ERROR_NOMEMORY ? HAFT_ENOMEM : HAFT_ESTEPS;
}
