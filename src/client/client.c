/* client.c - the client's life. */
#include <haft/testing.h>
#include "client/client.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"

enum {
    CLIENT_MEMORY = 64 << 20, /* of a message that is written */
    CLIENT_START = 1000000000,
    CLIENT_MAX_MS = 600000,
    CLIENT_IN_FLIGHT = 32,
    CLIENT_ROUNDS = 16,
    CLIENT_PAGES = 64,
    CLIENT_MESSAGE = 64 << 20
};

/* ---- the end ---- */

static void client_destroy(haft_client *client)
{
    if (client->transport.close)
        client->transport.close(client->transport.context);
    hf_question_drop(client, NULL);
    hf_subscribe_finish(client);
    hf_requests_finish(client);
    hf_lists_finish(client);
    hf_about_finish(client);
    haft_buffer_finish(&client->negotiation.declared);
    hf_document_drop(client, client->results);
    hf_documents_finish(client);
    hf_due_finish(client);
    haft_buffer_finish(&client->params);
    haft_buffer_finish(&client->out);
    haft_arena_free(client->scratch);
    client->allocator->release(client->allocator->context, client, client->size);
}

/* Every callback comes, and none after that. */
void hf_client_end(haft_client *client)
{
    if (client->ending)
        return;
    hf_client_enter(client);
    client->closed = true;
    client->requests.flushing = true;
    hf_question_drop(client, NULL);
    hf_request_fail_all(client, false, HAFT_ECANCELLED, "the client was closed");
    while (hf_request_report(client) || hf_list_report(client))
        ;
    hf_negotiate_abort(client);
    client->ending = true;
    hf_client_leave(client);
}

void haft_client_free(haft_client *client)
{
    if (client)
        hf_client_end(client);
}

/* ---- the beginning ---- */

static const char *client_text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static unsigned client_number_or(unsigned number, unsigned otherwise)
{
    return number ? number : otherwise;
}

/* The strings of the options, which the client copies. */
static const size_t client_strings[] = {
    offsetof(haft_client_options, revision),  offsetof(haft_client_options, name),
    offsetof(haft_client_options, version),   offsetof(haft_client_options, capabilities),
    offsetof(haft_client_options, log_level), offsetof(haft_client_options, principal),
    offsetof(haft_client_options, discovery)};

enum { CLIENT_STRINGS = sizeof client_strings / sizeof *client_strings };

static const char **client_string(haft_client_options *options, size_t i)
{
    return (const char **)(void *)((char *)options + client_strings[i]);
}

/* Allocates a client, with copies of the strings behind it. */
static haft_client *client_alloc(const haft_allocator *allocator,
                                 const haft_client_options *options)
{
    haft_client_options own = *options;
    haft_client *client;
    size_t size = sizeof *client;
    char *end;

    for (size_t i = 0; i < CLIENT_STRINGS; i++)
        if (*client_string(&own, i))
            size += strlen(*client_string(&own, i)) + 1;
    client = allocator->alloc(allocator->context, size);
    if (!client)
        return NULL;
    memset(client, 0, size);
    end = (char *)(client + 1);
    for (size_t i = 0; i < CLIENT_STRINGS; i++) {
        const char **text = client_string(&own, i);
        size_t bytes = *text ? strlen(*text) + 1 : 0;

        if (bytes)
            *text = memcpy(end, *text, bytes);
        end += bytes;
    }
    client->options = own;
    client->size = size;
    return client;
}

/* Creates a client without a transport. */
static haft_client *client_new(const haft_client_options *options, enum revision revision)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    haft_client *client = client_alloc(allocator, options);

    if (!client)
        return NULL;
    client->options.max_ms = client_number_or(options->max_ms, CLIENT_MAX_MS);
    client->options.max_rounds = client_number_or(options->max_rounds, CLIENT_ROUNDS);
    client->options.max_pages = client_number_or(options->max_pages, CLIENT_PAGES);
    if (!options->max_message)
        client->options.max_message = CLIENT_MESSAGE;
    client->allocator = allocator;
    client->destroy = client_destroy;
    client->options.name = client_text_or(client->options.name, "client");
    client->options.version = client_text_or(client->options.version, "1.0.0");
    client->revision = revision;
    client->now = CLIENT_START;
    client->requests.next_id = 1;
    client->requests.tasks = &hf_client_task_methods;
    haft_buffer_init(&client->out, client->allocator, CLIENT_MEMORY);
    haft_buffer_init(&client->params, client->allocator, CLIENT_MEMORY);
    haft_buffer_init(&client->negotiation.declared, client->allocator, CLIENT_MEMORY);
    hf_lists_init(client);
    client->scratch = haft_arena_new(client->allocator, CLIENT_MEMORY * 4);
    if (client->scratch)
        return client;
    haft_client_free(client);
    return NULL;
}

/* The revision that the options request; REVISIONS if it is unknown. */
static enum revision client_revision(const haft_client_options *options)
{
    const char *name = client_text_or(options->revision, hf_revision_rows[REV_NEWEST].name);

    return hf_revision_named(name, strlen(name));
}

