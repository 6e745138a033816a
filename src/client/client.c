/* client.c - the client's life, and the messages that come to it.
 *
 * The server speaks while it is spoken to.  What it says is kept until it has finished, and looked
 * at then, so that an answer to it is never given in the middle of its sentence. */
#include <haft/testing.h>
#include "client/client.h"

#include <string.h>

#include "engine/platform.h"

enum { MEMORY = 64 << 20, START = 1000000000 };

/* ---- what comes ---- */

static void receive(void *context, const haft_outgoing *message)
{
    haft_client *client = context;
    const haft_allocator *allocator = client->allocator;
    struct arrived *arrived;

    if (client->options.watch)
        client->options.watch(client->options.context, false, message->text, message->size);
    arrived = allocator->alloc(allocator->context, sizeof *arrived + message->size);
    if (!arrived) {
        client->status = HAFT_ENOMEM;
        return;
    }
    *arrived = (struct arrived){.kind = message->kind, .size = message->size};
    memcpy(arrived->text, message->text, message->size);
    if (client->last)
        client->last->next = arrived;
    else
        client->first = arrived;
    client->last = arrived;
}

static void client_release(haft_client *client, struct arrived *arrived)
{
    if (arrived)
        client->allocator->release(client->allocator->context, arrived,
                                   sizeof *arrived + arrived->size);
}

static void drop_answer(haft_client *client, struct asked *asked)
{
    client_release(client, asked->answer);
    asked->answer = NULL;
}

void client_forget(haft_client *client, struct asked *asked)
{
    struct asked **link = &client->asked;

    while (*link != asked)
        link = &(*link)->next;
    *link = asked->next;
    drop_answer(client, asked);
    client->allocator->release(client->allocator->context, asked, asked->size);
}

/* An answer is kept for whoever waits for it.  True when it was. */
static bool client_take_response(haft_client *client, struct arrived *arrived, yyjson_val *message)
{
    yyjson_val *id = yyjson_obj_get(message, "id"), *result = rpc_object(message, "result");
    struct asked *asked = client->asked;

    while (asked && !(yyjson_is_int(id) && yyjson_get_sint(id) == asked->wire_id && !asked->answer))
        asked = asked->next;
    if (!asked) {
        client->strays++;
        return false;
    }
    if (yyjson_equals_str(yyjson_obj_get(result, "resultType"), "input_required") &&
        answer_round(client, asked, result))
        return false;
    asked->answer = arrived;
    return true;
}

/* True when the message is kept. */
static bool client_look_at(haft_client *client, struct arrived *arrived)
{
    yyjson_val *message =
        haft_json_read(arrived->text, arrived->size, JSON_MAX_DEPTH, client->scratch, NULL);
    const char *method = yyjson_get_str(yyjson_obj_get(message, "method"));

    if (arrived->kind == HAFT_OUT_RESPONSE)
        return client_take_response(client, arrived, message);
    if (arrived->kind == HAFT_OUT_REQUEST)
        answer_request(client, message);
    else if (client->options.notify && method)
        client->options.notify(client->options.context, method, rpc_object(message, "params"));
    return false;
}

void client_pump(haft_client *client)
{
    if (client->busy)
        return;
    client->busy = true;
    while (client->first) {
        struct arrived *arrived = client->first;

        client->first = arrived->next;
        if (!client->first)
            client->last = NULL;
        arrived->next = NULL;
        haft_arena_reset(client->scratch);
        if (!client_look_at(client, arrived))
            client_release(client, arrived);
    }
    client->busy = false;
}

/* ---- what goes ---- */

haft_time client_now(haft_client *client)
{
    if (client->options.clock)
        client->now = client->options.clock(client->options.context);
    return client->now;
}

int client_deliver(haft_client *client)
{
    int status = client->out.status;

    if (!status && client->options.watch)
        client->options.watch(client->options.context, true, client->out.data, client->out.size);
    if (!status)
        status = haft_session_receive(client->session, client->out.data, client->out.size, NULL,
                                      client_now(client));
    haft_buffer_clear(&client->out);
    client_pump(client);
    return status;
}

int haft_client_feed(haft_client *client, const char *text, size_t size)
{
    haft_buffer_clear(&client->out);
    haft_buffer_add(&client->out, text, size);
    return client_deliver(client);
}

