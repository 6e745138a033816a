/* lane.c - the jobs of one thread: their deadlines, their links, and the calls of `done`. */
#include <unistd.h>

#include "store/redis/room.h"

static void lane_on_timer(uv_timer_t *timer);

/* ---- deadlines ---- */

static uint64_t lane_now(const struct redis_lane *lane)
{
    return lane->store->host->now(lane->loop);
}

static void lane_set_timer(struct redis_lane *lane)
{
    uint64_t now = lane_now(lane), at = UINT64_MAX;

    for (size_t i = 0; i < 2; i++)
        if (lane->jobs[i].first && lane->jobs[i].first->deadline < at)
            at = lane->jobs[i].first->deadline;
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

/* A server that does not answer the oldest command has failed or hangs. */
static void lane_check_link(struct redis_lane *lane, struct redis_link *link, uint64_t now)
{
    unsigned command_ms = lane->store->options.command_ms;
    char why[64];

    if (!link || !link->sent || now - link->sent->sent_at < command_ms)
        return;
    snprintf(why, sizeof why, "no answer within %u ms", command_ms);
    hf_redis_link_fail(link, why);
}

/* After the thread was busy, answers may have arrived: they are read first. */
static void lane_on_timer(uv_timer_t *timer)
{
    struct redis_lane *lane = timer->data;
    uint64_t now;

    lane->timer_at = UINT64_MAX;
    for (size_t i = 0; i < LINK_ROLES; i++)
        hf_redis_link_read(&lane->links[i]);
    now = lane_now(lane);
    lane_expire(lane, now);
    for (size_t i = 0; i < LINK_ROLES; i++)
        lane_check_link(lane, &lane->links[i], now);
    for (size_t i = 0; i < REDIS_MOVED; i++)
        lane_check_link(lane, lane->moved[i], now);
    hf_redis_lane_deliver(lane);
    lane_set_timer(lane);
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
    atomic_fetch_sub(&lane->n_jobs, 1);
    atomic_fetch_sub(&lane->store->waiting, 1);
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

    lane->idles = false;
    lane->store->host->idle_stop(idle);
    for (size_t i = 0; i < LINK_ROLES; i++)
        hf_redis_link_flush(&lane->links[i]);
    for (size_t i = 0; i < REDIS_MOVED; i++)
        if (lane->moved[i])
            hf_redis_link_flush(lane->moved[i]);
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
    hf_redis_link_send(link, job);
    lane_set_timer(lane);
}

struct redis_link *hf_redis_lane_moved(struct redis_lane *lane, const struct redis_address *at)
{
    struct redis_link *link;

    for (size_t i = 0; i < REDIS_MOVED; i++) {
        if ((link = lane->moved[i])) {
            if (link->at.port == at->port && !strcmp(link->at.host, at->host))
                return link;
            continue;
        }
        link = redis_alloc(lane->store, sizeof *link);
        if (link && hf_redis_link_init(link, lane, LINK_MOVED)) {
            redis_release(lane->store, link, sizeof *link);
            link = NULL;
        }
        if (!link)
            return NULL;
        link->at = *at;
        link->has_address = true;
        return lane->moved[i] = link;
    }
    return NULL;
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

    for (size_t i = 0; i < LINK_ROLES; i++)
        hf_redis_link_close(&lane->links[i]);
    for (size_t i = 0; i < REDIS_MOVED; i++)
        if (lane->moved[i])
            hf_redis_link_close(lane->moved[i]);
    hf_redis_lane_deliver(lane);
    lane->closing = true;
    host->close((uv_handle_t *)&lane->timer, lane_on_closed);
    host->close((uv_handle_t *)&lane->idle, lane_on_closed);
}

void hf_redis_lane_free(struct redis_lane *lane)
{
    redis_release(lane->store, lane, sizeof *lane);
}
