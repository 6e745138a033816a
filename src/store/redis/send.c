/* send.c - sends jobs over a link, and takes their answers.
 *
 * Jobs that count one call each wait for the end of the turn of the loop, and become one command, a
 * batch.  Its members have no link; each owes one reply, which is a part of the batch's. */
#include "store/redis/room.h"

/* ---- lists of a link ---- */

static void job_append(struct redis_job ***end, struct redis_job *job)
{
    job->link_next = NULL;
    **end = job;
    *end = &job->link_next;
}

static void job_unlink(struct redis_job **list, struct redis_job ***end, struct redis_job *job)
{
    while (*list && *list != job)
        list = &(*list)->link_next;
    if (!*list)
        return;
    *list = job->link_next;
    if (*end == &job->link_next)
        *end = list;
}

/* Takes a job from its link. */
static void send_unlink(struct redis_job *job)
{
    struct redis_link *link = job->link;

    if (!link)
        return;
    if (job->sent)
        job_unlink(&link->sent, &link->sent_end, job);
    else
        job_unlink(&link->unsent, &link->unsent_end, job);
    job->link = NULL;
}

void hf_redis_link_drop(struct redis_link *link, struct redis_job *job)
{
    if (job->link == link && !job->sent)
        send_unlink(job);
}

/* Takes the members from a batch, which is done. */
static struct redis_job *send_dissolve(struct redis_job *batch)
{
    struct redis_job *members = batch->members;

    for (struct redis_job *job = members; job; job = job->link_next)
        job->replies--;
    send_unlink(batch);
    batch->finished = true;
    hf_redis_lane_release(batch->lane, batch);
    return members;
}

/* Ends a job, or all of a batch, that gets no answer any more. */
static void send_end(struct redis_job *job, bool unknown)
{
    struct redis_lane *lane = job->lane;
    struct redis_job *next;

    if (!job->members) {
        send_unlink(job);
        hf_redis_lane_end(lane, job, HAFT_ECLOSED, unknown);
        return;
    }
    for (job = send_dissolve(job); job; job = next) {
        next = job->link_next;
        hf_redis_lane_end(lane, job, HAFT_ECLOSED, unknown);
    }
}

void hf_redis_link_end_jobs(struct redis_link *link)
{
    struct redis_job *job, *next;

    while ((job = link->sent))
        send_end(job, true);
    for (job = link->unsent; job; job = next) {
        next = job->link_next;
        if (!link->closed && !(link->failing && job->is_take))
            continue;
        send_end(job, false);
    }
}

/* ---- sending ---- */

static int send_command(struct redis_link *link, struct redis_job *job)
{
    struct redis_store *store = link->lane->store;
    bool is_script = job->script != REDIS_PLAIN;
    const char *command = NULL;
    char *full = NULL;
    size_t size = 0;
    int status = HAFT_ENOMEM;

    if (job->reloaded && is_script)
        command = full = hf_redis_job_full(store, job, &size);
    else
        command = hf_redis_job_command(job, is_script ? link->sha[job->script] : "", &size);
    if (command)
        status =
            hf_redis_socket_send(link->socket, command, size, (struct redis_expected){.job = job});
    redis_release(store, full, size);
    link->socket->durable |= !status && job->durable;
    return status;
}

/* Sends a command, or keeps it until it can be sent. */
static void send_now(struct redis_link *link, struct redis_job *job)
{
    job->link = link;
    job->sent = false;
    if (link->state == LINK_READY && !send_command(link, job)) {
        job->sent = true;
        job->sent_at = link->lane->store->host->now(link->lane->loop);
        job_append(&link->sent_end, job);
        return;
    }
    job_append(&link->unsent_end, job);
    hf_redis_link_use(link);
}

/* Whether a job may be a member of a batch. */
static bool send_may_join(const struct redis_link *link, const struct redis_job *job)
{
    return job->script == REDIS_TAKE && link->role == LINK_COMMANDS && !link->is_cluster &&
           !job->members && !job->reloaded;
}

