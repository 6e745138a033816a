/* connect.c - a client of a server elsewhere: opens the link for the target, and the client on it. */
#include <haft/connect.h>
#include <string.h>

#include "base/struct.h"
#include "client/client.h"
#include "connect/link.h"

enum {
    CONNECT_MESSAGE = 64 << 20,
    CONNECT_IN_FLIGHT = 32,
    CONNECT_MS = 10000,
    CONNECT_CLOSE_MS = 2000
};

/* The options of both functions, read and checked. */
struct connect_given {
    haft_target target;
    haft_client_options options;
    struct connect_limits limits;
};

static unsigned connect_or(unsigned given, unsigned otherwise)
{
    return given ? given : otherwise;
}

static int connect_read(struct connect_given *given, const haft_target *target,
                        const haft_client_options *options, haft_reason *reterr_reason)
{
    if (!target)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "target", "target is NULL");
    if (!hf_struct_read(&given->target, sizeof given->target, target))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "haft_target: %s", STRUCT_UNSIZED);
    if (!hf_struct_read(&given->options, sizeof given->options, options))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "haft_client_options: %s",
                            STRUCT_UNSIZED);
    given->limits = (struct connect_limits){
        .max_message = given->options.max_message ? given->options.max_message : CONNECT_MESSAGE,
        .max_in_flight = connect_or(given->options.max_in_flight, CONNECT_IN_FLIGHT),
        .connect_ms = connect_or(given->target.connect_ms, CONNECT_MS),
        .close_ms = connect_or(given->target.close_ms, CONNECT_CLOSE_MS)};
    return hf_connect_target_check(&given->target, reterr_reason);
}

/* Opens the link and a client on it, whose negotiation has begun. */
static haft_client *connect_begin(uv_loop_t *loop, const struct connect_given *given,
                                  const struct client_start *start, haft_reason *reterr_reason)
{
    const haft_allocator *allocator = hf_allocator_or_default(given->options.allocator);
    struct connect_link *link =
        hf_connect_open(loop, allocator, &given->target, &given->limits, reterr_reason);
    haft_transport transport;

    if (!link)
        return NULL;
    transport = hf_connect_link_transport(link);
    return hf_client_start(&transport, &given->options, start, &link->receiver, reterr_reason);
}

/* Why the negotiation failed. */
static void connect_explain(const haft_client *client, int status, haft_reason *reterr_reason)
{
    const char *text = haft_client_error(client, NULL);

    hf_error_set(reterr_reason, status, "", "%s", text && *text ? text : haft_strerror(status));
}

static haft_client *connect_in_process(const struct connect_given *given,
                                       const haft_client_options *options,
                                       haft_reason *reterr_reason)
{
    haft_client *client;

    if (hf_client_options_check(&given->options, reterr_reason))
        return NULL;
    client = haft_client_new(given->target.server, options);
    if (!client)
        hf_error_set(reterr_reason, HAFT_EINVAL, "",
                     "out of memory, the server refuses the revision, or the discovery is not "
                     "what haft_client_discovery returned");
    return client;
}

haft_client *haft_client_connect(const haft_target *target, const haft_client_options *options,
                                 haft_reason *reterr_reason)
{
    const struct client_start start = {.probe = true};
    struct connect_given given;
    haft_client *client;
    int status;

    if (connect_read(&given, target, options, reterr_reason))
        return NULL;
    if (given.target.server)
        return connect_in_process(&given, options, reterr_reason);
    client = connect_begin(NULL, &given, &start, reterr_reason);
    status = client ? hf_client_settle(client) : 0;
    if (!status)
        return client;
    connect_explain(client, status, reterr_reason);
    haft_client_free(client);
    return NULL;
}

haft_client *haft_client_start(void *loop, const haft_target *target,
                               const haft_client_options *options,
                               void (*ready)(void *context, haft_client *client, int status),
                               void *context, haft_reason *reterr_reason)
{
    const struct client_start start = {.probe = true, .ready = ready, .context = context};
    struct connect_given given;

    if (connect_read(&given, target, options, reterr_reason))
        return NULL;
    if (!loop) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "loop", "haft_client_start: loop is NULL");
        return NULL;
    }
    return connect_begin(loop, &given, &start, reterr_reason);
}

void haft_client_close(haft_client *client, void (*closed)(void *context), void *context)
{
    struct connect_link *link = client ? hf_connect_link_of(&client->transport) : NULL;

    if (link) {
        link->closed = closed;
        link->closed_context = context;
    }
    haft_client_free(client);
    if (!link && closed)
        closed(context);
}
