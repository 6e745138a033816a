/* lane.c - the jobs of one thread: their deadlines, their links, and the calls of `done`. */
#include <unistd.h>

#include "store/redis/room.h"

enum { LANE_LINKS = LINK_ROLES + REDIS_MOVED };

static void lane_on_timer(uv_timer_t *timer);

/* One of the LANE_LINKS links; NULL for a node of a cluster that nothing has moved to. */
static struct redis_link *lane_link(struct redis_lane *lane, size_t i)
{
    return i < LINK_ROLES ? &lane->links[i] : lane->moved[i - LINK_ROLES];
}

/* ---- deadlines ---- */

static uint64_t lane_now(const struct redis_lane *lane)
{
    return lane->store->host->now(lane->loop);
}

/* When the server must have answered the next command, after it was sent or the one before was
 * answered; UINT64_MAX if it owes no answer.  It may take its time for WAIT. */
static uint64_t lane_link_due(const struct redis_lane *lane, const struct redis_link *link)
{
    const haft_redis_options *options = &lane->store->options;
    uint64_t since;

    if (!link || !link->sent)
        return UINT64_MAX;
    since = link->sent->sent_at;
    if (since < link->answered_at)
        since = link->answered_at;
    return since + options->command_ms + (link->socket->waits ? options->replica_ms : 0);
}

/* When something is due: requests, and the commands of those that have timed out. */
static uint64_t lane_due(struct redis_lane *lane)
{
    uint64_t due = UINT64_MAX;

    for (size_t i = 0; i < 2; i++)
        if (lane->jobs[i].first && lane->jobs[i].first->deadline < due)
            due = lane->jobs[i].first->deadline;
    for (size_t i = 0; i < LANE_LINKS; i++) {
        uint64_t at = lane_link_due(lane, lane_link(lane, i));

        due = at < due ? at : due;
    }
    return due;
}

static void lane_set_timer(struct redis_lane *lane, uint64_t at)
{
    uint64_t now = lane_now(lane);

    if (at >= lane->timer_at || lane->closing)
        return;
    lane->timer_at = at;
    lane->store->host->timer_start(&lane->timer, lane_on_timer, at > now ? at - now : 0, 0);
}

static void lane_list(struct redis_lane *lane, struct redis_job *job)
{
    struct redis_jobs *jobs = &lane->jobs[job->is_take];

    job->listed = true;
    job->next = NULL;
    job->previous = jobs->last;
    if (jobs->last)
        jobs->last->next = job;
    else
        jobs->first = job;
    jobs->last = job;
}

static void lane_unlist(struct redis_lane *lane, struct redis_job *job)
{
    struct redis_jobs *jobs = &lane->jobs[job->is_take];

    if (!job->listed)
        return;
    job->listed = false;
    if (job->previous)
        job->previous->next = job->next;
    else
        jobs->first = job->next;
    if (job->next)
        job->next->previous = job->previous;
    else
        jobs->last = job->previous;
    job->next = job->previous = NULL;
}

static void lane_expire(struct redis_lane *lane, uint64_t now)
{
    for (size_t i = 0; i < 2; i++) {
        struct redis_job *job;

        while ((job = lane->jobs[i].first) && job->deadline <= now) {
            bool sent = job->sent;

            if (job->link)
                hf_redis_link_drop(job->link, job);
            hf_redis_lane_end(lane, job, HAFT_ETIMEOUT, sent);
        }
    }
}

/* A server that does not answer has failed or hangs. */
static void lane_check_link(struct redis_lane *lane, struct redis_link *link, uint64_t now)
{
    char why[64];

    if (now < lane_link_due(lane, link))
        return;
    snprintf(why, sizeof why, "no answer within %u ms", lane->store->options.command_ms);
    hf_redis_link_fail(link, why);
}

/* After the thread was busy, answers may have arrived: they are read first. */
static void lane_on_timer(uv_timer_t *timer)
{
    struct redis_lane *lane = timer->data;
    uint64_t now;

    lane->timer_at = UINT64_MAX;
    for (size_t i = 0; i < LANE_LINKS; i++)
        if (lane_link(lane, i))
            hf_redis_link_read(lane_link(lane, i));
    now = lane_now(lane);
    lane_expire(lane, now);
    for (size_t i = 0; i < LANE_LINKS; i++)
        lane_check_link(lane, lane_link(lane, i), now);
    hf_redis_lane_deliver(lane);
    lane_set_timer(lane, lane_due(lane));
}

