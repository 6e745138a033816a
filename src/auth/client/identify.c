/* identify.c - who the client is at an authorization server: credentials of the program, a URL of
 * client metadata, or a registration (RFC 7591) that is kept for the issuer. */
#include "auth/client/flow.h"

#include <time.h>

#include "json/writer.h"

enum { IDENTIFY_TEXT = 2048 };

static const char *identify_key(struct oauth_flow *flow)
{
    return haft_arena_printf(flow->arena, "client %s", flow->issuer.issuer);
}

/* Loads a value of the store and parses it. Returns 0, HAFT_ENOTFOUND, or another error. */
static int identify_load(struct oauth_flow *flow, const char *key, yyjson_val **ret_object)
{
    haft_buffer value;
    int status;

    if (!key)
        return hf_flow_no_memory(flow);
    haft_buffer_init(&value, flow->oauth->memory, AUTH_STORE_VALUE);
    status = hf_auth_store_load(&flow->oauth->store, key, &value, &flow->reason);
    if (!status) {
        *ret_object =
            hf_metadata_parse(value.data, value.size, "store", flow->arena, &flow->reason);
        status = *ret_object ? 0 : flow->reason.code;
    }
    haft_buffer_finish(&value);
    return status;
}

/* ---- how it authenticates ---- */

unsigned hf_client_method(const struct oauth_flow *flow, unsigned registered)
{
    unsigned offered = flow->issuer.methods;
    bool secret = flow->client.secret;

    if (flow->oauth->key && !flow->client.registered)
        return AUTH_METHOD_KEY;
    if (registered && (registered & offered || !flow->issuer.methods_given) &&
        (registered == AUTH_METHOD_NONE || secret))
        return registered;
    if (secret && offered & AUTH_METHOD_BASIC)
        return AUTH_METHOD_BASIC;
    if (secret && offered & AUTH_METHOD_POST)
        return AUTH_METHOD_POST;
    return secret && !(offered & AUTH_METHOD_NONE) ? AUTH_METHOD_BASIC : AUTH_METHOD_NONE;
}

/* ---- credentials of the program ---- */

static const char *identify_pin_key(struct oauth_flow *flow)
{
    const char *id = flow->oauth->options.client_id;

    return id ? haft_arena_printf(flow->arena, "static %s", id) : "assertion";
}

/* Whether the program's credentials may be shown to the issuer: HAFT_EDENIED if not. Credentials
 * without an issuer belong to the first one that they are used at; once it has accepted them, also the
 * next time that the program runs. */
static int identify_pin(struct oauth_flow *flow)
{
    struct oauth *oauth = flow->oauth;
    const char *issuer = oauth->options.issuer ? oauth->options.issuer : oauth->pinned;
    yyjson_val *object;
    int status;

    if (!issuer) {
        status = identify_load(flow, identify_pin_key(flow), &object);
        if (status && status != HAFT_ENOTFOUND)
            return status;
        issuer = status ? flow->issuer.issuer : yyjson_get_str(yyjson_obj_get(object, "issuer"));
        if (issuer)
            oauth->pinned = haft_arena_copy(oauth->arena, issuer, strlen(issuer));
        if (issuer && !oauth->pinned)
            return hf_flow_no_memory(flow);
        oauth->pin_kept = !status;
    }
    return issuer && !strcmp(issuer, flow->issuer.issuer) ? 0 : HAFT_EDENIED;
}

int hf_identify_accepted(struct oauth_flow *flow)
{
    struct oauth *oauth = flow->oauth;
    const char *key = identify_pin_key(flow);
    haft_buffer value;
    struct json_writer w = {.out = &value};
    int status;

    if (!oauth->pinned || oauth->pin_kept || strcmp(oauth->pinned, flow->issuer.issuer) != 0)
        return 0;
    haft_buffer_init(&value, oauth->memory, AUTH_STORE_VALUE);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "issuer"), oauth->pinned);
    hf_json_end_object(&w);
    haft_buffer_add(&value, "", 1);
    status = value.status || !key ? hf_flow_no_memory(flow)
                                  : hf_auth_store_save(&oauth->store, key, value.data,
                                                       value.size - 1, &flow->reason);
    haft_buffer_finish(&value);
    oauth->pin_kept = !status;
    return status;
}

static int identify_refuse(struct oauth_flow *flow)
{
    return hf_flow_refuse(flow, HAFT_EDENIED,
                          "the server uses the authorization server %.120s, for which this client "
                          "has no credentials",
                          flow->issuer.issuer);
}

