/* once.c - the stage that lets the state of an unfinished call be used once.
 *
 * The store remembers a hash of each state that a call has come back with, until the state expires. A
 * call that brings it again is refused before its handler runs. Without a store, the states are
 * remembered in this process. The seal has been checked by then, so that made-up states cost nothing. */
#include <string.h>

#include "base/hex.h"
#include "base/sha256.h"
#include "engine/call/call.h"
#include "engine/call/fault.h"
#include "stage/store_state.h"

enum { ONCE_MS = 11 * 60 * 1000, ONCE_NAME = 2 * SHA256_SIZE }; /* longer than a state is valid */

struct once {
    haft_stage stage;
    haft_store *own; /* of this process */
};

/* A call that asks the store. */
struct once_ask {
    haft_store_request request; /* must be first */
    haft_store_op op;
    char name[ONCE_NAME];
    const struct once *once;
    haft_call *call;
};

static void once_put_name(const yyjson_val *state, char ret_name[ONCE_NAME])
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, unsafe_yyjson_get_str((void *)(uintptr_t)state),
                  unsafe_yyjson_get_len((void *)(uintptr_t)state));
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, sizeof digest, ret_name);
}

/* Returns as haft_store_submit. */
static int once_submit(struct once_ask *ask, haft_store *store,
                       void (*done)(haft_store_request *request))
{
    ask->op = (haft_store_op){.kind = HAFT_STORE_PUT,
                              .key = HAFT_SLICE("state"),
                              .value = HAFT_SLICE("1"),
                              .if_version = true,
                              .expires_ms = ONCE_MS};
    ask->request = (haft_store_request){.space = "replay",
                                        .group = {ask->name, sizeof ask->name},
                                        .ops = &ask->op,
                                        .n_ops = 1,
                                        .now = ask->call->time.now,
                                        .done = done};
    return haft_store_submit(store, &ask->request);
}

/* Returns the status for the stage. */
static int once_decide(struct once_ask *ask, int status)
{
    haft_call *call = ask->call;
    haft_server *server = call->server;
    haft_store_away policy = hf_store_policy(server, STORE_REPLAY);

    if (server->options.store)
        hf_store_note(server, STORE_REPLAY, status);
    if (hf_store_is_away(status)) {
        hf_store_count(server, STORE_REPLAY, policy == HAFT_AWAY_CLOSED);
        if (policy == HAFT_AWAY_LOCAL)
            status = once_submit(ask, ask->once->own, NULL) ? status : ask->request.status;
        else if (policy == HAFT_AWAY_OPEN)
            status = 1;
    }
    if (status > 0)
        return 0;
    return status ? status
                  : haft_refuse(call, "This requestState has been used already. Call again "
                                      "without it.");
}

static void once_on_answer(haft_store_request *request)
{
    struct once_ask *ask = (struct once_ask *)request;

    haft_continue(ask->call, once_decide(ask, request->status));
}

static int once_ready(haft_call *call, void *data)
{
    const struct once *once = data;
    const yyjson_val *state = call->request.message.request_state;
    haft_store *store = call->server->options.store;
    struct once_ask *ask;
    int status;

    if (!hf_revision_rows[call->revision].modern || !state)
        return 0;
    ask = haft_arena_zalloc(call->arena, 1, sizeof *ask);
    if (!ask)
        return HAFT_ENOMEM;
    ask->once = once;
    ask->call = call;
    once_put_name(state, ask->name);
    status = once_submit(ask, store ? store : once->own, once_on_answer);
    return status == HAFT_PENDING ? status
                                  : once_decide(ask, status ? status : ask->request.status);
}

int haft_single_use_enable(haft_server *server)
{
    struct once *once;

    if (server->keys.single_use)
        return 0;
    once = hf_server_zalloc(server, sizeof *once);
    if (!once)
        return hf_server_refuse(server, HAFT_ENOMEM, "single use", "out of memory");
    once->own =
        haft_store_memory_new(HAFT_WITH(haft_store_memory_options, .allocator = server->allocator));
    if (!once->own)
        return hf_server_refuse(server, HAFT_ENOMEM, "single use", "out of memory");
    server->metering.own_store = once->own;
    server->keys.single_use = true;
    once->stage =
        (haft_stage)HAFT_INIT(haft_stage, .name = "single use", .ready = once_ready, .data = once);
    return haft_stage_add(server, &once->stage);
}
