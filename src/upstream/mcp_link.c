/* mcp_link.c - a connection to an MCP upstream: connected, lost, connected again after a pause.
 *
 * The breaker is the pause: after a number of failures in a row calls are refused until the upstream
 * has been connected again, which is the trial. */
#include "upstream/mcp.h"

#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "protocol/revision.h"

enum { LINK_STABLE_MS = 10 * 1000 }; /* after this time an end is not a failure to start */

static const haft_allocator *link_allocator(const struct mcp_link *link)
{
    return link->mcp->upstream->set->allocator;
}

static uv_loop_t *link_loop(const struct mcp_link *link)
{
    return &link->mcp->upstream->set->outbound.loop;
}

static bool link_is_main(const struct mcp_link *link)
{
    return link == &link->mcp->main;
}

bool hf_mcp_link_is_open_circuit(const struct mcp_link *link)
{
    return link->state == MCP_GIVEN_UP ||
           (link->state == MCP_PAUSED &&
            link->failures >= (unsigned)link->mcp->entry->breaker.failures);
}

/* ---- the timer: pauses, and the time of lists ---- */

/* Frees a connection for a principal. */
static void link_free(struct mcp_link *link)
{
    const haft_allocator *allocator = link_allocator(link);

    if (link_is_main(link))
        return;
    if (link->principal)
        allocator->release(allocator->context, link->principal, strlen(link->principal) + 1);
    allocator->release(allocator->context, link, sizeof *link);
}

static void link_timer_closed(uv_handle_t *handle)
{
    struct mcp_link *link = handle->data;
    struct mcp *mcp = link->mcp;

    link_free(link);
    mcp_let_go(mcp);
}

static void link_timer_fired(uv_timer_t *timer)
{
    struct mcp_link *link = timer->data;

    if (link->draining && !link->first)
        hf_mcp_link_close(link);
    else if (link->draining)
        return; /* another call has begun meanwhile */
    else if (link->state == MCP_PAUSED && !link_is_main(link) && !link->first)
        link->state = MCP_IDLE; /* the next call connects it */
    else if (link->state == MCP_PAUSED)
        hf_mcp_link_open(link);
    else if (link->state == MCP_READY)
        hf_mcp_fetch(link->mcp);
}

static void link_start_timer(struct mcp_link *link, uint64_t ms, uint64_t repeat)
{
    if (!link->has_timer && !uv_timer_init(link_loop(link), &link->timer)) {
        link->timer.data = link;
        link->has_timer = true;
        mcp_hold(link->mcp);
    }
    if (link->has_timer)
        uv_timer_start(&link->timer, link_timer_fired, ms, repeat);
}

/* Between a half and the whole of the time, which doubles with every failure. */
static uint64_t link_pause(const struct mcp_link *link)
{
    const mcp_entry *entry = link->mcp->entry;
    uint64_t ms = (uint64_t)entry->restart.min_ms, random = uv_hrtime() / 1000;

    for (unsigned i = 1; i < link->restarts && ms < (uint64_t)entry->restart.max_ms; i++)
        ms *= 2;
    if (ms > (uint64_t)entry->restart.max_ms)
        ms = (uint64_t)entry->restart.max_ms;
    ms = ms / 2 + random % (ms / 2 + 1);
    if (link->failures >= (unsigned)entry->breaker.failures &&
        ms < (uint64_t)entry->breaker.open_ms)
        ms = (uint64_t)entry->breaker.open_ms;
    return ms ? ms : 1;
}

/* ---- its end ---- */

static void link_client_closed(void *context)
{
    mcp_let_go(context);
}

static void link_close_client(struct mcp_link *link)
{
    haft_client *client = link->client;

    if (!client)
        return;
    link->client = NULL;
    link->n_left = 0;
    link->unknown_until = 0;
    haft_subscription_free(link->subscription);
    link->subscription = NULL;
    haft_client_close(client, link_client_closed, link->mcp);
    hf_mcp_child_leave(link);
}

/* Calls that have not been sent. */
static void link_fail_calls(struct mcp_link *link, const char *why)
{
    while (link->first) {
        struct mcp_call *one = link->first;

        hf_mcp_call_unlink(one);
        hf_mcp_call_fail(one, HAFT_ECLOSED, why);
    }
}