int hf_identify_owner(struct oauth_flow *flow)
{
    int status = identify_pin(flow);

    return status == HAFT_EDENIED ? identify_refuse(flow) : status;
}

/* Returns 0, HAFT_ENOTFOUND if the program has none for this issuer, or another error. */
static int identify_static(struct oauth_flow *flow)
{
    const haft_oauth_options *options = &flow->oauth->options;
    int status;

    if (!options->client_id)
        return HAFT_ENOTFOUND;
    status = identify_pin(flow);
    if (status == HAFT_EDENIED && options->client_metadata_url && flow->issuer.metadata_url)
        return HAFT_ENOTFOUND;
    if (status == HAFT_EDENIED)
        return identify_refuse(flow);
    if (status)
        return status;
    flow->client = (struct flow_client){.id = options->client_id, .secret = options->client_secret};
    flow->client.method = hf_client_method(flow, 0);
    return 0;
}

/* ---- a registration ---- */

/* Whether two loopback redirect URIs differ in their port only, which servers must ignore. */
static bool identify_same_redirect(const char *registered, const char *wanted)
{
    struct web_url left, right;

    if (!strcmp(registered, wanted))
        return true;
    if (hf_web_url_read(registered, &left) || hf_web_url_read(wanted, &right) || !left.loopback)
        return false;
    left.port = right.port;
    return hf_web_url_same_origin(&left, &right) && left.path.size == right.path.size &&
           !memcmp(left.path.text, right.path.text, left.path.size);
}

static int identify_read(struct oauth_flow *flow, yyjson_val *object)
{
    struct flow_client *client = &flow->client;
    yyjson_val *expires = yyjson_obj_get(object, "client_secret_expires_at");
    const char *method;

    *client = (struct flow_client){.registered = true};
    if (hf_metadata_string(object, "client_id", IDENTIFY_TEXT, &client->id, &flow->reason) ||
        hf_metadata_string(object, "client_secret", IDENTIFY_TEXT, &client->secret,
                           &flow->reason) ||
        hf_metadata_string(object, "token_endpoint_auth_method", IDENTIFY_TEXT, &method,
                           &flow->reason) ||
        hf_metadata_string(object, "redirect_uri", WEB_URL_LIMIT, &client->redirect_uri,
                           &flow->reason))
        return hf_flow_refuse(flow, HAFT_EPROTOCOL, "the registration is invalid: %.200s",
                              flow->reason.text);
    if (!client->id || !*client->id)
        return hf_flow_refuse(flow, HAFT_EPROTOCOL, "the registration has no client_id");
    if (yyjson_is_num(expires) && yyjson_get_num(expires) > 0 &&
        yyjson_get_num(expires) <= (double)time(NULL))
        return HAFT_ENOTFOUND;
    client->method = hf_client_method(flow, method ? hf_auth_method_read(method) : 0);
    return 0;
}

static int identify_stored(struct oauth_flow *flow)
{
    const char *wanted = flow->oauth->options.redirect_uri;
    yyjson_val *object;
    int status = identify_load(flow, identify_key(flow), &object);

    if (!status)
        status = identify_read(flow, object);
    if (!status &&
        (!flow->client.redirect_uri || !identify_same_redirect(flow->client.redirect_uri, wanted)))
        status = HAFT_ENOTFOUND;
    if (status == HAFT_ENOTFOUND)
        flow->client = (struct flow_client){.id = NULL};
    return status;
}

static int identify_known(struct oauth_flow *flow)
{
    const haft_oauth_options *options = &flow->oauth->options;
    int status = identify_static(flow);

    if (status != HAFT_ENOTFOUND)
        return status;
    if (options->client_metadata_url && flow->issuer.metadata_url) {
        flow->client = (struct flow_client){.id = options->client_metadata_url};
        flow->client.method = hf_client_method(flow, AUTH_METHOD_NONE);
        return 0;
    }
    return options->grant == HAFT_GRANT_CODE ? identify_stored(flow) : HAFT_ENOTFOUND;
}

