/* connect/site.h - an HTTP server that answers as a table says, and keeps a record of its requests. */
#ifndef HAFT_TESTS_CONNECT_SITE_H
#define HAFT_TESTS_CONNECT_SITE_H

#include "http_client/rogue.h"

/* How it answers a request. */
struct site_answer {
    const char *on;   /* text that the request has; NULL: any */
    const char *text; /* head and body, as they are; NULL: it holds the connection */
    unsigned times;   /* how often it is given; 0: always */
    bool holds;       /* the connection stays open after the text, and nothing more is read */
    bool closes;      /* the connection closes after the text */
    unsigned after;   /* it waits until so many requests have come */
};

enum { SITE_RECORD = 1 << 15, SITE_ANSWERS = 12 };

struct site {
    struct rogue *rogue;
    const struct site_answer *answers; /* up to one with neither `on` nor `text` */
    unsigned given[SITE_ANSWERS];
    char record[SITE_RECORD]; /* "METHOD PATH" and some headers of each request, one a line */
    size_t size;
    atomic_uint n_requests;
    const char *base; /* replaces @ in answers */
};

/* Appends " NAME=value" of a header. */
static void site_note_header(struct site *site, const char *request, const char *name)
{
    char key[80];
    const char *at;

    snprintf(key, sizeof key, "\r\n%s: ", name);
    at = strstr(request, key);
    if (at)
        site->size +=
            (size_t)snprintf(site->record + site->size, SITE_RECORD - site->size, " %s=%.*s", name,
                             (int)strcspn(at + strlen(key), "\r"), at + strlen(key));
}

static void site_note(struct site *site, const char *request)
{
    static const char *const names[] = {"Authorization",        "Mcp-Session-Id", "Last-Event-ID",
                                        "MCP-Protocol-Version", "Expect",         "X-Own"};

    assert_true(site->size + 1000 < SITE_RECORD);
    site->size += (size_t)snprintf(site->record + site->size, SITE_RECORD - site->size, "%.*s",
                                   (int)(strstr(request, " HTTP/") - request), request);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        site_note_header(site, request, names[i]);
    site->size += (size_t)snprintf(site->record + site->size, SITE_RECORD - site->size, "\n");
    atomic_fetch_add(&site->n_requests, 1);
}

static const struct site_answer *site_choose(struct site *site, const char *request)
{
    for (size_t i = 0; site->answers[i].on || site->answers[i].text; i++) {
        const struct site_answer *answer = &site->answers[i];

        if ((answer->on && !strstr(request, answer->on)) ||
            (answer->times && site->given[i] >= answer->times))
            continue;
        site->given[i]++;
        return answer;
    }
    return NULL;
}

/* Writes the text; @ stands for the server's own URL. */
static void site_put(struct site *site, int fd, const char *text)
{
    const char *at;

    while ((at = strchr(text, '@'))) {
        rogue_write(fd, text, (size_t)(at - text));
        rogue_puts(fd, site->rogue->url);
        text = at + 1;
    }
    rogue_puts(fd, text);
}

static void site_serve(struct rogue *rogue, int fd, int number)
{
    struct site *site = (struct site *)rogue->context;

    (void)number;
    while (rogue_read(rogue, fd)) {
        const struct site_answer *answer;

        pthread_mutex_lock(&rogue->lock);
        site_note(site, rogue->seen);
        answer = site_choose(site, rogue->seen);
        pthread_mutex_unlock(&rogue->lock);
        while (answer && atomic_load(&site->n_requests) < answer->after &&
               !atomic_load(&rogue->ends))
            poll(NULL, 0, 1);
        if (answer && answer->text)
            site_put(site, fd, answer->text);
        if (!answer || !answer->text || answer->holds)
            rogue_hold(rogue, fd);
        if (!answer || answer->closes)
            return;
    }
}

HAFT_MAYBE_UNUSED_ static void site_open(struct site *site, const struct site_answer *answers)
{
    memset(site, 0, sizeof *site);
    site->answers = answers;
    site->rogue = rogue_open(site_serve, site);
}

HAFT_MAYBE_UNUSED_ static void site_close(struct site *site)
{
    rogue_close(site->rogue);
}

#endif
