/* client.c - the client's life, and incoming messages.
 *
 * An in-process server sends messages while it processes one. They are queued until it has
 * returned, and processed then, so that the client never calls into the server recursively. */
#include <haft/testing.h>
#include "client/client.h"

#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "protocol/revision.h"
#include "protocol/rpc.h"

enum { MEMORY = 64 << 20, START = 1000000000 };

/* ---- incoming messages ---- */

void hf_client_keep(haft_client *client, const char *text, size_t size)
{
    const haft_allocator *allocator = client->allocator;
    struct arrived *arrived;

    if (client->options.watch)
        client->options.watch(client->options.context, false, text, size);
    arrived = allocator->alloc(allocator->context, sizeof *arrived + size);
    if (!arrived) {
        client->status = HAFT_ENOMEM;
        return;
    }
    *arrived = (struct arrived){.size = size};
    memcpy(arrived->text, text, size);
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

void hf_client_forget(haft_client *client, struct asked *asked)
{
    struct asked **link = &client->asked;

    while (*link != asked)
        link = &(*link)->next;
    *link = asked->next;
    drop_answer(client, asked);
    client->allocator->release(client->allocator->context, asked, asked->size);
}

/* Keeps a response for the caller that waits for it. Returns true if it was kept. */
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
        hf_answer_round(client, asked, result))
        return false;
    asked->answer = arrived;
    return true;
}

/* Processes a message; returns true if it was kept. */
static bool client_look_at(haft_client *client, struct arrived *arrived)
{
    yyjson_val *message =
        haft_json_read(arrived->text, arrived->size, JSON_MAX_DEPTH, client->scratch, NULL);
    const char *method = yyjson_get_str(yyjson_obj_get(message, "method"));

    if (!method)
        return client_take_response(client, arrived, message);
    if (yyjson_obj_get(message, "id"))
        hf_answer_request(client, message);
    else if (client->options.notify)
        client->options.notify(client->options.context, method, rpc_object(message, "params"));
    return false;
}

void hf_client_pump(haft_client *client)
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

/* ---- outgoing messages ---- */

int hf_client_deliver(haft_client *client, haft_outgoing_kind kind)
{
    haft_buffer *out = &client->out;
    int status = out->status ? out->status : client->closed ? HAFT_ECLOSED : 0;

    if (!status && client->options.watch)
        client->options.watch(client->options.context, true, out->data, out->size);
    if (!status) {
        client->sent = 0;
        client->transport.send(
            client->transport.context,
            &(haft_outgoing){.text = out->data, .size = out->size, .kind = kind});
        status = client->sent;
    }
    haft_buffer_clear(out);
    hf_client_pump(client);
    return status;
}

int haft_client_feed(haft_client *client, const char *text, size_t size)
{
    haft_buffer_clear(&client->out);
    haft_buffer_add(&client->out, text, size);
    return hf_client_deliver(client, HAFT_OUT_REQUEST);
}

haft_time hf_client_let_pass(haft_client *client, unsigned milliseconds)
{
    haft_time now = client->transport.wait(client->transport.context, milliseconds);

    hf_client_pump(client);
    return now;
}

void haft_client_advance(haft_client *client, unsigned milliseconds)
{
    haft_time now, end;

    if (client->session) {
        hf_memory_advance(client, milliseconds);
        hf_client_pump(client);
    } else if (client->transport.wait) {
        now = hf_client_let_pass(client, 0);
        for (end = now + milliseconds; now < end && !client->closed;)
            now = hf_client_let_pass(client, (unsigned)(end - now));
    }
}

size_t haft_client_strays(const haft_client *client)
{
    return client->strays;
}

/* ---- lifetime ---- */

static const char everything[] =
    "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{\"tools\":{}},\"roots\":{}}";