static bool send_batch(struct redis_link *link, struct redis_job *first, size_t n)
{
    struct redis_job *batch = hf_redis_job_new_batch(link->lane->store, first, n), *job = first;

    if (!batch)
        return false;
    for (; n; n--) {
        struct redis_job *next = job->link_next;

        job->link = NULL;
        job->sent = true;
        job->replies++;
        if (n == 1)
            job->link_next = NULL;
        job = next;
    }
    batch->lane = link->lane;
    send_now(link, batch);
    return true;
}

void hf_redis_link_gather(struct redis_link *link)
{
    struct redis_job *job = link->unsent, *end;

    if (!job || link->state != LINK_READY)
        return;
    link->unsent = NULL;
    link->unsent_end = &link->unsent;
    for (; job; job = end) {
        size_t n = 0;

        for (end = job; end && n < REDIS_BATCH && send_may_join(link, end); n++)
            end = end->link_next;
        if (n > 1 && send_batch(link, job, n))
            continue;
        end = job->link_next;
        send_now(link, job);
    }
}

void hf_redis_link_send(struct redis_link *link, struct redis_job *job)
{
    if (link->state == LINK_READY && send_may_join(link, job)) {
        job->link = link;
        job->sent = false;
        job_append(&link->unsent_end, job);
        hf_redis_lane_flush_soon(link->lane);
        return;
    }
    hf_redis_link_gather(link); /* jobs that were submitted before are sent before */
    send_now(link, job);
}

/* ---- answers ---- */

static bool reply_begins(const redisReply *reply, const char *word)
{
    size_t size = strlen(word);

    return reply->type == REDIS_REPLY_ERROR && reply->len >= size &&
           !memcmp(reply->str, word, size);
}

/* Sends a job again that the server has not executed. */
static void send_again(struct redis_job *job, struct redis_link *link)
{
    send_unlink(job);
    send_now(link, job);
}

/* "MOVED SLOT HOST:PORT"; without HOST it is that of the server. */
static bool send_moved(struct redis_job *job, const redisReply *reply)
{
    const char *slot = memchr(reply->str, ' ', reply->len);
    const char *host = slot ? strchr(slot + 1, ' ') : NULL,
               *colon = host ? strrchr(host, ':') : NULL;
    struct redis_address at = job->link->at;
    struct redis_link *link;
    size_t size = colon ? (size_t)(colon - host - 1) : 0;
    unsigned port = 0;

    if (!colon || size >= sizeof at.host || sscanf(colon + 1, "%5u", &port) != 1 || !port)
        return false;
    at.port = port;
    if (size) {
        memcpy(at.host, host + 1, size);
        at.host[size] = '\0';
    }
    link = hf_redis_lane_moved(job->lane, &at);
    if (!link)
        return false;
    job->moved = true;
    send_again(job, link);
    return true;
}

static void send_note_error(struct redis_lane *lane, const redisReply *reply)
{
    char text[REDIS_ERROR];
    size_t n = 0;

    for (; n < reply->len && n < sizeof text - 1; n++)
        text[n] = reply->str[n] >= ' ' && reply->str[n] <= '~' ? reply->str[n] : '?';
    text[n] = '\0';
    hf_redis_note(lane->store, 0, 0, text);
}

/* Decodes an answer; the request, or the scan, is then complete except for its durability. */
static void send_decode(struct redis_job *job, const struct redis_link *link,
                        const redisReply *reply)
{
    struct redis_lane *lane = job->lane;
    haft_store_request *request = NULL;
    haft_store_scan *scan = NULL;

    if (job->ended)
        return;
    hf_redis_job_claim(lane->store, job, &request, &scan);
    if (request) {
        hf_redis_decode(lane->store->host, job, request, reply);
        request->is_durable = request->status == 1 && link->append_only && link->append_sync;
        if (request->status == HAFT_EPROTOCOL)
            hf_redis_note(lane->store, 0, 0,
                          "an entry has an unknown format, or the answer is not valid");
    }
    if (scan)
        hf_redis_decode_scan(lane->store, scan, reply);
    job->held = request;
    job->held_scan = scan;
}

static void send_complete(struct redis_job *job)
{
    struct redis_lane *lane = job->lane;

    send_unlink(job);
    if (job->ended)
        hf_redis_lane_release(lane, job);
    else
        hf_redis_lane_finish(lane, job, job->held, job->held_scan);
}

