/* connect/tap.h - a receiver that writes down what a link reports, one line a report, in place of a client.
 *
 * A tag is the id of a request.  Like a client, it lets go of a request that a message answers. */
#ifndef HAFT_TESTS_TAP_H
#define HAFT_TESTS_TAP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connect/link.h"
#include "support/child.h"
#include "support/failing.h"
#include "support/test.h"

enum { TAP_LOG = 1 << 14, TAP_MS = 10000, TAP_LIMIT = 2000 };

struct tap {
    struct connect_link *link;
    haft_transport transport;
    char log[TAP_LOG];
    size_t size;
    unsigned reports;
    bool restarts; /* from within the first failure of everything */
    bool closes;   /* from within the first report */
    bool closed;
};

HAFT_MAYBE_UNUSED_ static void *tap_tag(int id)
{
    return (void *)(intptr_t)id;
}

static void tap_note(struct tap *tap, const char *format, ...) HAFT_PRINTF_(2, 3);
static void tap_note(struct tap *tap, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tap->size += (size_t)vsnprintf(tap->log + tap->size, TAP_LOG - tap->size, format, args);
    va_end(args);
    if (tap->size >= TAP_LOG) /* of a server that writes without end */
        tap->size = TAP_LOG - 1;
    tap->reports++;
    if (tap->closes && !tap->closed) {
        tap->closed = true;
        tap->transport.close(tap->transport.context);
    }
}

static int tap_message(void *context, const char *text, size_t size, void *tag, haft_time now)
{
    struct tap *tap = context;
    char id[32];

    (void)now;
    snprintf(id, sizeof id, "\"id\":%d,\"result\"", (int)(intptr_t)tag);
    tap_note(tap, "message %.*s\n", size < 300 ? (int)size : 300, text);
    if (tag && !tap->closed && tap->transport.let_go && memmem(text, size, id, strlen(id)))
        tap->transport.let_go(tap->transport.context, tag, true);
    return 0;
}

static void tap_too_long(void *context, size_t size, void *tag)
{
    (void)tag, (void)size;
    tap_note(context, "too long\n");
}

static void tap_closed(void *context, void *tag)
{
    (void)tag;
    tap_note(context, "closed\n");
}

static void tap_failed(void *context, void *tag, const haft_failure *failure)
{
    struct tap *tap = context;

    tap_note(tap, "failed %d: %d/%d %s%s%s\n", (int)(intptr_t)tag, failure->status,
             failure->http_status, failure->text, failure->maybe_handled ? " [maybe]" : "",
             failure->session_gone ? " [session]" : "");
    if (!tag && tap->restarts) {
        tap->restarts = false;
        assert_int_equal(tap->transport.restart(tap->transport.context), 0);
    }
}

static void tap_held(void *context, void *tag, bool held)
{
    tap_note(context, "held %d %d\n", (int)(intptr_t)tag, held);
}

static void tap_tick(void *context, haft_time now)
{
    (void)now;
    tap_note(context, "tick\n");
}

/* Opens a link with a loop of its own; false with the reason. */
HAFT_MAYBE_UNUSED_ static bool tap_open(struct tap *tap, const haft_target *target,
                                        const haft_allocator *allocator, haft_reason *reterr_reason)
{
    const struct connect_limits limits = {.max_message = TAP_LIMIT,
                                          .max_in_flight = 32,
                                          .connect_ms = 5000,
                                          .close_ms = target->close_ms ? target->close_ms : 2000};

    memset(tap, 0, sizeof *tap);
    assert_int_equal(hf_connect_target_check(target, reterr_reason), 0);
    tap->link =
        hf_connect_open(NULL, hf_allocator_or_default(allocator), target, &limits, reterr_reason);
    if (!tap->link)
        return false;
    tap->transport = hf_connect_link_transport(tap->link);
    tap->link->receiver = (haft_receiver){.message = tap_message,
                                          .too_long = tap_too_long,
                                          .closed = tap_closed,
                                          .failed = tap_failed,
                                          .held = tap_held,
                                          .tick = tap_tick,
                                          .context = tap};
    return true;
}

HAFT_MAYBE_UNUSED_ static void tap_send(struct tap *tap, const char *method, int id,
                                        const char *text)
{
    tap->transport.send(tap->transport.context,
                        &(haft_outgoing){.text = text,
                                         .size = strlen(text),
                                         .kind = id ? HAFT_OUT_REQUEST : HAFT_OUT_NOTIFICATION,
                                         .tag = tap_tag(id),
                                         .method = method});
}

/* Runs until there were so many reports, or for so many milliseconds. */
HAFT_MAYBE_UNUSED_ static void tap_run(struct tap *tap, unsigned reports, int64_t ms)
{
    int64_t end = milliseconds() + ms;

    while (!tap->closed && tap->reports < reports && milliseconds() < end)
        tap->transport.wait(tap->transport.context, 50);
}

HAFT_MAYBE_UNUSED_ static void tap_close(struct tap *tap)
{
    if (!tap->closed)
        tap->transport.close(tap->transport.context);
    tap->closed = true;
}

/* The number of lines, which is that of the reports that a row expects. */
HAFT_MAYBE_UNUSED_ static unsigned tap_lines(const char *text)
{
    unsigned n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

#endif