/* The connection of calls that go on after a reload has ended. */
static void link_end_drain(struct mcp_link *link, const char *why)
{
    char text[CLIENT_ERROR_TEXT];

    if (!link->draining)
        return;
    snprintf(text, sizeof text, "%s", why); /* it may be the client's */
    link->state = MCP_IDLE;
    link_close_client(link);
    link_fail_calls(link, text);
}

void hf_mcp_link_lost(struct mcp_link *link, const char *why)
{
    struct mcp *mcp = link->mcp;
    const mcp_entry *entry = mcp->entry;
    haft_reason reason;

    if (mcp->upstream->stopped) {
        link_end_drain(link, why);
        return;
    }
    hf_error_set(&reason, HAFT_ECLOSED, "", "%s", why);
    if (link->state == MCP_READY && uv_now(link_loop(link)) - link->ready_since > LINK_STABLE_MS)
        link->restarts = 0;
    link->restarts++;
    link->failures++;
    link->state = MCP_PAUSED;
    link_close_client(link);
    link->failure = reason;
    link_fail_calls(link, reason.text);
    if (link_is_main(link))
        mcp->fetch.running = false;
    if (entry->restart.limit && link->restarts > (uint64_t)entry->restart.limit)
        link->state = MCP_GIVEN_UP;
    else
        link_start_timer(link, link_pause(link), 0);
    if (!link_is_main(link))
        return;
    if (hf_mcp_link_is_open_circuit(link))
        hf_mcp_forget(mcp);
    hf_upstream_set_state(mcp->upstream, UPSTREAM_FAILING, &reason);
}

void hf_mcp_link_failed(struct mcp_link *link, int status, const char *why)
{
    char text[CLIENT_ERROR_TEXT];

    if (!link->client || (status != HAFT_ECLOSED && status != HAFT_ETIMEOUT))
        return;
    link->failures++;
    if (link->failures < (unsigned)link->mcp->entry->breaker.failures)
        return;
    snprintf(text, sizeof text, "%s", why);
    link->failures--; /* counted below */
    hf_mcp_link_lost(link, text);
}

void hf_mcp_link_worked(struct mcp_link *link)
{
    link->failures = 0;
}

static void link_lost(void *context, haft_client *client, int status)
{
    struct mcp_link *link = context;
    char text[CLIENT_ERROR_TEXT];

    (void)status;
    if (client != link->client)
        return;
    snprintf(text, sizeof text, "%s", haft_client_error(client, NULL));
    hf_mcp_link_lost(link, *text ? text : "the upstream has ended");
}

/* ---- its beginning ---- */

static void link_ready(void *context, haft_client *client, int status)
{
    struct mcp_link *link = context;
    const mcp_entry *entry = link->mcp->entry;
    char text[CLIENT_ERROR_TEXT];

    if (client != link->client)
        return;
    if (status) {
        snprintf(text, sizeof text, "%s", haft_client_error(client, NULL));
        hf_mcp_link_lost(link, *text ? text : haft_strerror(status));
        return;
    }
    link->state = MCP_READY;
    link->mcp->is_old = !client_is_modern(client);
    link->ready_since = uv_now(link_loop(link));
    if (!link_is_main(link) || link->draining)
        return;
    if (entry->refresh_ms)
        link_start_timer(link, (uint64_t)entry->refresh_ms, (uint64_t)entry->refresh_ms);
    hf_mcp_subscribe(link->mcp); /* before the lists, so that no change is missed */
    hf_mcp_fetch(link->mcp);
}

/* Whether to begin with a legacy revision: some old servers end when they are asked for their revisions.  After a
 * failure both ways are tried in turn, since a program may have been replaced by one that only speaks a modern one. */
static bool link_tries_legacy(const struct mcp_link *link)
{
    const struct mcp *mcp = link->mcp;

    if (mcp->is_old)
        return !link->restarts || link->restarts % 2;
    return (!mcp->lists || mcp->inherited) && link->restarts % 2;
}

/* Starts the client; a program is started first, and the client uses its pipes. */
static haft_client *link_start_client(struct mcp_link *link, haft_reason *reterr_reason)
{
    const struct mcp *mcp = link->mcp;
    haft_client_options options = mcp->options;
    haft_target target = mcp->target;
    haft_client *client;
    int fds[2];

    options.context = link;
    options.lost = link_lost;
    if (target.command) {
        if (hf_mcp_child_start(link, fds, reterr_reason))
            return NULL;
        target = (haft_target)HAFT_INIT(haft_target, .descriptors = fds,
                                        .close_ms = mcp->target.close_ms);
        if (!options.revision && link_tries_legacy(link))
            options.revision = hf_revision_names[REV_NEWEST_LEGACY];
    }
    client = haft_client_start(link_loop(link), &target, &options, link_ready, link, reterr_reason);
    if (!client)
        hf_mcp_child_leave(link);
    return client;
}