static const char *or_else(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* Creates a client without a transport. */
static haft_client *client_new(const haft_client_options *options, enum revision revision)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    haft_client *client = allocator->alloc(allocator->context, sizeof *client);

    if (!client)
        return NULL;
    memset(client, 0, sizeof *client);
    client->options = *options;
    client->allocator = allocator;
    client->name = or_else(options->name, "client");
    client->version = or_else(options->version, "1.0.0");
    client->capabilities = or_else(options->capabilities, options->answer ? everything : "{}");
    client->revision = revision;
    client->modern = hf_revision_rows[revision].modern;
    client->now = START;
    client->next_id = 1;
    haft_buffer_init(&client->out, client->allocator, MEMORY);
    haft_buffer_init(&client->items, client->allocator, MEMORY);
    client->results = haft_arena_new(client->allocator, MEMORY);
    client->scratch = haft_arena_new(client->allocator, MEMORY);
    if (client->results && client->scratch)
        return client;
    haft_client_free(client);
    return NULL;
}

void hf_client_put_info(const haft_client *client, struct json_writer *w)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "name"), client->name);
    hf_json_text(json_key(w, "version"), client->version);
    hf_json_end_object(w);
}

/* Sends the handshake of a legacy client. Returns false on failure. */
static bool introduce(haft_client *client, const char *revision)
{
    haft_buffer params;
    struct json_writer w = {.out = &params};
    haft_result result;
    int status;

    haft_buffer_init(&params, client->allocator, MEMORY);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "protocolVersion"), revision);
    hf_json_raw(json_key(&w, "capabilities"), client->capabilities, strlen(client->capabilities));
    hf_client_put_info(client, json_key(&w, "clientInfo"));
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
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
    w = (struct json_writer){.out = &params};
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "level"), client->options.log_level);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    status = params.status ? params.status
                           : haft_client_request(client, "logging/setLevel", params.data, &result);
    haft_buffer_finish(&params);
    return !status && !result.is_error;
}

/* The revision that the options request; REVISIONS if it is unknown. */
static enum revision client_revision(const haft_client_options *options)
{
    const char *name = or_else(options->revision, hf_revision_rows[REV_NEWEST].name);

    return hf_revision_named(name, strlen(name));
}

/* Performs the handshake. Returns the client, or frees it and returns NULL. */
static haft_client *client_introduced(haft_client *client, enum revision revision)
{
    if (client->modern || introduce(client, hf_revision_rows[revision].name))
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
    if (!hf_memory_open(client, server, revision)) {
        haft_client_free(client);
        return NULL;
    }
    return client_introduced(client, revision);
}

/* ---- transport events ---- */

static int client_take_message(void *context, const char *text, size_t size, void *tag,
                               haft_time now)
{
    haft_client *client = context;

    (void)tag;
    (void)now;
    hf_client_keep(client, text, size);
    hf_client_pump(client);
    return client->status == HAFT_ENOMEM ? HAFT_ENOMEM : 0;
}

static void client_take_too_long(void *context, size_t size, void *tag)
{
    haft_client *client = context;

    (void)size;
    (void)tag;
    client->status = HAFT_ETOOBIG;
}

static void client_take_closed(void *context, void *tag)
{
    haft_client *client = context;

    (void)tag;
    client->closed = true;
}

haft_client *haft_client_open(const haft_transport *transport, const haft_client_options *options,
                              haft_receiver *ret_receiver)
{
    haft_transport its;
    haft_client_options own;
    haft_client *client;
    enum revision revision;

    if (!hf_struct_read(&its, sizeof its, transport))
        return NULL;
    revision = hf_struct_read(&own, sizeof own, options) ? client_revision(&own) : REVISIONS;
    client = revision < REVISIONS ? client_new(&own, revision) : NULL;
    if (!client) {
        if (its.close)
            its.close(its.context);
        return NULL;
    }
    client->transport = its;
    if (!client->options.timeout_ms)
        client->options.timeout_ms = DEFAULT_TIMEOUT;
    *ret_receiver = (haft_receiver){.message = client_take_message,
                                    .too_long = client_take_too_long,
                                    .closed = client_take_closed,
                                    .context = client};
    return client_introduced(client, revision);
}

void haft_client_free(haft_client *client)
{
    if (!client)
        return;
    if (client->transport.close)
        client->transport.close(client->transport.context);
    while (client->asked)
        hf_client_forget(client, client->asked);
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
