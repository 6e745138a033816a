/* arguments.c - the arguments of a call as JSON.
 *
 * Those that came straight from their text (straight.c) become JSON only for whoever asks for it, and
 * a tool for which somebody did is read the long way from then on. */
#include "engine/call/arguments.h"
#include "engine/call/call.h"

/* The arguments as JSON, in memory of their own: a handler that is still at work has the call's. */
struct spelled {
    haft_arena *arena;
    yyjson_val *json;
};

/* A NUL in it was the quote at the end of a string. */
static struct spelled *spell(const haft_call *call)
{
    const struct straight *straight = &call->args.straight;
    haft_arena *arena = haft_arena_new(call->server->allocator, CALL_ARENA);
    struct spelled *spelled = arena ? haft_arena_zalloc(arena, 1, sizeof *spelled) : NULL;
    char *text = spelled ? haft_arena_copy(arena, straight->text, straight->size) : NULL;
    const char *reason;
    size_t offset;

    for (size_t i = 0; text && i < straight->size; i++)
        text[i] = text[i] ? text[i] : '"';
    if (text && !json_parse(text, straight->size, arena, &spelled->json, &offset, &reason)) {
        spelled->arena = arena;
        return spelled;
    }
    haft_arena_free(arena);
    return NULL;
}

yyjson_val *straight_sent(haft_call *call)
{
    struct spelled *spelled, *first = NULL;

    spelled = atomic_load(&call->args.spelled);
    if (spelled)
        return spelled->json;
    if (call->args.straight.of)
        atomic_store(call->args.straight.of->straight, false);
    spelled = spell(call);
    if (!spelled || atomic_compare_exchange_strong(&call->args.spelled, &first, spelled))
        return spelled ? spelled->json : NULL;
    haft_arena_free(spelled->arena);
    return first->json;
}

yyjson_val *call_arguments(haft_call *call)
{
    return call->args.json || !call->args.straight.text ? call->args.json : straight_sent(call);
}

haft_value *haft_call_arguments(const haft_call *call)
{
    return call_arguments((haft_call *)(uintptr_t)call);
}

bool straight_undo(haft_call *call)
{
    call->args.json = call_arguments(call);
    call->args.straight.of = NULL;
    return call->args.json;
}

void straight_release(haft_call *call)
{
    struct spelled *spelled = atomic_load(&call->args.spelled);

    if (spelled)
        haft_arena_free(spelled->arena);
}
