/* client/script.h - a transport whose other end is a table: each row waits for a message of the
 * client, and says what comes back.
 *
 * Time passes only while the client waits, or when a row says so. */
#ifndef HAFT_TESTS_SCRIPT_H
#define HAFT_TESTS_SCRIPT_H

#include <haft/client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum script_act {
    SCRIPT_SAY,   /* a message; $ is the id of the request */
    SCRIPT_FAIL,  /* `failed` with the number as its HTTP status and the text */
    SCRIPT_GONE,  /* `failed` because the session is gone */
    SCRIPT_END,   /* `failed` for all requests, which may have been read; with the number 1 not */
    SCRIPT_CLOSE, /* `closed` for the peer */
    SCRIPT_CLOSE_IT, /* `closed` for the request */
    SCRIPT_LONG,     /* `too_long` for the request, or with the number 1 for no request */
    SCRIPT_PASS,     /* so many milliseconds pass */
    SCRIPT_HOLD,     /* `held` */
    SCRIPT_RELEASE
};

struct script_row {
    const char *wants; /* a part of the message that it waits for; NULL: nothing */
    enum script_act act;
    const char *text;
    int number;
};

enum { SCRIPT_SENT = 2100, SCRIPT_LOG = 1 << 17 };

struct script {
    const struct script_row *rows; /* ends with one without wants and text, and number 0 */
    haft_receiver receiver;
    struct {
        void *tag;
        char *text;
        bool used;
    } sent[SCRIPT_SENT];
    size_t n_sent;
    char log[SCRIPT_LOG]; /* everything that was sent, with its headers */
    haft_time now, timer;
    unsigned restarts, closes, let_go, listens;
    int restart_status; /* what a restart returns */
    char revision[16];  /* as `negotiated` says */
    bool http, has_wait, is_old, dead;
};

static inline void script_note(struct script *script, const char *format, ...) HAFT_PRINTF_(2, 3);
static inline void script_note(struct script *script, const char *format, ...)
{
    size_t used = strlen(script->log);
    va_list args;

    va_start(args, format);
    vsnprintf(script->log + used, sizeof script->log - used, format, args);
    va_end(args);
}

static inline void script_send(void *context, const haft_outgoing *message)
{
    struct script *script = context;

    assert_false(script->dead);
    for (size_t i = 0; i < message->n_headers; i++)
        script_note(script, "%s: %s\n", message->headers[i].name, message->headers[i].value);
    script_note(script, "> %.*s\n", (int)message->size, message->text);
    if (message->kind == HAFT_OUT_REQUEST)
        assert_non_null(message->tag);
    assert_true(script->n_sent < SCRIPT_SENT);
    script->sent[script->n_sent].tag = message->tag;
    script->sent[script->n_sent].text = calloc(1, message->size + 1);
    script->sent[script->n_sent].used = false;
    assert_non_null(script->sent[script->n_sent].text);
    memcpy(script->sent[script->n_sent].text, message->text, message->size);
    script->n_sent++;
}

/* The id of a message as text. */
static inline const char *script_id(const char *text)
{
    const char *id = strstr(text, "\"id\":");
    static char room[32];
    size_t n = 0;

    for (id = id ? id + 5 : "0"; *id >= '0' && *id <= '9' && n < sizeof room - 1; id++)
        room[n++] = *id;
    room[n] = '\0';
    return room;
}

static inline void script_say(struct script *script, const char *text, const char *request,
                              void *tag)
{
    char message[8192];
    size_t n = 0;

    for (; *text; text++)
        n += (size_t)snprintf(message + n, sizeof message - n, "%.*s", *text == '$' ? 31 : 1,
                              *text == '$' ? script_id(request) : text);
    script->receiver.message(script->receiver.context, message, n, script->http ? tag : NULL,
                             script->now);
}