void hf_mcp_link_open(struct mcp_link *link)
{
    struct mcp *mcp = link->mcp;
    haft_reason reason = {.code = 0};

    if (link->client || (mcp->upstream->stopped && !link->draining))
        return;
    mcp_hold(mcp);
    link->client = link_start_client(link, &reason);
    if (!link->client) {
        mcp_let_go(mcp);
        hf_mcp_link_lost(link, reason.text);
        return;
    }
    link->client->lists.lenient = true;
    /* A call tells a modern server the level of its client. */
    link->client->negotiation.level = mcp->entry->log_level;
    link->state = MCP_CONNECTING;
    for (struct mcp_call *one = link->first, *next; one; one = next) {
        next = one->next;
        if (one->waits)
            hf_mcp_call_send(one);
    }
}

/* Takes it out of the list of those that are not the main one. */
static void link_unlist(const struct mcp_link *link)
{
    struct mcp_link **at = &link->mcp->links;

    while (*at && *at != link)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = link->next;
    link->mcp->n_links--;
}

void hf_mcp_link_close(struct mcp_link *link)
{
    bool has_timer = link->has_timer;

    link_unlist(link);
    link->draining = false;
    link_close_client(link);
    link_fail_calls(link, "the upstream has been stopped");
    link->has_timer = false;
    if (has_timer)
        uv_close((uv_handle_t *)&link->timer, link_timer_closed);
    else
        link_free(link);
}

/* Not at once, because the caller may be a callback of the client. */
void hf_mcp_link_drained(struct mcp_link *link)
{
    link_start_timer(link, 0, 0);
}

void hf_mcp_link_drain(struct mcp_link *link)
{
    if (!link->first) {
        hf_mcp_link_close(link);
        return;
    }
    link->draining = true;
    if (link->has_timer)
        uv_timer_stop(&link->timer);
    haft_subscription_free(link->subscription);
    link->subscription = NULL;
    hf_mcp_link_open(link); /* for calls that wait for the end of a pause */
}

/* ---- connections for principals, and for calls that begin after a reload ---- */

static struct mcp_link *link_new(struct mcp *mcp, const char *principal)
{
    const haft_allocator *allocator = mcp->upstream->set->allocator;
    size_t size = principal ? strlen(principal) + 1 : 0;
    struct mcp_link *link = allocator->alloc(allocator->context, sizeof *link);
    char *name = link && principal ? allocator->alloc(allocator->context, size) : NULL;

    if (!link || (principal && !name)) {
        if (link)
            allocator->release(allocator->context, link, sizeof *link);
        return NULL;
    }
    if (name)
        memcpy(name, principal, size);
    *link = (struct mcp_link){.mcp = mcp, .principal = name, .next = mcp->links};
    mcp->links = link;
    mcp->n_links++;
    return link;
}

static bool link_is_for(const struct mcp_link *link, const char *principal)
{
    return principal ? link->principal && !strcmp(link->principal, principal) : !link->principal;
}

struct mcp_link *hf_mcp_link_for(struct mcp *mcp, const char *principal)
{
    struct mcp_link *link = mcp->links;
    bool stopped = mcp->upstream->stopped;

    if (!mcp->entry->per_principal)
        principal = NULL;
    if (!principal && (!stopped || mcp->main.draining))
        return &mcp->main;
    while (link && !link_is_for(link, principal))
        link = link->next;
    if (!link && mcp->n_links < MCP_PRINCIPALS)
        link = link_new(mcp, principal);
    if (!link)
        return NULL;
    link->used = uv_now(link_loop(link));
    link->draining = stopped;
    return link;
}

void hf_mcp_link_sweep(struct mcp *mcp, uint64_t now)
{
    struct mcp_link *next;

    for (struct mcp_link *link = mcp->links; link; link = next) {
        next = link->next; /* one without calls ends alone */
        if (!link->first && now - link->used >= MCP_IDLE_MS)
            hf_mcp_link_close(link);
    }
}
