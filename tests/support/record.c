/* record.c - records the messages of every session of a test program, for
 * tests/e2e/recorded.test.mjs.
 *
 * The linker wraps the functions that create and feed a session, so that every test is recorded
 * without its cooperation. Without $HAFT_RECORD they do nothing. A line of the file is one message:
 * the session, the revision until the client names one, the sender, and the text, with each byte as
 * one character, since it may be any bytes. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/session/session.h"
#include "support/test.h"

enum { LINE_LIMIT = 256 << 20 };

/* The session's original transport, which this replaces. */
struct recorder {
    haft_transport real;
    bool shared;
    unsigned number;
    enum revision revision;
};

/* ---- the file ---- */

static void put_text(haft_buffer *line, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x20 || c >= 0x7f) {
            haft_buffer_printf(line, "\\u%04x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            haft_buffer_add(line, "\\", 1);
        haft_buffer_add(line, text + i, 1);
    }
}

/* In a session shared by several clients, each message is recorded as a session. The file is opened for
 * every line, because a child process closes unknown descriptors. */
static void record(const struct recorder *recorder, const char *from, const void *tag,
                   const char *text, size_t size)
{
    int file = open(getenv("HAFT_RECORD"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    haft_buffer line;

    assert_true(file >= 0);
    haft_buffer_init(&line, NULL, LINE_LIMIT);
    haft_buffer_printf(&line, "{\"session\":\"%ld.%u", (long)getpid(), recorder->number);
    if (recorder->shared)
        haft_buffer_printf(&line, ".%p", tag);
    haft_buffer_printf(&line, "\",\"revision\":\"%s\",\"from\":\"%s\",\"text\":\"",
                       hf_revision_rows[recorder->revision].name, from);
    put_text(&line, text, size);
    haft_buffer_puts(&line, "\"}\n");
    assert_int_equal(line.status, 0);
    assert_int_equal(write(file, line.data, line.size), line.size);
    haft_buffer_finish(&line);
    close(file);
}

/* ---- callbacks of the session ---- */

static void record_send(void *context, const haft_outgoing *message)
{
    struct recorder *recorder = context;

    record(recorder, "server", message->tag, message->text, message->size);
    recorder->real.send(recorder->real.context, message);
}

static void pass_let_go(void *context, void *tag, bool over)
{
    struct recorder *recorder = context;

    recorder->real.let_go(recorder->real.context, tag, over);
}

static void pass_close(void *context)
{
    struct recorder *recorder = context;

    if (recorder->real.close)
        recorder->real.close(recorder->real.context);
    free(recorder);
}

/* ---- wrapped functions ---- */

haft_session *__real_haft_session_new(haft_server *server, const haft_session_options *options);
haft_session *__wrap_haft_session_new(haft_server *server, const haft_session_options *options);
int __real_haft_session_receive(haft_session *session, const char *text, size_t size, void *tag,
                                haft_time now);
int __wrap_haft_session_receive(haft_session *session, const char *text, size_t size, void *tag,
                                haft_time now);
int __real_haft_session_receive_http(haft_session *session, const char *text, size_t size,
                                     const haft_headers *headers, void *tag, haft_time now);
int __wrap_haft_session_receive_http(haft_session *session, const char *text, size_t size,
                                     const haft_headers *headers, void *tag, haft_time now);
int __real_haft_incoming_process(haft_incoming *message, haft_session *session,
                                 const haft_headers *headers);
int __wrap_haft_incoming_process(haft_incoming *message, haft_session *session,
                                 const haft_headers *headers);

haft_session *__wrap_haft_session_new(haft_server *server, const haft_session_options *options)
{
    static atomic_uint sessions;
    struct recorder *recorder = getenv("HAFT_RECORD") ? malloc(sizeof *recorder) : NULL;
    haft_transport transport = HAFT_INIT(haft_transport, .send = record_send,
                                         .let_go = options->transport->let_go ? pass_let_go : NULL,
                                         .close = pass_close, .context = recorder);
    haft_session_options ours = *options;
    haft_session *session;

    if (!recorder)
        return __real_haft_session_new(server, options);
    ours.transport = &transport;
    *recorder = (struct recorder){.real = *options->transport,
                                  .shared = options->shared,
                                  .number = atomic_fetch_add(&sessions, 1)};
    session = __real_haft_session_new(server, &ours);
    if (session)
        recorder->revision = options->modern ? REV_NEWEST : hf_session_revision(session);
    else
        free(recorder);
    return session;
}

static const struct recorder *recorder_of(const haft_session *session)
{
    return session->owner.transport.send == record_send ? session->owner.transport.context : NULL;
}

int __wrap_haft_session_receive(haft_session *session, const char *text, size_t size, void *tag,
                                haft_time now)
{
    const struct recorder *recorder = recorder_of(session);

    if (recorder)
        record(recorder, "client", tag, text, size);
    return __real_haft_session_receive(session, text, size, tag, now);
}

int __wrap_haft_session_receive_http(haft_session *session, const char *text, size_t size,
                                     const haft_headers *headers, void *tag, haft_time now)
{
    const struct recorder *recorder = recorder_of(session);

    if (recorder)
        record(recorder, "client", tag, text, size);
    return __real_haft_session_receive_http(session, text, size, headers, tag, now);
}

/* The text is no longer available; messages that were not JSON are not recorded here. */
int __wrap_haft_incoming_process(haft_incoming *message, haft_session *session,
                                 const haft_headers *headers)
{
    const haft_call *call = (const haft_call *)message;
    const struct recorder *recorder = recorder_of(session);
    haft_buffer text;

    if (recorder && call->request.message.root) {
        haft_buffer_init(&text, NULL, LINE_LIMIT);
        haft_json_write(call->request.message.root, &text);
        record(recorder, "client", call->request.tag, text.data, text.size);
        haft_buffer_finish(&text);
    }
    return __real_haft_incoming_process(message, session, headers);
}
