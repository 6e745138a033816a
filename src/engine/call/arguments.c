/* arguments.c - the arguments of a call as JSON.
 *
 * Arguments that were decoded directly from text (direct.c) are converted to JSON only on request;
 * once that happened for a tool, its arguments are parsed as JSON from then on. */
#include "engine/call/arguments.h"
#include "engine/call/call.h"

/* The arguments as JSON, in separate memory, because a running handler owns the call's arena. */
struct materialized {
    haft_arena *arena;
    yyjson_val *json;
};

/* Restores the closing quotes of strings, which are NUL. */
static struct materialized *spell(const haft_call *call)
{
    const struct direct *direct = &call->args.direct;
    haft_arena *arena = haft_arena_new(call->server->allocator, CALL_ARENA);
    struct materialized *materialized =
        arena ? haft_arena_zalloc(arena, 1, sizeof *materialized) : NULL;
    char *text = materialized ? haft_arena_copy(arena, direct->text, direct->size) : NULL;
    const char *reason;
    size_t offset;

    for (size_t i = 0; text && i < direct->size; i++)
        text[i] = text[i] ? text[i] : '"';
    if (text && !hf_json_parse(text, direct->size, arena, &materialized->json, &offset, &reason)) {
        materialized->arena = arena;
        return materialized;
    }
    haft_arena_free(arena);
    return NULL;
}

yyjson_val *hf_direct_sent(haft_call *call)
{
    struct materialized *materialized, *first = NULL;

    materialized = atomic_load(&call->args.materialized);
    if (materialized)
        return materialized->json;
    if (call->args.direct.of)
        atomic_store(call->args.direct.of->direct, false);
    materialized = spell(call);
    if (!materialized ||
        atomic_compare_exchange_strong(&call->args.materialized, &first, materialized))
        return materialized ? materialized->json : NULL;
    haft_arena_free(materialized->arena);
    return first->json;
}

yyjson_val *hf_call_arguments(haft_call *call)
{
    return call->args.json || !call->args.direct.text ? call->args.json : hf_direct_sent(call);
}

haft_value *haft_call_arguments(const haft_call *call)
{
    return hf_call_arguments((haft_call *)(uintptr_t)call);
}

bool hf_direct_undo(haft_call *call)
{
    call->args.json = hf_call_arguments(call);
    call->args.direct.of = NULL;
    return call->args.json;
}

void hf_direct_release(haft_call *call)
{
    haft_arena_free(atomic_load(&call->args.materialized)->arena);
}
