/* link.c - keeps a connection alive, or finds out that it is not. */
#include "websocket/link.h"

#include <limits.h>
#include <string.h>

void hf_websocket_link_init(struct websocket_link *link, unsigned ping_ms, unsigned pong_ms,
                            haft_time now)
{
    link->ping_ms = ping_ms ? ping_ms : (unsigned)LINK_PING_MS;
    link->pong_ms = pong_ms ? pong_ms : (unsigned)LINK_PONG_MS;
    link->heard = now;
    link->waits = false;
}

void hf_websocket_link_hear(struct websocket_link *link, haft_time now)
{
    link->heard = now;
    link->waits = false;
}

haft_time hf_websocket_link_tick(struct websocket_link *link, haft_time now)
{
    if (!hf_websocket_is_open(link->ws) || link->ping_ms == UINT_MAX)
        return hf_websocket_tick(link->ws, now);
    if (link->waits && now - link->pinged >= link->pong_ms) {
        hf_websocket_lost(link->ws, "the peer does not answer pings");
        return INT64_MAX;
    }
    /* One that cannot be queued is not answered either. */
    if (!link->waits && now - link->heard >= link->ping_ms) {
        hf_websocket_ping(link->ws, "", 0);
        link->waits = true;
        link->pinged = now;
    }
    return link->waits ? link->pinged + link->pong_ms : link->heard + link->ping_ms;
}

void hf_websocket_link_copy(char *ret_text, size_t room, const char *text)
{
    size_t size = strlen(text);

    if (size >= room)
        size = haft_utf8_valid(text, room - 1);
    memcpy(ret_text, text, size);
    ret_text[size] = '\0';
}

void hf_websocket_link_keep_end(struct websocket_link *link, const struct websocket_end *end)
{
    link->ended = true;
    link->end = *end;
    hf_websocket_link_copy(link->reason, sizeof link->reason, end->reason);
    link->end.reason = link->reason;
}