/* Each member of a batch gets its own two elements of the answer, or the error. */
static void send_answer_batch(struct redis_job *batch, const redisReply *reply)
{
    bool is_error = reply->type == REDIS_REPLY_ERROR, is_valid;
    struct redis_link *link = batch->link;
    size_t n = 0, at = 0;
    struct redis_job *next;

    for (const struct redis_job *job = batch->members; job; job = job->link_next)
        n++;
    is_valid = reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 * n;
    for (struct redis_job *job = send_dissolve(batch); job; job = next, at += 2) {
        redisReply part = {.type = REDIS_REPLY_ARRAY, .elements = is_valid ? 2 : 0};

        next = job->link_next;
        if (is_valid)
            part.element = reply->element + at;
        send_decode(job, link, is_error ? reply : &part);
        send_complete(job);
    }
}

/* A cluster counts the calls of different clients on different nodes: their jobs are sent alone. */
static void send_apart(struct redis_job *batch)
{
    struct redis_link *link = batch->link;
    struct redis_job *next;

    link->is_cluster = true;
    for (struct redis_job *job = send_dissolve(batch); job; job = next) {
        next = job->link_next;
        if (job->ended)
            hf_redis_lane_release(job->lane, job);
        else
            send_now(link, job);
    }
}

/* Answers to commands that the server has not executed, and may execute otherwise. */
static bool send_retry(struct redis_job *job, const redisReply *reply)
{
    bool moved = reply_begins(reply, "MOVED ");

    if (job->members && (moved || reply_begins(reply, "CROSSSLOT "))) {
        send_apart(job);
        return true;
    }
    if (reply_begins(reply, "NOSCRIPT ") && !job->reloaded && !job->ended) {
        job->reloaded = true;
        send_again(job, job->link);
        return true;
    }
    return moved && !job->moved && !job->ended && send_moved(job, reply);
}

static void send_answer(struct redis_job *job, const redisReply *reply)
{
    struct redis_link *link = job->link;

    if (send_retry(job, reply))
        return;
    if (reply->type == REDIS_REPLY_ERROR)
        send_note_error(job->lane, reply);
    if (job->members) {
        send_answer_batch(job, reply);
    } else {
        send_decode(job, link, reply);
        if (!job->durable)
            send_complete(job);
    }
    if (reply_begins(reply, "READONLY") && link->lane->store->url.master[0])
        hf_redis_link_fail(link, "the server has become a replica");
}

void hf_redis_job_answered(struct redis_job *job, const redisReply *reply)
{
    job->replies--;
    if (job->link)
        send_answer(job, reply);
    else
        hf_redis_lane_release(job->lane, job); /* one that no link has any more waits for nothing */
}

/* ---- replicas ---- */

/* Completes the durable jobs that have been answered: they were sent before WAIT. */
static void send_complete_durable(struct redis_link *link, bool is_durable)
{
    struct redis_job *next;

    for (struct redis_job *job = link->sent; job; job = next) {
        next = job->link_next;
        if (job->replies)
            continue;
        if (job->held && !job->ended)
            job->held->is_durable = is_durable && job->held->status == 1;
        send_complete(job);
    }
}

void hf_redis_link_wait(struct redis_link *link)
{
    const haft_redis_options *options = &link->lane->store->options;
    struct redis_socket *socket = link->socket;
    char wait[64];
    size_t n;

    if (!socket || !socket->durable || socket->waits)
        return;
    n = (size_t)snprintf(wait, sizeof wait, "WAIT %u %u\r\n", options->replicas,
                         options->replica_ms);
    socket->durable = false;
    socket->waits =
        !hf_redis_socket_send(socket, wait, n, (struct redis_expected){.is_wait = true});
    if (socket->waits)
        return;
    for (struct redis_job *job = link->sent; job; job = job->link_next)
        job->durable = false; /* nobody knows then */
    send_complete_durable(link, false);
}

void hf_redis_link_waited(struct redis_link *link, const redisReply *reply)
{
    const haft_redis_options *options = &link->lane->store->options;

    link->socket->waits = false;
    send_complete_durable(link, reply->type == REDIS_REPLY_INTEGER &&
                                    reply->integer >= (long long)options->replicas);
    if (link->socket->durable)
        hf_redis_lane_flush_soon(link->lane);
}