static inline void script_act(struct script *script, const struct script_row *row,
                              const char *request, void *tag)
{
    haft_receiver *to = &script->receiver;
    haft_failure failure = {.status = row->number >= 400 && row->number < 404 ? HAFT_EDENIED
                                                                              : HAFT_ECLOSED,
                            .http_status = row->act == SCRIPT_GONE ? 404 : row->number,
                            .text = row->text,
                            .session_gone = row->act == SCRIPT_GONE};

    switch (row->act) {
    case SCRIPT_SAY:
        script_say(script, row->text, request, tag);
        break;
    case SCRIPT_FAIL:
    case SCRIPT_GONE:
        to->failed(to->context, tag, &failure);
        break;
    case SCRIPT_END:
        failure = (haft_failure){
            .status = HAFT_ECLOSED, .text = row->text, .maybe_handled = !row->number};
        to->failed(to->context, NULL, &failure);
        break;
    case SCRIPT_CLOSE:
        to->closed(to->context, NULL);
        break;
    case SCRIPT_CLOSE_IT:
        to->closed(to->context, tag);
        break;
    case SCRIPT_LONG:
        to->too_long(to->context, 99, row->number ? NULL : tag);
        break;
    case SCRIPT_PASS:
        script->now += row->number;
        break;
    case SCRIPT_HOLD:
    case SCRIPT_RELEASE:
        to->held(to->context, tag, row->act == SCRIPT_HOLD);
        break;
    }
}

/* Does what the next row says, if the message that it wants was sent; false otherwise. */
static inline bool script_step(struct script *script)
{
    const struct script_row *row = script->rows;
    size_t i = 0;

    if (!row || (!row->wants && !row->text && !row->number) || script->dead)
        return false;
    while (row->wants && i < script->n_sent &&
           (script->sent[i].used || !strstr(script->sent[i].text, row->wants)))
        i++;
    if (row->wants && i == script->n_sent)
        return false;
    script->rows++;
    if (row->wants)
        script->sent[i].used = row->act != SCRIPT_PASS && row->act != SCRIPT_HOLD;
    script_act(script, row, row->wants ? script->sent[i].text : "",
               row->wants ? script->sent[i].tag : NULL);
    return true;
}

/* Plays the rest, and lets timers expire that are due. */
static inline void script_run(struct script *script)
{
    do {
        if (script->timer && script->timer <= script->now && !script->dead) {
            script->timer = 0;
            script->receiver.tick(script->receiver.context, script->now);
        }
    } while (script_step(script) ||
             (script->timer && script->timer <= script->now && !script->dead));
}

static inline haft_time script_wait(void *context, unsigned milliseconds)
{
    struct script *script = context;

    if (!script_step(script))
        script->now += milliseconds;
    return script->now;
}

static inline void script_close(void *context)
{
    struct script *script = context;

    script->closes++;
    script->dead = true;
}

static inline void script_let_go(void *context, void *tag, bool over)
{
    struct script *script = context;

    (void)tag;
    assert_true(over);
    script->let_go++;
}

static inline void script_negotiated(void *context, const char *revision)
{
    struct script *script = context;

    snprintf(script->revision, sizeof script->revision, "%s", revision);
}

static inline int script_restart(void *context)
{
    struct script *script = context;

    script->restarts++;
    return script->restart_status;
}

static inline void script_listen(void *context, bool listen)
{
    struct script *script = context;

    script->listens += listen ? 1 : 100;
}

static inline haft_time script_now(void *context)
{
    return ((struct script *)context)->now;
}

static inline void script_set_timer(void *context, haft_time at)
{
    ((struct script *)context)->timer = at;
}

/* Begins a script: `http` like requests over HTTP, otherwise like a process. */
static inline void script_init(struct script *script, const struct script_row *rows, bool http,
                               bool has_wait)
{
    memset(script, 0, sizeof *script);
    script->rows = rows;
    script->http = http;
    script->has_wait = has_wait;
    script->now = 1000;
}

static inline haft_transport script_transport(struct script *script)
{
    haft_transport transport =
        HAFT_INIT(haft_transport, .send = script_send, .close = script_close, .context = script,
                  .negotiated = script_negotiated, .listen = script_listen, .now = script_now,
                  .set_timer = script_set_timer);

    if (script->has_wait)
        transport.wait = script_wait;
    if (script->http)
        transport.let_go = script_let_go;
    else
        transport.restart = script_restart;
    return transport;
}

/* The other end is gone; every row has been played. */
static inline void script_finish(struct script *script)
{
    for (size_t i = 0; i < script->n_sent; i++)
        free(script->sent[i].text);
    assert_int_equal(script->closes, 1);
}

#endif
