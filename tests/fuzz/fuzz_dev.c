/* fuzz_dev.c - any lines of a client and of servers that come and go, through `haft dev`.
 *
 * The first byte of a line says whose it is.  What the client gets is JSON whatever the server says, and the lists of what
 * waits stay within their limits. */
#include "dev_session.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void to_client(void *context, const char *text, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    yyjson_val *root;
    const char *reason;
    size_t offset;

    (void)context;
    require(!memchr(text, '\n', size));
    require(!hf_json_parse(text, size, arena, &root, &offset, &reason));
    haft_arena_free(arena);
}

static void to_server(void *context, const char *text, size_t size)
{
    (void)context;
    require(size && !memchr(text, '\n', size));
}

static void ended(void *context, const struct dev_request *request, enum dev_outcome outcome,
                  const char *text, size_t size)
{
    (void)context;
    (void)outcome;
    (void)text;
    (void)size;
    require(strlen(request->method) < DEV_NAME_TEXT && strlen(request->name) < DEV_NAME_TEXT);
}

static void note(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

static void take(struct dev_session *session, const char *line, size_t size)
{
    switch (size ? line[0] : 0) {
    case 'r':
        dev_session_lost(session, "gone", true);
        dev_session_replaced(session);
        break;
    case 'x':
        dev_session_lost(session, "gone", false);
        break;
    case 'd':
        dev_session_client(session, line + 1, size - 1, 0, "down");
        break;
    case 's':
        dev_session_server(session, line + 1, size - 1, 0);
        break;
    default:
        if (size)
            dev_session_client(session, line, size, 0, NULL);
    }
    require(session->n_requests <= DEV_MAX_REQUESTS && session->n_asked <= DEV_MAX_ASKED &&
            session->n_subscriptions <= DEV_MAX_SUBSCRIPTIONS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dev_output out = {to_client, to_server, ended, note, NULL};
    const char *at = (const char *)data, *end = at + size;
    struct dev_session session;

    require(dev_session_init(&session, &out));
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end;
        take(&session, at, (size_t)(stop - at));
        at = stop + 1;
    }
    dev_session_finish(&session);
    return 0;
}
