/* send.c - sends jobs over a link, and takes their answers. */
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

void hf_redis_link_end_jobs(struct redis_link *link)
{
    struct redis_job *job, *next;

    while ((job = link->sent)) {
        send_unlink(job);
        hf_redis_lane_end(link->lane, job, HAFT_ECLOSED, true);
    }
    for (job = link->unsent; job; job = next) {
        next = job->link_next;
        if (!link->closed && !(link->failing && job->is_take))
            continue;
        send_unlink(job);
        hf_redis_lane_end(link->lane, job, HAFT_ECLOSED, false);
    }
}

/* ---- sending ---- */

static int send_command(struct redis_link *link, struct redis_job *job)
{
    struct redis_store *store = link->lane->store;
    bool is_script = job->script != REDIS_PLAIN;
    const char *command = NULL;
    char *full = NULL, wait[64];
    size_t size = 0, n;
    int status = HAFT_ENOMEM;

    if (job->reloaded && is_script)
        command = full = hf_redis_job_full(store, job, &size);
    else
        command = hf_redis_job_command(job, is_script ? link->sha[job->script] : "", &size);
    if (command)
        status = hf_redis_socket_send(link->socket, command, size, job, false);
    redis_release(store, full, size);
    if (status || !job->durable)
        return status;
    n = (size_t)snprintf(wait, sizeof wait, "WAIT %u %u\r\n", store->options.replicas,
                         store->options.replica_ms);
    if (hf_redis_socket_send(link->socket, wait, n, job, true))
        job->durable = false; /* nobody knows then */
    return 0;
}

void hf_redis_link_send(struct redis_link *link, struct redis_job *job)
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
    job->skip += job->durable && job->replies;
    hf_redis_link_send(link, job);
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
static void send_decode(struct redis_job *job, const redisReply *reply)
{
    struct redis_lane *lane = job->lane;
    const struct redis_link *link = job->link;
    haft_store_request *request = NULL;
    haft_store_scan *scan = NULL;

    if (reply->type == REDIS_REPLY_ERROR)
        send_note_error(lane, reply);
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

static void send_answer(struct redis_job *job, const redisReply *reply)
{
    struct redis_link *link = job->link;
    bool is_replica = reply_begins(reply, "READONLY");

    if (reply_begins(reply, "NOSCRIPT ") && !job->reloaded && !job->ended) {
        job->reloaded = true;
        send_again(job, link);
        return;
    }
    if (reply_begins(reply, "MOVED ") && !job->moved && !job->ended && send_moved(job, reply))
        return;
    send_decode(job, reply);
    if (!job->durable)
        send_complete(job);
    if (is_replica && link->lane->store->url.master[0])
        hf_redis_link_fail(link, "the server has become a replica");
}

/* A job that no link has any more waits for nothing. */
static bool send_is_wanted(struct redis_job *job)
{
    job->replies--;
    if (job->link)
        return true;
    hf_redis_lane_release(job->lane, job);
    return false;
}

void hf_redis_job_answered(struct redis_job *job, const redisReply *reply)
{
    if (send_is_wanted(job))
        send_answer(job, reply);
}

void hf_redis_job_waited(struct redis_job *job, const redisReply *reply)
{
    if (!send_is_wanted(job))
        return;
    if (job->skip) {
        job->skip--;
        return;
    }
    if (job->held && !job->ended)
        job->held->is_durable = job->held->status == 1 && reply->type == REDIS_REPLY_INTEGER &&
                                reply->integer >= (long long)job->lane->store->options.replicas;
    send_complete(job);
}
