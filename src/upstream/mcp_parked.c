/* mcp_parked.c - calls that wait at a legacy upstream while their clients are asked.
 *
 * Each takes one of the requests that the upstream gets at a time, so a client has a share of them, and what a
 * client leaves is cancelled. */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "upstream/mcp.h"

/* ---- the list ---- */

/* What a client's parked calls are counted by: its identity, otherwise its address, as rate limits are, since it
 * can open any number of sessions; otherwise its session. */
static uint64_t parked_client(const haft_call *call)
{
    const char *principal = haft_call_principal(call), *peer = call->request.peer;

    if (principal)
        return hf_hash_bytes(principal, strlen(principal));
    if (peer && *peer)
        return ~hf_hash_bytes(peer, strlen(peer));
    return hf_hash_bytes(call->owner->number, strlen(call->owner->number));
}

void hf_mcp_park(struct mcp_call *one)
{
    struct mcp *mcp = one->mcp;

    one->parked = true;
    one->client = parked_client(one->call);
    one->parked_until = uv_now(&mcp->upstream->set->outbound.loop) + MCP_PARKED_MS;
    one->next_parked = mcp->parked;
    mcp->parked = one;
    mcp->n_parked++;
}

void hf_mcp_unpark(struct mcp_call *one)
{
    struct mcp_call **at = &one->mcp->parked;

    while (*at != one)
        at = &(*at)->next_parked;
    *at = one->next_parked;
    one->mcp->n_parked--;
    one->parked = false;
}

struct mcp_call *hf_mcp_parked_find(const struct mcp *mcp, const char *key)
{
    struct mcp_call *one = mcp->parked;

    while (one && strcmp(one->key, key) != 0)
        one = one->next_parked;
    return one;
}

/* The key is sealed in the state of modern clients, and never leaves the process for others. */
int hf_mcp_parked_set_key(struct mcp_call *one)
{
    snprintf(one->key, sizeof one->key, "%c%llx-%llx", MCP_STATE_PARKED,
             (unsigned long long)uv_hrtime(), (unsigned long long)++one->mcp->n_keys);
    return haft_call_set_state(one->call, one->key);
}

/* ---- room ---- */

/* The number of a connection's calls that this is a part of; at least one. */
static unsigned parked_part(const struct mcp *mcp, unsigned part)
{
    unsigned n = (unsigned)mcp->entry->max_in_flight / part;

    return n ? n : 1;
}

/* A parked call takes one of the requests that the upstream gets at a time.  A client that has its share of them loses
 * the oldest, so that questions which it leaves unanswered do not stop others or itself.  Returns whether there is
 * room for another one. */
bool hf_mcp_parked_make_room(const struct mcp_call *one)
{
    struct mcp *mcp = one->mcp;
    unsigned most = parked_part(mcp, MCP_PARKED_PART), n = 0, n_client = 0,
             share = one->link && one->link->principal ? most
                                                       : parked_part(mcp, MCP_PARKED_CLIENT_PART);
    uint64_t client = parked_client(one->call);
    struct mcp_call *oldest = NULL;

    for (struct mcp_call *other = mcp->parked; other; other = other->next_parked) {
        n += other->link == one->link;
        if (other->client != client)
            continue;
        n_client++;
        oldest = other; /* they are added at the front */
    }
    if (n_client < share)
        return n < most && mcp->n_parked < MCP_PARKED;
    hf_server_log(mcp->upstream->set->server, HAFT_WARNING,
                  "upstream %s: a client has %u unanswered questions; cancelled the oldest call",
                  mcp->upstream->name, n_client);
    hf_mcp_parked_leave(oldest);
    return true;
}

/* ---- a client that does not come back ---- */

void hf_mcp_parked_leave(struct mcp_call *one)
{
    struct mcp_link *link = one->link;

    hf_mcp_unpark(one);
    hf_mcp_question_drop(one);
    one->abandoned = true;
    if (one->id && link && link->client) {
        /* Its end is reported, and drops it, even if the upstream cannot be told. */
        haft_client_cancel(link->client, one->id);
        return;
    }
    hf_mcp_call_unlink(one);
    hf_mcp_call_drop(one);
}

void hf_mcp_parked_sweep(struct mcp *mcp, uint64_t now, bool all)
{
    struct mcp_call *one = mcp->parked;

    while (one) {
        if (all || one->parked_until <= now) {
            hf_mcp_parked_leave(one);
            one = mcp->parked; /* any may be gone */
        } else {
            one = one->next_parked;
        }
    }
}

/* A call that is to be left, for the outbound thread. */
struct parked_unanswered {
    struct outbound_task task;
    struct mcp *mcp;
    char key[MCP_KEY];
};

static void parked_run_unanswered(struct outbound_task *task)
{
    struct parked_unanswered *own = task->owner;
    struct mcp *mcp = own->mcp;
    const haft_allocator *allocator = mcp->upstream->set->allocator;
    struct mcp_call *parked = hf_mcp_parked_find(mcp, own->key);

    if (parked)
        hf_mcp_parked_leave(parked);
    allocator->release(allocator->context, own, sizeof *own);
    mcp_let_go(mcp);
}

/* Without memory it is left when its time is over. */
void hf_mcp_parked_unanswered(haft_call *call)
{
    const struct upstream *upstream = hf_upstream_of(call->item);
    const haft_allocator *allocator = upstream->set->allocator;
    const char *state = haft_call_state(call);
    struct parked_unanswered *own;

    if (!state || *state != MCP_STATE_PARKED)
        return;
    own = allocator->alloc(allocator->context, sizeof *own);
    if (!own)
        return;
    *own = (struct parked_unanswered){.mcp = mcp_of(upstream)};
    own->task = (struct outbound_task){.run = parked_run_unanswered, .owner = own};
    snprintf(own->key, sizeof own->key, "%s", state);
    mcp_hold(own->mcp);
    hf_outbound_post(&upstream->set->outbound, &own->task);
}
