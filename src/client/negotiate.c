/* negotiate.c - finds the revision that both sides support.
 *
 * The newest revision is asked for first, with a request that needs no handshake.  A server that
 * does not know it says so in one of many ways, and then `initialize` follows.  Each step is a
 * request whose end begins the next one. */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

#include "client/shape.h"

enum {
    NEGOTIATE_PROBE_MS = 5000, /* a process may leave the first question unanswered for this long */
    NEGOTIATE_TRIES = 3,
    NEGOTIATE_UNAUTHORIZED = 401,
    NEGOTIATE_FORBIDDEN = 403
};

static int negotiate_initialize(haft_client *client);

/* ---- the end ---- */

static void negotiate_fail(haft_client *client, int status, int http_status, const char *format,
                           ...) HAFT_PRINTF_(4, 5);
static void negotiate_fail(haft_client *client, int status, int http_status, const char *format,
                           ...)
{
    struct negotiation *own = &client->negotiation;
    char text[CLIENT_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    own->status = status;
    own->phase = own->again ? NEGOTIATE_LOST : NEGOTIATE_FAILED;
    if (!own->again)
        client->closed = true;
    hf_request_fail_all(client, false, status, text);
    hf_client_explain(client, http_status, "%s", text);
    hf_due_wake(client);
}

/* `initialize` was answered, or is not needed. */
static void negotiate_ready(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    bool again = own->again;

    own->phase = NEGOTIATE_READY;
    own->again = true;
    own->status = 0;
    if (client_is_modern(client) && client->transport.negotiated)
        client->transport.negotiated(client->transport.context,
                                     hf_revision_rows[client->revision].name);
    hf_subscribe_renew(client, again);
    hf_request_flush(client);
    hf_due_wake(client);
}

static void negotiate_done_level(void *context, haft_client *client, int status,
                                 const haft_result *result)
{
    (void)context;
    (void)result;
    client->negotiation.id = 0;
    if (status == HAFT_ECANCELLED || client->negotiation.phase != NEGOTIATE_LEVEL)
        return;
    negotiate_ready(client); /* Without log messages the client still works. */
}

/* Tells a legacy server which log messages are wanted. */
static bool negotiate_level(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    haft_buffer *params = &client->params;
    struct json_writer w = {.out = params};
    const char *level = own->level ? own->level : client->options.log_level;
    int64_t id;

    if (!level || !yyjson_obj_get(own->capabilities, "logging"))
        return false;
    haft_buffer_clear(params);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "level"), level);
    hf_json_end_object(&w);
    haft_buffer_add(params, "", 1);
    if (params->status)
        return false;
    own->phase = NEGOTIATE_LEVEL;
    id = hf_request_begin(client,
                          HAFT_WITH(haft_client_exchange, .method = "logging/setLevel",
                                    .params = params->data, .done = negotiate_done_level),
                          REQUEST_EARLY);
    if (id > 0)
        own->id = id;
    return id > 0;
}

/* ---- the handshake ---- */

static void negotiate_choose(haft_client *client, yyjson_val *versions, const haft_result *result);

/* A server that needed long to start may refuse the handshake, and list its revisions. */
static bool negotiate_reconsider(haft_client *client, const haft_result *result)
{
    struct negotiation *own = &client->negotiation;
    yyjson_val *versions = yyjson_obj_get(result->error_data, "supported");

    if (result->error_code != RPC_UNSUPPORTED_VERSION || own->fixed ||
        own->tries >= NEGOTIATE_TRIES || !yyjson_is_arr(versions))
        return false;
    own->tries++;
    negotiate_choose(client, versions, result);
    return true;
}