void haft_client_advance(haft_client *client, unsigned milliseconds)
{
    client->now += milliseconds;
    haft_session_tick(client->session, client_now(client));
    client_pump(client);
}

size_t haft_client_strays(const haft_client *client)
{
    return client->strays;
}

/* ---- life ---- */

static const char everything[] =
    "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{\"tools\":{}},\"roots\":{}}";

static const char *or_else(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static bool client_prepare(haft_client *client, haft_server *server, enum revision revision)
{
    const haft_client_options *options = &client->options;
    haft_session_options peer = {.send = receive,
                                 .context = client,
                                 .revision = revision_row(revision)->name,
                                 .principal = options->principal};

    client->name = or_else(options->name, "client");
    client->version = or_else(options->version, "1.0.0");
    client->capabilities = or_else(options->capabilities, options->answer ? everything : "{}");
    client->modern = revision_row(revision)->modern;
    client->now = START;
    client->next_id = 1;
    haft_buffer_init(&client->out, client->allocator, MEMORY);
    haft_buffer_init(&client->items, client->allocator, MEMORY);
    client->results = haft_arena_new(client->allocator, MEMORY);
    client->scratch = haft_arena_new(client->allocator, MEMORY);
    client->session = haft_session_new(server, &peer);
    if (!client->results || !client->scratch || !client->session || platform_start(server))
        return false;
    client->session->inside = true;
    return true;
}

/* What a legacy client says first.  False when it gets nowhere. */
static bool introduce(haft_client *client, const char *revision)
{
    haft_buffer params;
    haft_result result;
    int status;

    haft_buffer_init(&params, client->allocator, MEMORY);
    haft_buffer_printf(&params,
                       "{\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":"
                       "{\"name\":",
                       revision, client->capabilities);
    haft_buffer_json_string(&params, client->name, strlen(client->name));
    haft_buffer_puts(&params, ",\"version\":");
    haft_buffer_json_string(&params, client->version, strlen(client->version));
    haft_buffer_add(&params, "}}", 3);
    status = params.status ? params.status
                           : haft_client_request(client, "initialize", params.data, &result);
    haft_buffer_finish(&params);
    if (status || result.is_error ||
        !yyjson_equals_str(yyjson_obj_get(result.value, "protocolVersion"), revision) ||
        haft_client_notify(client, "notifications/initialized", NULL))
        return false;
    if (!client->options.log_level)
        return true;
    haft_buffer_init(&params, client->allocator, 256);
    haft_buffer_printf(&params, "{\"level\":\"%s\"}", client->options.log_level);
    haft_buffer_add(&params, "", 1);
    status = params.status ? params.status
                           : haft_client_request(client, "logging/setLevel", params.data, &result);
    haft_buffer_finish(&params);
    return !status && !result.is_error;
}

haft_client *haft_client_new(haft_server *server, const haft_client_options *options)
{
    static const haft_client_options none;
    const haft_allocator *allocator;
    haft_client *client;
    const char *name;
    enum revision revision;

    options = options ? options : &none;
    name = or_else(options->revision, revision_row(REVISIONS - 1)->name);
    revision = revision_named(name, strlen(name));
    allocator = allocator_or_default(options->allocator);
    client = server && revision < REVISIONS ? allocator->alloc(allocator->context, sizeof *client)
                                            : NULL;
    if (!client)
        return NULL;
    memset(client, 0, sizeof *client);
    client->options = *options;
    client->allocator = allocator;
    if (!client_prepare(client, server, revision) ||
        (!client->modern && !introduce(client, name))) {
        haft_client_free(client);
        return NULL;
    }
    return client;
}

void haft_client_free(haft_client *client)
{
    if (!client)
        return;
    haft_session_free(client->session);
    while (client->asked)
        client_forget(client, client->asked);
    while (client->first) {
        struct arrived *arrived = client->first;

        client->first = arrived->next;
        client_release(client, arrived);
    }
    haft_buffer_finish(&client->items);
    haft_buffer_finish(&client->out);
    haft_arena_free(client->scratch);
    haft_arena_free(client->results);
    client->allocator->release(client->allocator->context, client, sizeof *client);
}