/* ---- the end of jobs ---- */

bool hf_redis_job_claim(struct redis_store *store, struct redis_job *job,
                        haft_store_request **ret_request, haft_store_scan **ret_scan)
{
    pthread_mutex_lock(&store->claim_lock);
    *ret_request = job->request;
    *ret_scan = job->scan;
    if (job->request)
        job->request->store_data[0] = NULL;
    job->request = NULL;
    job->scan = NULL;
    pthread_mutex_unlock(&store->claim_lock);
    return *ret_request || *ret_scan;
}

void hf_redis_lane_release(struct redis_lane *lane, struct redis_job *job)
{
    if (!job->finished || job->replies || job->link)
        return;
    if (!job->members) {
        atomic_fetch_sub(&lane->n_jobs, 1);
        atomic_fetch_sub(&lane->store->waiting, 1);
    }
    hf_redis_job_free(lane->store, job);
}

void hf_redis_lane_finish(struct redis_lane *lane, struct redis_job *job,
                          haft_store_request *request, haft_store_scan *scan)
{
    lane_unlist(lane, job);
    job->ended = true;
    job->held = request;
    job->held_scan = scan;
    if (request || scan) {
        *lane->answered_end = job;
        lane->answered_end = &job->next;
        return;
    }
    job->finished = true;
    hf_redis_lane_release(lane, job);
}

void hf_redis_lane_end(struct redis_lane *lane, struct redis_job *job, int status, bool unknown)
{
    haft_store_request *request = job->held;
    haft_store_scan *scan = job->held_scan;

    if (job->ended) {
        hf_redis_lane_release(lane, job);
        return;
    }
    /* One that only waits for replicas has been applied. */
    if (!request && !scan && hf_redis_job_claim(lane->store, job, &request, &scan)) {
        if (request) {
            request->status = status;
            request->is_unknown = unknown && job->writes;
        } else {
            scan->status = status;
        }
    }
    hf_redis_lane_finish(lane, job, request, scan);
}

static void lane_call(struct redis_lane *lane, struct redis_job *job)
{
    haft_store_request *request = job->held;
    haft_store_scan *scan = job->held_scan;

    job->finished = true;
    job->next = NULL;
    hf_redis_lane_release(lane, job);
    if (request)
        request->done(request);
    else
        scan->done(scan);
}

void hf_redis_lane_deliver(struct redis_lane *lane)
{
    struct redis_job *job;

    if (lane->delivering)
        return;
    lane->delivering = true;
    while ((job = lane->answered)) {
        lane->answered = job->next;
        if (!lane->answered)
            lane->answered_end = &lane->answered;
        lane_call(lane, job);
    }
    lane->delivering = false;
}

/* ---- writing ---- */

static void lane_on_idle(uv_idle_t *idle)
{
    struct redis_lane *lane = idle->data;

    hf_redis_link_gather(&lane->links[LINK_COMMANDS]);
    for (size_t i = 0; i < LANE_LINKS; i++)
        if (lane_link(lane, i))
            hf_redis_link_wait(lane_link(lane, i));
    lane->idles = false;
    lane->store->host->idle_stop(idle);
    for (size_t i = 0; i < LANE_LINKS; i++)
        if (lane_link(lane, i))
            hf_redis_link_flush(lane_link(lane, i));
    hf_redis_lane_deliver(lane);
}

/* While an idle handle is active, the loop does not sleep: it is called in its next turn. */
void hf_redis_lane_flush_soon(struct redis_lane *lane)
{
    if (lane->idles || lane->closing)
        return;
    lane->idles = true;
    lane->store->host->idle_start(&lane->idle, lane_on_idle);
}

/* ---- jobs ---- */

void hf_redis_lane_accept(struct redis_lane *lane, struct redis_job *job)
{
    const haft_redis_options *options = &lane->store->options;
    struct redis_link *link = &lane->links[job->durable ? LINK_DURABLE : LINK_COMMANDS];

    job->lane = lane;
    lane->store->host->update_time(lane->loop);
    job->deadline = lane_now(lane) + (job->is_take ? options->take_ms : options->command_ms);
    lane_list(lane, job);
    if (lane->closing || (link->failing && job->is_take)) {
        hf_redis_lane_end(lane, job, HAFT_ECLOSED, false);
        hf_redis_lane_flush_soon(lane);
        return;
    }
    lane_set_timer(lane, job->deadline);
    hf_redis_link_send(link, job);
}

