/* store_state.c - the state of the store as a table of its uses. */
#include "stage/store_state.h"

#include <string.h>

#include "engine/offer/log.h"

static const struct use_row {
    const char *name;
    const char *subject; /* of the log; NULL if the user of the store logs its own */
    haft_store_away initial;
} use_rows[STORE_USES] = {
    [STORE_RATES] = {"rates", "rate limits", HAFT_AWAY_LOCAL},
    [STORE_REPLAY] = {"replay", "protection against replay", HAFT_AWAY_CLOSED},
    [STORE_SESSIONS] = {"sessions", NULL, HAFT_AWAY_LOCAL},
    [STORE_CHANGES] = {"changes", "changes of lists and resources", HAFT_AWAY_LOCAL},
};

/* Servers of one program share the state of the first. */
static haft_server *state_owner(haft_server *server)
{
    return server->keys.family ? server->keys.family : server;
}

bool hf_store_is_away(int status)
{
    return status < 0 && status != HAFT_ENOMEM;
}

bool hf_store_note(haft_server *server, enum store_use use, int status)
{
    haft_server *owner = state_owner(server);
    struct store_state *state = &owner->metering.store;
    const char *name = server->options.store ? server->options.store->methods->name : "store";
    const unsigned bit = 1u << use;
    unsigned before;

    if (!hf_store_is_away(status)) {
        if (status < 0 || !(atomic_load(&state->failing) & bit))
            return false;
        before = atomic_fetch_and(&state->failing, ~bit);
        if (before & bit && use_rows[use].subject)
            hf_server_log(server, HAFT_NOTICE, "%s: the store (%s) is responding again",
                          use_rows[use].subject, name);
        return before & bit;
    }
    if (atomic_load(&state->failing) & bit)
        return false;
    atomic_store(&state->since[use], owner->options.clock ? owner->options.clock() : 0);
    before = atomic_fetch_or(&state->failing, bit);
    if (!(before & bit) && use_rows[use].subject)
        hf_server_log(server, HAFT_ERROR, "%s: the store (%s) failed: %s", use_rows[use].subject,
                      name, haft_strerror(status));
    return false;
}

void hf_store_count(haft_server *server, enum store_use use, bool refused)
{
    struct store_state *state = &state_owner(server)->metering.store;

    atomic_fetch_add(refused ? &state->refused[use] : &state->local[use], 1);
}

/* ---- policies ---- */

haft_store_away hf_store_policy(const haft_server *server, enum store_use use)
{
    haft_store_away given = use == STORE_RATES    ? server->options.store_rate
                            : use == STORE_REPLAY ? server->options.store_replay
                                                  : HAFT_AWAY_DEFAULT;

    return given == HAFT_AWAY_DEFAULT ? use_rows[use].initial : given;
}

haft_rate hf_store_local_rate(const haft_server *server, haft_rate rate)
{
    unsigned n = server->options.replicas ? server->options.replicas : 1;

    if (rate.calls)
        rate.calls = rate.calls / n ? rate.calls / n : 1;
    return rate;
}

/* ---- showing ---- */

bool hf_store_is_degraded(haft_server *server)
{
    return atomic_load(&state_owner(server)->metering.store.failing);
}

void hf_store_put_state(haft_server *server, struct json_writer *w)
{
    haft_server *owner = state_owner(server);
    struct store_state *state = &owner->metering.store;
    unsigned failing = atomic_load(&state->failing);
    uint64_t now = owner->options.clock ? owner->options.clock() : 0;

    if (!failing)
        return;
    hf_json_begin_object(json_key(w, "store"));
    hf_json_begin_object(json_key(w, "degraded"));
    for (int i = 0; i < STORE_USES; i++) {
        uint64_t since = atomic_load(&state->since[i]);

        if (!(failing & 1u << i))
            continue;
        hf_json_begin_object(hf_json_name(w, use_rows[i].name, strlen(use_rows[i].name)));
        hf_json_unsigned(json_key(w, "seconds"), now > since ? (now - since) / 1000000000u : 0);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static bool state_is_used(haft_server *server)
{
    return server->options.store || hf_store_is_degraded(server);
}

void hf_store_put_up(haft_buffer *out, haft_server *server)
{
    unsigned failing = atomic_load(&state_owner(server)->metering.store.failing);

    for (int i = 0; state_is_used(server) && i < STORE_USES; i++)
        haft_buffer_printf(out, "mcp_server_store_up{use=\"%s\"} %d\n", use_rows[i].name,
                           !(failing & 1u << i));
}

static void state_put_counts(haft_buffer *out, const char *name, atomic_ullong *counts)
{
    for (int i = 0; i < STORE_USES; i++)
        if (atomic_load(&counts[i]))
            haft_buffer_printf(out, "%s{use=\"%s\"} %llu\n", name, use_rows[i].name,
                               atomic_load(&counts[i]));
}

void hf_store_put_refused(haft_buffer *out, haft_server *server)
{
    state_put_counts(out, "mcp_server_store_refused_total",
                     state_owner(server)->metering.store.refused);
}

void hf_store_put_local(haft_buffer *out, haft_server *server)
{
    state_put_counts(out, "mcp_server_store_local_total",
                     state_owner(server)->metering.store.local);
}