/* Capabilities are sent as they are, in each message. */
static int client_check_capabilities(const char *text, const haft_allocator *allocator,
                                     haft_reason *reterr_reason)
{
    haft_arena *arena = text ? haft_arena_new(allocator, CLIENT_MEMORY * 4) : NULL;
    haft_reason why = {0};
    yyjson_val *root = arena ? haft_json_read(text, strlen(text), 0, arena, &why) : NULL;
    int status = 0;

    if (text && !yyjson_is_obj(root))
        status =
            !arena || why.code == HAFT_ENOMEM
                ? hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM))
                : hf_error_set(reterr_reason, HAFT_EINVAL, "capabilities", "capabilities: %s",
                               root ? "expected a JSON object" : why.text);
    haft_arena_free(arena);
    return status;
}

int hf_client_options_check(const haft_client_options *options, haft_reason *reterr_reason)
{
    if (client_revision(options) == REVISIONS)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "revision", "unknown revision %.40s",
                            options->revision);
    return client_check_capabilities(options->capabilities,
                                     hf_allocator_or_default(options->allocator), reterr_reason);
}

static bool client_has_settled(const haft_client *client, const void *context)
{
    (void)context;
    return client->negotiation.phase >= NEGOTIATE_READY;
}

int hf_client_settle(haft_client *client)
{
    unsigned timeout_ms = client->options.timeout_ms;
    int status = HAFT_ECLOSED;

    hf_client_enter(client);
    hf_client_wait_for(client, client_has_settled, NULL, timeout_ms,
                       !timeout_ms || !hf_due_has_time(client));
    if (!client->ending)
        status = client->negotiation.phase >= NEGOTIATE_READY ? client->negotiation.status
                                                              : HAFT_PENDING;
    hf_client_leave(client);
    return status;
}

/* Performs the handshake. Returns the client, or frees it and returns NULL. */
static haft_client *client_introduced(haft_client *client)
{
    int status = hf_client_settle(client);

    if (!status || (status == HAFT_PENDING && !client->transport.wait))
        return client;
    haft_client_free(client);
    return NULL;
}

haft_client *haft_client_new(haft_server *server, const haft_client_options *options)
{
    haft_client_options own;
    haft_client *client;
    enum revision revision;

    if (!hf_struct_read(&own, sizeof own, options)) {
        if (server)
            hf_server_refuse(server, HAFT_EINVAL, "haft_client_options", STRUCT_UNSIZED);
        return NULL;
    }
    revision = client_revision(&own);
    client = server && revision < REVISIONS ? client_new(&own, revision) : NULL;
    if (!client)
        return NULL;
    client->options.max_in_flight = client_number_or(own.max_in_flight, UINT_MAX);
    if (!hf_memory_open(client, server, revision) || hf_negotiate_begin(client)) {
        haft_client_free(client);
        return NULL;
    }
    return client_introduced(client);
}

haft_client *hf_client_start(const haft_transport *transport, const haft_client_options *options,
                             const struct client_start *start, haft_receiver *ret_receiver,
                             haft_reason *reterr_reason)
{
    haft_transport its;
    haft_client_options own;
    haft_client *client = NULL;
    int status = 0;

    if (!hf_struct_read(&its, sizeof its, transport)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "", "haft_transport: %s", STRUCT_UNSIZED);
        return NULL;
    }
    if (!hf_struct_read(&own, sizeof own, options))
        hf_error_set(reterr_reason, HAFT_EINVAL, "", "haft_client_options: %s", STRUCT_UNSIZED);
    else if (!hf_client_options_check(&own, reterr_reason) &&
             !(client = client_new(&own, client_revision(&own))))
        hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
    if (!client) {
        if (its.close)
            its.close(its.context);
        return NULL;
    }
    client->transport = its;
    client->options.timeout_ms = client_number_or(own.timeout_ms, DEFAULT_TIMEOUT);
    client->options.max_in_flight = client_number_or(own.max_in_flight, CLIENT_IN_FLIGHT);
    client->negotiation.probe = start->probe;
    client->negotiation.ready = start->ready;
    client->negotiation.context = start->context;
    *ret_receiver = hf_client_receiver(client);
    status = hf_negotiate_begin(client);
    if (!status)
        return client;
    hf_error_set(reterr_reason, status, "", "%s",
                 status == HAFT_EINVAL ? "the discovery of the options is not what "
                                         "haft_client_discovery returned"
                                       : haft_strerror(status));
    client->negotiation.ready = NULL;
    haft_client_free(client);
    return NULL;
}

haft_client *haft_client_open(const haft_transport *transport, const haft_client_options *options,
                              haft_receiver *ret_receiver)
{
    const struct client_start start = {.probe = false};
    haft_client *client = hf_client_start(transport, options, &start, ret_receiver, NULL);

    return client ? client_introduced(client) : NULL;
}

/* ---- for tests ---- */

int haft_client_feed(haft_client *client, const char *text, size_t size)
{
    int status;

    haft_buffer_clear(&client->out);
    haft_buffer_add(&client->out, text, size);
    status = hf_client_deliver(client, HAFT_OUT_REQUEST);
    hf_client_pump(client);
    return status;
}

void haft_client_advance(haft_client *client, unsigned milliseconds)
{
    hf_client_enter(client);
    if (client->session) {
        hf_memory_advance(client, milliseconds);
        hf_due_run(client, client->now);
        hf_client_pump(client);
    } else if (client->transport.wait) {
        haft_client_run(client, milliseconds);
    }
    hf_client_leave(client);
}

size_t haft_client_strays(const haft_client *client)
{
    return client->strays;
}