static void negotiate_take_greeting(haft_client *client, const haft_result *result)
{
    yyjson_val *version = yyjson_obj_get(result->value, "protocolVersion");
    enum revision revision;
    haft_reason reason;

    if (hf_shape_check(&hf_shape_greeting, result->value, "", &reason)) {
        negotiate_fail(client, HAFT_EPROTOCOL, 0,
                       "the server's answer to initialize is malformed: %s %s",
                       *reason.path ? reason.path : "the result", reason.text);
        return;
    }
    revision = hf_revision_named(yyjson_get_str(version), yyjson_get_len(version));
    if (revision == REVISIONS || hf_revision_rows[revision].modern) {
        negotiate_fail(client, HAFT_EPROTOCOL, 0,
                       "the server chose protocol revision %.40s, which haft does not support",
                       yyjson_get_str(version));
        return;
    }
    client->revision = revision;
    hf_about_keep(client, rpc_object(result->value, "serverInfo"),
                  rpc_object(result->value, "capabilities"),
                  rpc_string(result->value, "instructions"));
    if (client->transport.negotiated)
        client->transport.negotiated(client->transport.context, hf_revision_rows[revision].name);
    if (hf_outgoing_notification(client, "notifications/initialized", NULL))
        negotiate_fail(client, HAFT_ENOMEM, 0, "%s", haft_strerror(HAFT_ENOMEM));
    else if (!negotiate_level(client))
        negotiate_ready(client);
}

static void negotiate_done_initialize(void *context, haft_client *client, int status,
                                      const haft_result *result)
{
    (void)context;
    client->negotiation.id = 0;
    if (client->negotiation.phase != NEGOTIATE_INITIALIZE || client->ending)
        return;
    if (status)
        negotiate_fail(client, status, client->http_status, "%.400s", client->error);
    else if (negotiate_reconsider(client, result))
        return;
    else if (result->error_code || result->is_error)
        negotiate_fail(client, HAFT_EPROTOCOL, 0, "the server rejected the handshake: %.300s (%d)",
                       result->error_message, result->error_code);
    else
        negotiate_take_greeting(client, result);
}

static int negotiate_initialize(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    haft_buffer *params = &client->params;
    struct json_writer w = {.out = params};
    const char *capabilities;
    int64_t id;

    if (client_is_modern(client))
        client->revision = REV_NEWEST_LEGACY;
    own->phase = NEGOTIATE_INITIALIZE;
    capabilities = hf_client_capabilities(client);
    haft_buffer_clear(params);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "protocolVersion"), hf_revision_rows[client->revision].name);
    hf_json_raw(json_key(&w, "capabilities"), capabilities, strlen(capabilities));
    hf_client_put_info(client, json_key(&w, "clientInfo"));
    hf_json_end_object(&w);
    haft_buffer_add(params, "", 1);
    id =
        params->status
            ? params->status
            : hf_request_begin(client,
                               HAFT_WITH(haft_client_exchange, .method = "initialize",
                                         .params = params->data, .done = negotiate_done_initialize),
                               REQUEST_EARLY);
    own->id = id > 0 ? id : 0;
    return id > 0 ? 0 : (int)id;
}

/* The same where a failure ends the negotiation. */
static void negotiate_greet(haft_client *client)
{
    int status = negotiate_initialize(client);

    if (status)
        negotiate_fail(client, status, 0, "initialize: %s", haft_strerror(status));
}

/* ---- the newest revision ---- */

static bool negotiate_lists(yyjson_val *versions, const char *name)
{
    size_t i, n;
    yyjson_val *version;

    yyjson_arr_foreach(versions, i, n, version)
        if (yyjson_equals_str(version, name))
            return true;
    return false;
}

/* The newest revision of a list between two; REVISIONS if there is none. */
static enum revision negotiate_newest(yyjson_val *versions, int from, int to)
{
    for (int i = to; i-- > from;)
        if (negotiate_lists(versions, hf_revision_rows[i].name))
            return (enum revision)i;
    return REVISIONS;
}

static int negotiate_probe(haft_client *client);

/* A process is started again, because it may have ended at a method that it does not know. */
static bool negotiate_restart(haft_client *client)
{
    return client->transport.restart && !client_has_headers(client) &&
           !client->negotiation.unread && !client->transport.restart(client->transport.context);
}

/* The server does not know the probe. */
static void negotiate_older(haft_client *client, yyjson_val *versions)
{
    enum revision revision =
        versions ? negotiate_newest(versions, 0, LEGACY_REVISIONS) : REV_NEWEST_LEGACY;

    if (revision == REVISIONS) {
        negotiate_fail(client, HAFT_EPROTOCOL, 0,
                       "the server supports no protocol revision that haft supports");
        return;
    }
    client->revision = revision;
    negotiate_greet(client);
}

