/* upgrade.c - connections whose bytes do not go to the parser.
 *
 * The parser has paused behind the head of the request, so that what follows it is in `waiting`, or
 * comes later: none of it has been parsed as HTTP. */
#include "http/upgrade.h"

#include "http/http.h"

enum { UPGRADE_HEAD = 16 << 10 };

static bool upgrade_is_ours(const haft_responder *responder)
{
    return responder == &hf_http_responder || responder == &hf_http_app_responder;
}

static int upgrade_put_head(haft_buffer *head, const haft_header *headers, size_t n)
{
    buffer_literal(head, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n");
    for (size_t i = 0; i < n; i++) {
        const haft_header *header = &headers[i];

        if (!hf_header_name_is_valid(header->name) ||
            !hf_header_value_is_valid(header->value, strlen(header->value)))
            return HAFT_EINVAL;
        haft_buffer_printf(head, "%s: %s\r\n", header->name, header->value);
    }
    buffer_literal(head, "\r\n");
    return head->status;
}

int hf_http_upgrade(const haft_responder *responder, void *responder_context,
                    const haft_header *headers, size_t n_headers,
                    const struct http_upgrade_events *events, void *context,
                    http_upgraded **ret_upgraded)
{
    struct connection *c = responder_context;
    haft_buffer head;
    uv_buf_t buf;
    int status;

    if (!upgrade_is_ours(responder) || !c->upgrade.offered || c->answered || c->streaming)
        return HAFT_EINVAL;
    if (c->stage != STAGE_HANDLING || c->doomed || c->ended || c->http->closing)
        return HAFT_ECLOSED;
    haft_buffer_init(&head, c->http->allocator, UPGRADE_HEAD);
    status = upgrade_put_head(&head, headers, n_headers);
    if (!status) {
        c->pending.by = NULL;
        c->answered = c->streaming = true;
        c->stage = STAGE_UPGRADED;
        c->upgrade = (struct upgrade){.events = events, .context = context, .is_new = true};
        buf = uv_buf_init(head.data, (unsigned)head.size);
        hf_connection_put(c, &buf, 1);
        hf_http_later(c);
        *ret_upgraded = c;
    }
    haft_buffer_finish(&head);
    return status;
}

/* ---- what the connection reports ---- */

void hf_upgrade_receive(struct connection *c, const char *bytes, size_t size)
{
    c->upgrade.events->on_bytes(c->upgrade.context, bytes, size);
}

void hf_upgrade_resume(struct connection *c)
{
    haft_buffer waiting = c->waiting;

    /* The request is no longer used. */
    if (c->upgrade.is_new)
        hf_connection_trim_request(c, 0);
    c->upgrade.is_new = false;
    if (waiting.size && !c->upgrade.held) {
        haft_buffer_init(&c->waiting, c->http->allocator, waiting.limit);
        hf_upgrade_receive(c, waiting.data, waiting.size);
        haft_buffer_finish(&waiting);
    }
    if (c->stage == STAGE_UPGRADED && c->upgrade.wrote && !c->unsent) {
        c->upgrade.wrote = false;
        if (c->upgrade.events->on_writable)
            c->upgrade.events->on_writable(c->upgrade.context);
    }
}

void hf_upgrade_tick(struct connection *c, haft_time now)
{
    if (c->upgrade.events->on_tick)
        c->upgrade.events->on_tick(c->upgrade.context, now);
}

void hf_upgrade_shut_down(struct connection *c)
{
    if (c->upgrade.told)
        return;
    c->upgrade.told = true;
    if (c->upgrade.events->on_shutdown)
        c->upgrade.events->on_shutdown(c->upgrade.context);
    else
        hf_connection_close(c);
}

void hf_upgrade_end(struct connection *c)
{
    const struct http_upgrade_events *events = c->upgrade.events;

    c->upgrade.events = NULL;
    if (events)
        events->on_end(c->upgrade.context);
}

/* ---- what its owner asks for ---- */

void hf_http_upgraded_write(http_upgraded *c, const char *bytes, size_t size)
{
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size);

    if (!size)
        return;
    hf_connection_put(c, &buf, 1);
    c->answer_size = 0;
    c->upgrade.wrote = c->upgrade.wrote || c->unsent;
}

size_t hf_http_upgraded_unsent(const http_upgraded *c)
{
    return c->unsent;
}

haft_time hf_http_upgraded_now(const http_upgraded *c)
{
    return loop_now(&c->http->loop);
}

void hf_http_upgraded_pause(http_upgraded *c)
{
    c->upgrade.held = true;
    if (!c->paused)
        uv_read_stop(&c->io.stream);
    c->paused = true;
}

void hf_http_upgraded_resume(http_upgraded *c)
{
    c->upgrade.held = false;
    hf_http_later(c);
}

void hf_http_upgraded_close(http_upgraded *c)
{
    c->upgrade.events = NULL;
    /* What the client has sent meanwhile must not take the last bytes away from it. */
    c->lingers = true;
    hf_connection_close(c);
}