static struct redis_link *lane_new_moved(struct redis_lane *lane, const struct redis_address *at)
{
    struct redis_link *link = redis_alloc(lane->store, sizeof *link);

    if (!link)
        return NULL;
    if (hf_redis_link_init(link, lane, LINK_MOVED)) {
        redis_release(lane->store, link, sizeof *link);
        return NULL;
    }
    link->at = *at;
    link->has_address = true;
    return link;
}

/* Whether a link may be given up rather than another one, which may be NULL. */
static bool lane_prefers(const struct redis_link *link, const struct redis_link *other)
{
    if (link->sent || link->unsent)
        return false;
    if (!other || link->failing != other->failing)
        return !other || link->failing;
    return link->answered_at < other->answered_at;
}

/* The place for a link to another node: a free one, or that of a link which nothing uses, closed. */
static struct redis_link **lane_moved_place(struct redis_lane *lane)
{
    struct redis_link **place = NULL;

    for (size_t i = 0; i < REDIS_MOVED; i++) {
        if (!lane->moved[i])
            return &lane->moved[i];
        if (lane_prefers(lane->moved[i], place ? *place : NULL))
            place = &lane->moved[i];
    }
    if (place) {
        hf_redis_link_close(*place);
        *place = NULL;
    }
    return place;
}

struct redis_link *hf_redis_lane_moved(struct redis_lane *lane, const struct redis_address *at)
{
    struct redis_link **place, *link = NULL;

    for (size_t i = 0; i < REDIS_MOVED && !link; i++) {
        link = lane->moved[i];
        if (link && (link->at.port != at->port || strcmp(link->at.host, at->host) != 0))
            link = NULL;
    }
    if (!link && (place = lane_moved_place(lane)))
        link = *place = lane_new_moved(lane, at);
    return link;
}

uint32_t hf_redis_lane_random(struct redis_lane *lane, uint32_t below)
{
    lane->random ^= lane->random << 13;
    lane->random ^= lane->random >> 17;
    lane->random ^= lane->random << 5;
    return lane->random % below;
}

/* ---- life ---- */

void hf_redis_lane_handle_closed(struct redis_lane *lane)
{
    if (--lane->handles || !lane->closing)
        return;
    if (lane->gone)
        lane->gone(lane);
}

static void lane_on_closed(uv_handle_t *handle)
{
    hf_redis_lane_handle_closed(handle->data);
}

struct redis_lane *hf_redis_lane_new(struct redis_store *store, uv_loop_t *loop)
{
    struct redis_lane *lane = redis_alloc(store, sizeof *lane);
    const struct redis_host *host = store->host;

    if (!lane)
        return NULL;
    lane->store = store;
    lane->loop = loop;
    lane->timer_at = UINT64_MAX;
    lane->answered_end = &lane->answered;
    lane->random = (uint32_t)(uintptr_t)lane ^ (uint32_t)host->now(loop) ^ (uint32_t)getpid();
    lane->random |= 1;
    lane->timer.data = lane->idle.data = lane;
    /* None of these fails. */
    host->timer_init(loop, &lane->timer);
    host->idle_init(loop, &lane->idle);
    host->unref((uv_handle_t *)&lane->timer);
    host->unref((uv_handle_t *)&lane->idle);
    lane->handles = 2;
    for (size_t i = 0; i < LINK_ROLES; i++)
        hf_redis_link_init(&lane->links[i], lane, (enum link_role)i);
    return lane;
}

void hf_redis_lane_close(struct redis_lane *lane)
{
    const struct redis_host *host = lane->store->host;

    for (size_t i = 0; i < LANE_LINKS; i++)
        if (lane_link(lane, i))
            hf_redis_link_close(lane_link(lane, i));
    hf_redis_lane_deliver(lane);
    lane->closing = true;
    host->close((uv_handle_t *)&lane->timer, lane_on_closed);
    host->close((uv_handle_t *)&lane->idle, lane_on_closed);
}

void hf_redis_lane_free(struct redis_lane *lane)
{
    redis_release(lane->store, lane, sizeof *lane);
}
