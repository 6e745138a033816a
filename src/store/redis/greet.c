/* greet.c - what a new connection says first: login, database, scripts.  The commands are sent
 * together, and the link is ready when the server has accepted all of them. */
#include "store/redis/room.h"

void hf_redis_link_refused(struct redis_link *link, const char *what, const redisReply *reply)
{
    char why[REDIS_ERROR];
    int n = snprintf(why, sizeof why, "%s: ", what);

    for (size_t i = 0; i < reply->len && i < 80 && n < REDIS_ERROR - 1; i++)
        why[n++] = reply->str[i] >= ' ' && reply->str[i] <= '~' ? reply->str[i] : '?';
    why[n] = '\0';
    hf_redis_link_fail(link, why);
}

/* ---- the commands ---- */

static void greet_send(struct redis_link *link, enum link_step step, int argc, const char **argv,
                       const size_t *sizes)
{
    if (!link->socket)
        return;
    if (hf_redis_socket_send_words(link->socket, argc, argv, sizes, true))
        hf_redis_link_fail(link, "no memory");
    else
        link->steps[link->n_steps++] = step;
}

static void greet_words(struct redis_link *link, enum link_step step, const char *first,
                        const char *second, const char *third)
{
    const char *words[] = {first, second, third};

    greet_send(link, step, third ? 3 : second ? 2 : 1, words, NULL);
}

static void greet_scripts(struct redis_link *link)
{
    for (int i = 0; i < REDIS_SCRIPTS; i++) {
        struct redis_script_text script = hf_redis_script((enum redis_script)i);
        const char *words[] = {"SCRIPT", "LOAD", script.data};
        size_t sizes[] = {6, 4, script.size};

        greet_send(link, (enum link_step)(STEP_LOAD + i), 3, words, sizes);
    }
}

void hf_redis_link_greet(struct redis_link *link)
{
    const struct redis_store *store = link->lane->store;
    const struct redis_url *url = &store->url;
    char database[16];

    link->n_steps = link->step = 0;
    link->append_only = link->append_sync = false;
    if (link->asks_sentinel) {
        greet_words(link, STEP_MASTER, "SENTINEL", "get-master-addr-by-name", url->master);
        return;
    }
    if (url->password[0] && url->user[0])
        greet_words(link, STEP_AUTH, "AUTH", url->user, url->password);
    else if (url->password[0])
        greet_words(link, STEP_AUTH, "AUTH", url->password, NULL);
    snprintf(database, sizeof database, "%u", url->database);
    if (url->database)
        greet_words(link, STEP_SELECT, "SELECT", database, NULL);
    if (url->master[0])
        greet_words(link, STEP_ROLE, "ROLE", NULL, NULL);
    if (store->options.durability == HAFT_REDIS_APPEND_FILE && link->role != LINK_CHANNELS) {
        greet_words(link, STEP_APPEND_ONLY, "CONFIG", "GET", "appendonly");
        greet_words(link, STEP_APPEND_SYNC, "CONFIG", "GET", "appendfsync");
    }
    if (link->role != LINK_CHANNELS)
        greet_scripts(link);
    greet_words(link, STEP_PING, "PING", NULL, NULL);
}

/* ---- the answers ---- */

static bool reply_is(const redisReply *reply, const char *text)
{
    return (reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS) &&
           reply->len == strlen(text) && !memcmp(reply->str, text, reply->len);
}

static bool reply_is_pair(const redisReply *reply, const char *first, const char *second)
{
    return reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 &&
           reply_is(reply->element[0], first) && reply_is(reply->element[1], second);
}

/* A sentinel says where the master is. */
static void greet_master(struct redis_link *link, const redisReply *reply)
{
    const redisReply *host, *port;
    struct redis_address at = {.port = 0};

    if (reply->type == REDIS_REPLY_NIL) {
        hf_redis_link_fail(link, "the sentinel does not know the master");
        return;
    }
    if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2) {
        host = reply->element[0];
        port = reply->element[1];
        if (host->type == REDIS_REPLY_STRING && host->len && host->len < sizeof at.host)
            memcpy(at.host, host->str, host->len);
        for (size_t i = 0; port->type == REDIS_REPLY_STRING && i < port->len && i < 5; i++)
            at.port = at.port * 10 + (unsigned)(port->str[i] - '0');
    }
    if (!at.host[0] || !at.port || at.port > 65535) {
        hf_redis_link_fail(link, "the sentinel has sent an invalid address");
        return;
    }
    link->at = at;
    link->has_address = true;
    hf_redis_link_reconnect(link);
}

static void greet_script(struct redis_link *link, const redisReply *reply, enum link_step step)
{
    if (reply->type == REDIS_REPLY_STRING && reply->len == REDIS_SHA)
        memcpy(link->sha[step - STEP_LOAD], reply->str, REDIS_SHA);
    else
        hf_redis_link_fail(link, "the server did not load a script");
}

static void greet_role(struct redis_link *link, const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_ARRAY || !reply->elements ||
        !reply_is(reply->element[0], "master"))
        hf_redis_link_fail(link, "the server is not the master");
}

static void greet_step(struct redis_link *link, enum link_step step, const redisReply *reply)
{
    bool is_config = step == STEP_APPEND_ONLY || step == STEP_APPEND_SYNC;

    if (reply->type == REDIS_REPLY_ERROR && !is_config)
        hf_redis_link_refused(link, "the server refused the login", reply);
    else if (step == STEP_MASTER)
        greet_master(link, reply);
    else if (step == STEP_ROLE)
        greet_role(link, reply);
    else if (step == STEP_APPEND_ONLY)
        link->append_only = reply_is_pair(reply, "appendonly", "yes");
    else if (step == STEP_APPEND_SYNC)
        link->append_sync = reply_is_pair(reply, "appendfsync", "always");
    else if (step >= STEP_LOAD && step < STEP_PING)
        greet_script(link, reply, step);
    else if (!reply_is(reply, step == STEP_PING ? "PONG" : "OK"))
        hf_redis_link_fail(link, "the server does not speak Redis's protocol");
    else if (step == STEP_PING)
        hf_redis_link_ready(link);
}

void hf_redis_link_greeted(struct redis_link *link, const redisReply *reply)
{
    if (link->step < link->n_steps)
        greet_step(link, link->steps[link->step++], reply);
}

void hf_redis_link_ready(struct redis_link *link)
{
    struct redis_lane *lane = link->lane;
    struct redis_job *job = link->unsent, *next;
    bool counts = link->role == LINK_COMMANDS;

    lane->store->host->timer_stop(&link->timer);
    link->state = LINK_READY;
    link->ready_at = lane->store->host->now(lane->loop);
    if (link->was_ready)
        hf_redis_note_reconnect(lane->store);
    link->was_ready = true;
    hf_redis_note(lane->store, counts, counts && link->failing ? -1 : 0, NULL);
    link->failing = false;
    link->unsent = NULL;
    link->unsent_end = &link->unsent;
    for (; job; job = next) {
        next = job->link_next;
        job->link = NULL;
        hf_redis_link_send(link, job);
    }
    if (link->role == LINK_CHANNELS)
        hf_redis_channels_update(link, true);
}