/* The server has listed its revisions, with its refusal or its description. */
static void negotiate_choose(haft_client *client, yyjson_val *versions, const haft_result *result)
{
    struct negotiation *own = &client->negotiation;
    enum revision revision = negotiate_newest(versions, LEGACY_REVISIONS, REVISIONS);
    int status;

    if (revision == REVISIONS) {
        negotiate_older(client, versions);
        return;
    }
    client->revision = revision;
    if (!result->error_code) {
        hf_about_keep(client, rpc_object(rpc_object(result->value, "_meta"), META_SERVER_INFO),
                      rpc_object(result->value, "capabilities"),
                      rpc_string(result->value, "instructions"));
        negotiate_ready(client);
        return;
    }
    if (own->tries >= NEGOTIATE_TRIES) {
        negotiate_fail(client, HAFT_EPROTOCOL, 0, "the server refuses revision %s, which it lists",
                       hf_revision_rows[revision].name);
        return;
    }
    status = negotiate_probe(client);
    if (status)
        negotiate_fail(client, status, 0, "server/discover: %s", haft_strerror(status));
}

static void negotiate_judge_failure(haft_client *client, int status)
{
    int http_status = client->http_status;
    bool refused =
        http_status && http_status != NEGOTIATE_UNAUTHORIZED && http_status != NEGOTIATE_FORBIDDEN;
    char text[CLIENT_ERROR_TEXT];

    snprintf(text, sizeof text, "%s", client->error);
    if (status == HAFT_ECANCELLED)
        return;
    if (refused || ((status == HAFT_ETIMEOUT || status == HAFT_ECLOSED) && !client->closed &&
                    negotiate_restart(client)))
        negotiate_older(client, NULL);
    else
        negotiate_fail(client, status, http_status, "%.400s", text);
}

static void negotiate_done_probe(void *context, haft_client *client, int status,
                                 const haft_result *result)
{
    yyjson_val *versions;
    haft_reason reason;

    (void)context;
    client->negotiation.id = 0;
    if (client->negotiation.phase != NEGOTIATE_PROBE || client->ending)
        return;
    if (status) {
        negotiate_judge_failure(client, status);
        return;
    }
    if (result->error_code == RPC_UNSUPPORTED_VERSION) {
        versions = yyjson_obj_get(result->error_data, "supported");
        if (yyjson_is_arr(versions))
            negotiate_choose(client, versions, result);
        else
            negotiate_older(client, NULL);
        return;
    }
    if (result->error_code == RPC_HEADER_MISMATCH || result->error_code == RPC_MISSING_CAPABILITY) {
        negotiate_fail(client, HAFT_EPROTOCOL, 0,
                       "the server rejected the first request: %.300s (%d)", result->error_message,
                       result->error_code);
        return;
    }
    /* Some old servers answer {} to every method that they do not know. */
    versions = yyjson_obj_get(result->value, "supportedVersions");
    if (!result->value || !yyjson_is_arr(versions))
        negotiate_older(client, NULL);
    else if (hf_shape_check(&hf_shape_discovery, result->value, "", &reason))
        negotiate_fail(client, HAFT_EPROTOCOL, 0,
                       "the server's answer to server/discover is malformed: %s %s", reason.path,
                       reason.text);
    else
        negotiate_choose(client, versions, result);
}

static int negotiate_probe(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    unsigned wait = client->options.timeout_ms;
    int64_t id;

    own->phase = NEGOTIATE_PROBE;
    own->tries++;
    if (client->transport.restart && !client_has_headers(client) &&
        (!wait || wait > NEGOTIATE_PROBE_MS))
        wait = NEGOTIATE_PROBE_MS;
    id = hf_request_begin(client,
                          HAFT_WITH(haft_client_exchange, .method = "server/discover",
                                    .timeout_ms = wait, .done = negotiate_done_probe),
                          REQUEST_EARLY);
    own->id = id > 0 ? id : 0;
    return id > 0 ? 0 : (int)id;
}

