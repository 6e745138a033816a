/* turn.c - distributes the turns of the loop fairly among connections.
 *
 * A turn has a share of response bytes. When it is used up, connections that were answered in this
 * turn, or whose latest response was long, wait for another turn; connections with small responses
 * are always served. Those with large responses take turns. */
#include "http/http.h"

void hf_turn_continue(struct connection *c)
{
    c->continues_later = true;
    c->next_continued = c->http->continued;
    c->http->continued = c;
}

/* Called before the loop polls: each connection writes one piece, and one more if it is answered in
 * this turn. */
void hf_turn_next(void *context)
{
    haft_http *http = context;
    struct connection *c = http->continued, *next;

    http->turn++;
    http->spent = 0;
    http->continued = NULL;
    for (; c; c = next) {
        next = c->next_continued;
        c->continues_later = false;
        hf_connection_write_piece(c);
    }
}

/* ---- accounting ---- */

void hf_turn_spend(struct connection *c, size_t size)
{
    c->answer_size += size;
    c->heavy = c->heavy || c->answer_size > PIECE;
    c->turn = c->http->turn;
    c->http->spent += size;
}

bool hf_turn_waits(const struct connection *c)
{
    return c->heavy || c->turn == c->http->turn;
}

/* ---- connections to resume ---- */

void hf_http_later(struct connection *c)
{
    haft_http *http = c->http;

    if (c->due)
        return;
    c->due = true;
    c->next_due = NULL;
    if (c->heavy) {
        *http->due_heavy_at = c;
        http->due_heavy_at = &c->next_due;
    } else {
        c->next_due = http->due;
        http->due = c;
    }
    hf_loop_wake(&http->loop);
}

static struct connection *pop_heavy(haft_http *http)
{
    struct connection *c = http->due_heavy;

    http->due_heavy = c->next_due;
    if (!http->due_heavy)
        http->due_heavy_at = &http->due_heavy;
    /* It is served, however much of the share is used. */
    c->heavy = c->due = false;
    return c;
}

void hf_turn_resume(haft_http *http)
{
    struct connection *c = http->due, *next;

    http->due = NULL;
    for (; c; c = next) {
        next = c->next_due;
        c->due = false;
        hf_connection_resume(c);
    }
    /* At least one, or they would wait as long as others are busy. */
    while (http->due_heavy) {
        hf_connection_resume(pop_heavy(http));
        if (http->spent >= SHARE)
            break;
    }
    if (http->due_heavy)
        hf_loop_wake(&http->loop);
}

/* Removes it from the list, if it is there. Returns the link at which the search stopped. */
static struct connection **leave_list(struct connection **link, const struct connection *c)
{
    while (*link && *link != c)
        link = &(*link)->next_due;
    if (*link)
        *link = c->next_due;
    return link;
}

void hf_turn_forget(struct connection *c)
{
    struct connection **end = &c->http->continued;

    while (c->continues_later && *end != c)
        end = &(*end)->next_continued;
    if (c->continues_later)
        *end = c->next_continued;
    c->continues_later = false;
    if (!c->due)
        return;
    leave_list(&c->http->due, c);
    end = leave_list(&c->http->due_heavy, c);
    if (!*end)
        c->http->due_heavy_at = end;
    c->due = false;
}
