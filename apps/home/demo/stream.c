/* stream.c - GET /api/stream: events as server-sent events, with a ping now and then. */
#include "demo/rest.h"
#include "demo/session.h"

enum { STREAM_PING_SECONDS = 50 };

void demo_rest_stream(struct demo_rest *rest)
{
    rest->response->type = "text/event-stream";
    rest->response->streams = true;
}

static void stream_say(struct demo_session *session, const char *text)
{
    haft_buffer out = demo_buffer(session->demo);

    haft_buffer_printf(&out, "data: %s\n\n", text);
    demo_queue(session, &out);
}

void demo_stream_tell(struct demo_session *session, const struct demo_subscription *to,
                      const char *type, const char *json)
{
    size_t size = strlen(type);

    for (const char *at = to->what; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, type, size) && (!at[size] || at[size] == ',')) {
            stream_say(session, json);
            return;
        }
    if (!to->what)
        stream_say(session, json);
}

void demo_stream_ping(struct demo_session *session)
{
    session->due = session->demo->now + STREAM_PING_SECONDS * (int64_t)DEMO_SECOND;
    stream_say(session, "ping");
}

struct demo_session *demo_stream_open(struct demo *demo, const char *query,
                                      void (*send)(void *who, const char *text, size_t size),
                                      void (*end)(void *who), void *who)
{
    struct demo_request request = {.query = query};
    struct demo_rest rest = {.demo = demo, .request = &request};
    struct demo_session *session;
    const char *types;

    demo_enter(demo);
    types = demo_rest_query(&rest, "restrict");
    session = demo_alloc(demo, sizeof *session);
    if (session) {
        *session = (struct demo_session){.demo = demo,
                                         .next = demo->sessions,
                                         .send = send,
                                         .end = end,
                                         .who = who,
                                         .phase = DEMO_PHASE_STREAM};
        session->subscriptions_end = &session->subscriptions;
        demo->sessions = session;
        demo_stream_ping(session);
        if (demo_subscribe(session, 0, DEMO_ON_STREAM, types && *types ? types : NULL))
            demo_end(session);
    }
    demo_leave(demo);
    return session;
}