/* ---- beginning ---- */

int hf_negotiate_begin(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    int status = 0;

    own->fixed = client->options.revision;
    own->probe = own->probe && !own->fixed;
    if (client->options.discovery && !own->fixed)
        status = hf_about_remember(client);
    if (status)
        return status;
    if (own->probe)
        return negotiate_probe(client);
    if (!client_is_modern(client))
        return negotiate_initialize(client);
    negotiate_ready(client);
    return 0;
}

void hf_negotiate_renew(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    int status = 0;

    if (own->phase != NEGOTIATE_LOST)
        return;
    if (own->restart && client->transport.restart)
        status = client->transport.restart(client->transport.context);
    own->restart = status;
    if (status)
        negotiate_fail(client, status, 0, "cannot connect again: %s", haft_strerror(status));
    else
        negotiate_greet(client);
}

void hf_negotiate_failed(haft_client *client, const haft_failure *failure)
{
    struct negotiation *own = &client->negotiation;

    own->unread = !failure->maybe_handled;
    if (!failure->session_gone || !own->again || client_is_modern(client))
        return;
    own->restart = true;
    if (own->phase == NEGOTIATE_READY)
        own->phase = NEGOTIATE_LOST;
}

bool hf_negotiate_session_gone(haft_client *client, struct client_request *request,
                               bool maybe_handled)
{
    struct negotiation *own = &client->negotiation;
    bool repeats = !maybe_handled && !(request->flags & (REQUEST_RENEWED | REQUEST_EARLY));

    if (client_is_modern(client))
        return false;
    if (own->phase == NEGOTIATE_READY)
        own->phase = NEGOTIATE_LOST;
    if (!repeats)
        return false;
    request->flags |= REQUEST_RENEWED;
    hf_request_repeat(client, request);
    hf_negotiate_renew(client);
    return true;
}

/* ---- a request that was refused ---- */

bool hf_negotiate_retry(haft_client *client, struct client_request *request, yyjson_val *error)
{
    yyjson_val *versions = yyjson_obj_get(rpc_object(error, "data"), "supported");
    enum revision modern = negotiate_newest(versions, LEGACY_REVISIONS, REVISIONS);
    enum revision older = negotiate_newest(versions, 0, LEGACY_REVISIONS);
    bool fixed = client->negotiation.fixed;

    if (request->flags & (REQUEST_RETRIED | REQUEST_EARLY) || !client_is_modern(client) ||
        client->negotiation.phase != NEGOTIATE_READY)
        return false;
    request->flags |= REQUEST_RETRIED;
    if (fixed && negotiate_lists(versions, hf_revision_rows[client->revision].name))
        modern = client->revision;
    else if (fixed)
        return false;
    if (modern < REVISIONS) {
        client->revision = modern;
        hf_request_repeat(client, request);
        return true;
    }
    if (older == REVISIONS)
        return false;
    client->revision = older;
    client->negotiation.phase = NEGOTIATE_INITIALIZE;
    hf_request_repeat(client, request);
    negotiate_greet(client);
    return true;
}

bool hf_negotiate_survives(haft_client *client)
{
    struct client_request *request;

    if (client->negotiation.phase != NEGOTIATE_PROBE || !negotiate_restart(client))
        return false;
    request = hf_request_find(client, client->negotiation.id);
    if (request) {
        request->done = NULL;
        hf_request_forget(client, request);
    }
    client->negotiation.id = 0;
    negotiate_older(client, NULL);
    return true;
}

bool hf_negotiate_report(haft_client *client)
{
    struct negotiation *own = &client->negotiation;
    void (*ready)(void *context, haft_client *client, int status) = own->ready;

    if (!ready || (own->phase != NEGOTIATE_READY && own->phase != NEGOTIATE_FAILED))
        return false;
    own->ready = NULL;
    ready(own->context, client, own->status);
    return true;
}

void hf_negotiate_abort(haft_client *client)
{
    struct negotiation *own = &client->negotiation;

    if (!own->ready)
        return;
    own->phase = NEGOTIATE_FAILED;
    own->status = HAFT_ECANCELLED;
    hf_negotiate_report(client);
}