/* Keeps the answer of a registration, with the redirect URI that was used. */
static int identify_save(struct oauth_flow *flow, yyjson_val *object)
{
    static const char *const kept[] = {"client_id", "client_secret", "client_secret_expires_at",
                                       "token_endpoint_auth_method"};
    const char *key = identify_key(flow);
    haft_buffer value;
    struct json_writer w = {.out = &value};
    int status;

    if (!key)
        return hf_flow_no_memory(flow);
    haft_buffer_init(&value, flow->oauth->memory, AUTH_STORE_VALUE);
    hf_json_begin_object(&w);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        yyjson_val *member = yyjson_obj_get(object, kept[i]);

        if (member)
            hf_json_value(hf_json_name(&w, kept[i], strlen(kept[i])), member);
    }
    hf_json_text(json_key(&w, "redirect_uri"), flow->login.redirect_uri);
    hf_json_end_object(&w);
    haft_buffer_add(&value, "", 1);
    status = value.status ? hf_flow_no_memory(flow)
                          : hf_auth_store_save(&flow->oauth->store, key, value.data, value.size - 1,
                                               &flow->reason);
    haft_buffer_finish(&value);
    return status;
}

static int identify_registered(struct oauth_flow *flow)
{
    yyjson_val *object;
    int status;

    if (flow->fetch.status != 201 && flow->fetch.status != 200)
        return hf_flow_refuse(
            flow, HAFT_EDENIED,
            "the authorization server %.100s refused to register the client: %s (status %d)",
            flow->issuer.issuer, hf_flow_error(flow), flow->fetch.status);
    object = hf_metadata_parse(flow->fetch.answer.data, flow->fetch.answer.size, "registration",
                               flow->arena, &flow->reason);
    if (!object)
        return flow->reason.code;
    status = identify_read(flow, object);
    if (!status)
        status = identify_save(flow, object);
    return status ? status : hf_login_begin(flow);
}

static const char *identify_wanted_method(const struct oauth_flow *flow)
{
    static const unsigned order[] = {AUTH_METHOD_NONE, AUTH_METHOD_BASIC, AUTH_METHOD_POST};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (flow->issuer.methods & order[i])
            return hf_auth_method_name(order[i]);
    return hf_auth_method_name(AUTH_METHOD_NONE);
}

static void identify_write(struct oauth_flow *flow, haft_buffer *body)
{
    const haft_oauth_options *options = &flow->oauth->options;
    struct json_writer w = {.out = body};
    struct web_url url;
    bool web = !hf_web_url_read(flow->login.redirect_uri, &url) && !url.loopback;

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "client_name"), options->client_name);
    hf_json_begin_array(json_key(&w, "redirect_uris"));
    hf_json_text(&w, flow->login.redirect_uri);
    hf_json_end_array(&w);
    hf_json_begin_array(json_key(&w, "grant_types"));
    hf_json_text(&w, "authorization_code");
    if (!options->no_refresh)
        hf_json_text(&w, "refresh_token");
    hf_json_end_array(&w);
    hf_json_begin_array(json_key(&w, "response_types"));
    hf_json_text(&w, "code");
    hf_json_end_array(&w);
    hf_json_text(json_key(&w, "token_endpoint_auth_method"), identify_wanted_method(flow));
    hf_json_text(json_key(&w, "application_type"), web ? "web" : "native");
    hf_json_end_object(&w);
}

static int identify_register(struct oauth_flow *flow)
{
    static const struct http_field headers[] = {{"Content-Type", "application/json"},
                                                {"Accept", "application/json"}};

    if (flow->oauth->options.no_registration || !flow->issuer.registration)
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the authorization server %.100s does not know this client: set a "
                              "client id, or a URL of client metadata if it supports that",
                              flow->issuer.issuer);
    haft_buffer_clear(&flow->fetch.body);
    identify_write(flow, &flow->fetch.body);
    return hf_flow_post(flow, flow->issuer.registration, headers, 2, identify_registered);
}

int hf_identify_client(struct oauth_flow *flow)
{
    bool code = flow->oauth->options.grant == HAFT_GRANT_CODE && flow->goal == FLOW_AUTHORIZE &&
                !flow->marks.renewing;
    int status = identify_known(flow), prepared;

    if (!code || (status && status != HAFT_ENOTFOUND))
        return status;
    prepared = hf_login_allow(flow);
    if (!prepared)
        prepared = hf_login_prepare(flow);
    if (prepared)
        return prepared;
    return status ? identify_register(flow) : hf_login_begin(flow);
}

int hf_identify_forget(struct oauth_flow *flow)
{
    const char *key = identify_key(flow);

    return key ? hf_auth_store_save(&flow->oauth->store, key, NULL, 0, &flow->reason)
               : hf_flow_no_memory(flow);
}
