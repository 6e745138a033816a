/* fake_home.c - see fake_home.h. */
#include "home/fake_home.h"

#include <stdio.h>
#include <stdlib.h>

const struct hass_times fake_times = {
    .idle = 30000,
    .pong = 5000,
    .handshake = 5000,
    .retry = 5,
    .max_retry = 40,
    .refused = 60000,
    .patience = 1500,
    .read_back = 1000,
    .no_news = 20,
};

static const char usual_states[] =
    "[{'entity_id':'light.kitchen','state':'off','attributes':{'friendly_name':'Kitchen Light',"
    "'supported_features':44,'brightness':null,'effect_list':['rainbow']},"
    "'last_changed':'2026-11-16T08:00:00+00:00','context':{'id':'c0'}},"
    "{'entity_id':'light.hall','state':'on','attributes':{'brightness':128}},"
    "{'entity_id':'light.broken','state':'unavailable','attributes':{}},"
    "{'entity_id':'light.secret','state':'on','attributes':{}},"
    "{'entity_id':'light.all','state':'on','attributes':{'entity_id':['light.kitchen','light.secret']}},"
    "{'entity_id':'light.both','state':'on','attributes':{'entity_id':['light.kitchen','light.hall']}},"
    "{'entity_id':'light.nested','state':'on','attributes':{'entity_id':['light.all']}},"
    "{'entity_id':'switch.pump','state':'off','attributes':{}},"
    "{'entity_id':'switch.secret','state':'off','attributes':{}},"
    "{'entity_id':'group.mixed','state':'off','attributes':{'entity_id':['light.kitchen','switch.secret']}},"
    "{'entity_id':'lock.front','state':'locked','attributes':{}},"
    "{'entity_id':'scene.day','state':'unknown','attributes':{'id':'day','entity_id':['light.kitchen']}},"
    "{'entity_id':'scene.night','state':'unknown','attributes':{'id':'night','entity_id':['light.kitchen','lock.front']}},"
    "{'entity_id':'scene.hue','state':'unknown','attributes':{}},"
    "{'entity_id':'script.good','state':'off','attributes':{}},"
    "{'entity_id':'script.bad','state':'off','attributes':{}},"
    "{'entity_id':'script.lost','state':'off','attributes':{}},"
    "{'entity_id':'automation.good','state':'on','attributes':{'id':'a1'}},"
    "{'entity_id':'automation.bad','state':'on','attributes':{'id':'a2'}},"
    "{'entity_id':'automation.yaml','state':'on','attributes':{}},"
    "{'entity_id':'media_player.tv','state':'off','attributes':{}},"
    "{'entity_id':'tts.demo','state':'unknown','attributes':{}}]";

static const char *const usual_lists[HASS_REGISTRY_COUNT] = {
    [HASS_FLOORS] = "[{'floor_id':'ground','name':'Ground Floor'}]",
    [HASS_AREAS] =
        "[{'area_id':'kitchen','name':'Kitchen','floor_id':'ground','aliases':['Cooking']},"
        "{'area_id':'hall','name':'Hall','floor_id':null,'aliases':[],'labels':['calm']},"
        "{'area_id':'vault','name':'Vault','floor_id':null,'aliases':[]}]",
    [HASS_LABELS] = "[{'label_id':'calm','name':'Calm'}]",
    [HASS_DEVICES] = "[{'id':'d1','area_id':'hall','name':'Lamp','name_by_user':null,'labels':[]}]",
    [HASS_ENTITIES] =
        "[{'entity_id':'light.kitchen','area_id':'kitchen','device_id':null,'labels':[],'name':null},"
        "{'entity_id':'light.secret','area_id':'kitchen','device_id':null,'labels':[]},"
        "{'entity_id':'light.all','area_id':'kitchen','device_id':null,'labels':[]},"
        "{'entity_id':'switch.pump','area_id':'kitchen','device_id':null,'labels':['calm']},"
        "{'entity_id':'light.hall','area_id':null,'device_id':'d1','labels':[]},"
        "{'entity_id':'light.broken','area_id':'hall','device_id':null,'labels':[],'hidden_by':'user'},"
        "{'entity_id':'lock.front','area_id':'vault','device_id':null,'labels':[],'original_name':'Front'}]",
};

void fake_init(struct fake_home *fake)
{
    memset(fake, 0, sizeof *fake);
    assert_int_equal(uv_mutex_init(&fake->lock), 0);
    haft_buffer_init(&fake->heard, NULL, 64 << 20);
}

void fake_finish(struct fake_home *fake)
{
    assert_false(fake->was_rushed);
    haft_buffer_finish(&fake->heard);
    uv_mutex_destroy(&fake->lock);
}

/* ---- saying things ---- */

static void fake_quote(char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            *text = '"';
}

static char *fake_format(const char *text, uint64_t id)
{
    size_t size = strlen(text) + 64;
    char *out = malloc(size), number[24], *at = out;

    assert_non_null(out);
    snprintf(number, sizeof number, "%llu", (unsigned long long)id);
    for (; *text; text++)
        if (*text == '#')
            at += snprintf(at, 24, "%s", number);
        else
            *at++ = *text;
    *at = '\0';
    fake_quote(out);
    return out;
}

static void fake_pass(struct fake_home *fake, const char *text, size_t size)
{
    void (*message)(void *who, const char *text, size_t size) = NULL;

    uv_mutex_lock(&fake->lock);
    if (fake->is_open)
        message = fake->message;
    uv_mutex_unlock(&fake->lock);
    if (message)
        message(fake->who, text, size);
}

static void fake_say_with(struct fake_home *fake, const char *text, uint64_t id)
{
    char *out = fake_format(text, id);

    fake_pass(fake, out, strlen(out));
    free(out);
}

void fake_say(struct fake_home *fake, const char *text)
{
    fake_say_with(fake, text, 0);
}

void fake_cut(struct fake_home *fake, const char *reason)
{
    bool was_open;

    uv_mutex_lock(&fake->lock);
    was_open = fake->is_open;
    fake->is_open = false;
    fake->n_closed += was_open;
    uv_mutex_unlock(&fake->lock);
    if (was_open)
        fake->closed(fake->who, reason);
}

void fake_change(struct fake_home *fake, const char *entity_id, const char *state,
                 const char *attributes, const char *context)
{
    size_t size = strlen(attributes) + 1024;
    char *text = malloc(size);
    uint64_t watch;

    assert_non_null(text);
    uv_mutex_lock(&fake->lock);
    watch = fake->watch;
    uv_mutex_unlock(&fake->lock);
    if (state)
        snprintf(
            text, size,
            "{'id':#,'type':'event','event':{'event_type':'state_changed','data':{'entity_id':'%s',"
            "'new_state':{'entity_id':'%s','state':'%s','attributes':%s,"
            "'last_changed':'2026-11-16T09:00:00+00:00','context':{'id':'%s'}}}}}",
            entity_id, entity_id, state, attributes, context);
    else
        snprintf(
            text, size,
            "{'id':#,'type':'event','event':{'event_type':'state_changed','data':{'entity_id':'%s',"
            "'new_state':null}}}",
            entity_id);
    fake_say_with(fake, text, watch);
    free(text);
}

/* ---- answering ---- */

static const char *fake_states(struct fake_home *fake, haft_buffer *out)
{
    const char *states = fake->states ? fake->states : usual_states;

    haft_buffer_add(out, states, strlen(states) - 1);
    for (size_t i = 0; i < fake->extra; i++)
        haft_buffer_printf(
            out,
            ",{'entity_id':'sensor.extra_%05zu','state':'%zu','attributes':{'friendly_name':"
            "'Extra %zu','unit_of_measurement':'W','device_class':'power'},"
            "'last_changed':'2026-11-16T08:00:00+00:00','context':{'id':'c1'}}",
            i, i, i);
    haft_buffer_add(out, "]", 2);
    assert_int_equal(out->status, 0);
    return out->data;
}

static void fake_result(struct fake_home *fake, uint64_t id, const char *result)
{
    size_t size = strlen(result) + 128;
    char *text = malloc(size);

    assert_non_null(text);
    snprintf(text, size,
             fake->coalesces
                 ? "[{'type':'unheard_of'},{'id':#,'type':'result','success':true,'result':%s}]"
                 : "{'id':#,'type':'result','success':true,'result':%s}",
             result);
    fake_say_with(fake, text, id);
    free(text);
}

/* A light that is switched, with its context. */
static void fake_service(struct fake_home *fake, yyjson_val *message, uint64_t id)
{
    const char *service = yyjson_get_str(yyjson_obj_get(message, "service"));
    yyjson_val *ids = yyjson_obj_get(yyjson_obj_get(message, "service_data"), "entity_id");
    yyjson_val *first = yyjson_is_arr(ids) ? yyjson_arr_get_first(ids) : ids;
    const char *target = yyjson_get_str(first);
    char context[32], text[128];

    snprintf(context, sizeof context, "ctx%llu", (unsigned long long)id);
    if (target && !fake->keeps_quiet && !strncmp(service, "turn_", 5) &&
        (!strcmp(target, "light.kitchen") || !strcmp(target, "light.hall")))
        fake_change(fake, target, service + 5, "{'brightness':7}", context);
    snprintf(text, sizeof text, "{'context':{'id':'%s'},'response':{'lock.front':{'a':1},'x':2}}",
             context);
    fake_result(fake, id, text);
}

static void fake_command(struct fake_home *fake, yyjson_val *message, const char *type)
{
    static const char *const names[] = {"floor", "area", "label", "device", "entity"};
    uint64_t id = yyjson_get_uint(yyjson_obj_get(message, "id"));
    haft_buffer out;

    haft_buffer_init(&out, NULL, 64 << 20);
    if (!strcmp(type, "get_states")) {
        fake_result(fake, id, fake_states(fake, &out));
    } else if (!strcmp(type, "subscribe_events")) {
        if (yyjson_equals_str(yyjson_obj_get(message, "event_type"), "state_changed")) {
            uv_mutex_lock(&fake->lock);
            fake->watch = id;
            uv_mutex_unlock(&fake->lock);
        }
        fake_result(fake, id, "null");
    } else if (!strcmp(type, "call_service")) {
        fake_service(fake, message, id);
    } else if (!strcmp(type, "ping")) {
        fake_say_with(fake, "{'id':#,'type':'pong'}", id);
    } else if (!strncmp(type, "config/", 7) && strstr(type, "_registry/list")) {
        for (unsigned i = 0; i < HASS_REGISTRY_COUNT; i++)
            if (!strncmp(type + 7, names[i], strlen(names[i])))
                fake_result(fake, id, fake->lists[i] ? fake->lists[i] : usual_lists[i]);
    } else {
        fake_result(fake, id, "{'echo':true,'seen':['light.kitchen','light.secret']}");
    }
    haft_buffer_finish(&out);
}

static const struct fake_answer *fake_find(const struct fake_home *fake, const char *text)
{
    for (size_t i = 0; i < sizeof fake->answers / sizeof *fake->answers; i++)
        if (fake->answers[i].when && strstr(text, fake->answers[i].when))
            return &fake->answers[i];
    return NULL;
}

/* Returns how many messages have come. */
static unsigned fake_note(struct fake_home *fake, const char *text, size_t size)
{
    unsigned n;

    uv_mutex_lock(&fake->lock);
    haft_buffer_add(&fake->heard, text, size);
    haft_buffer_add(&fake->heard, "\n", 1);
    n = ++fake->n_heard;
    uv_mutex_unlock(&fake->lock);
    return n;
}

static void fake_receive(void *context, const char *bytes, size_t size)
{
    struct fake_home *fake = context;
    yyjson_doc *doc = yyjson_read(bytes, size, 0);
    yyjson_val *message = yyjson_doc_get_root(doc);
    const char *type = yyjson_get_str(yyjson_obj_get(message, "type"));
    const struct fake_answer *answer;
    char *text = malloc(size + 1);

    assert_non_null(type);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    answer = fake_find(fake, text);
    uv_mutex_lock(&fake->lock);
    fake->was_rushed = fake->was_rushed || fake->opening;
    uv_mutex_unlock(&fake->lock);
    if (fake_note(fake, text, size) == fake->cut_at)
        fake_cut(fake, "cut by the test");
    else if (answer && answer->text)
        fake_say_with(fake, answer->text, yyjson_get_uint(yyjson_obj_get(message, "id")));
    else if (answer)
        ;
    else if (!strcmp(type, "auth") && fake->refuses_token)
        fake_say(fake, "{'type':'auth_invalid','message':'Invalid access token or password'}");
    else if (!strcmp(type, "auth"))
        fake_say(fake, "{'type':'auth_ok','ha_version':'2026.8.0'}");
    else
        fake_command(fake, message, type);
    yyjson_doc_free(doc);
    free(text);
}

/* ---- the link ---- */

static int fake_open(void *context, void (*message)(void *who, const char *text, size_t size),
                     void (*closed)(void *who, const char *reason), void *who)
{
    struct fake_home *fake = context;

    uv_mutex_lock(&fake->lock);
    fake->n_opened++;
    fake->message = message;
    fake->closed = closed;
    fake->who = who;
    fake->is_open = fake->opening = true;
    uv_mutex_unlock(&fake->lock);
    if (fake->never_opens)
        fake_cut(fake, "connection refused");
    else
        fake_say(fake, "{'type':'auth_required','ha_version':'2026.8.0'}");
    uv_mutex_lock(&fake->lock);
    fake->opening = false;
    uv_mutex_unlock(&fake->lock);
    return 0;
}

static void fake_close(void *context)
{
    fake_cut(context, "closed here");
}

static void *fake_request(void *context, const struct link_request *request,
                          void (*done)(void *who, const struct link_response *response), void *who)
{
    struct fake_home *fake = context;
    const struct fake_answer *answer;
    char line[1024], *body;

    snprintf(line, sizeof line, "%s %s %s %s", request->method, request->path,
             request->body ? request->body : "", request->traceparent ? request->traceparent : "");
    fake_note(fake, line, strlen(line));
    uv_mutex_lock(&fake->lock);
    fake->n_requests++;
    uv_mutex_unlock(&fake->lock);
    answer = fake_find(fake, line);
    if (answer && !answer->text && answer->status) { /* never */
        uv_mutex_lock(&fake->lock);
        fake->waiting = done;
        fake->waiting_for = who;
        uv_mutex_unlock(&fake->lock);
        return fake;
    }
    if (!answer || !answer->status) {
        done(who, &(struct link_response){.status = answer ? 0 : 404,
                                          .text = "the connection was closed before the answer",
                                          .maybe_done = true,
                                          .type = "text/plain",
                                          .body = "404: Not Found",
                                          .size = 14});
        return NULL;
    }
    body = answer->type ? strdup(answer->text) : fake_format(answer->text, 0);
    done(who, &(struct link_response){.status = answer->status,
                                      .type = answer->type ? answer->type : "application/json",
                                      .body = body,
                                      .size = strlen(body)});
    free(body);
    return NULL;
}

static void fake_cancel(void *context, void *handle)
{
    struct fake_home *fake = context;
    void (*waiting)(void *who, const struct link_response *response);

    assert_ptr_equal(handle, fake);
    uv_mutex_lock(&fake->lock);
    waiting = fake->waiting;
    fake->waiting = NULL;
    fake->n_cancelled++;
    uv_mutex_unlock(&fake->lock);
    if (waiting)
        waiting(fake->waiting_for, &(struct link_response){.text = "cancelled"});
}

static void fake_free(void *context)
{
    struct fake_home *fake = context;

    assert_false(fake->is_open);
}

struct hass_link fake_link(struct fake_home *fake)
{
    return (struct hass_link){.request = fake_request,
                              .cancel = fake_cancel,
                              .open = fake_open,
                              .send = fake_receive,
                              .close = fake_close,
                              .free = fake_free,
                              .context = fake,
                              .token = "s3cret-token"};
}

unsigned fake_count(struct fake_home *fake, const char *text)
{
    char *wanted = fake_format(text, 0), *at;
    unsigned n = 0;

    uv_mutex_lock(&fake->lock);
    haft_buffer_add(&fake->heard, "", 1);
    fake->heard.size--;
    for (at = fake->heard.data; at && (at = strstr(at, wanted)); at++)
        n++;
    uv_mutex_unlock(&fake->lock);
    free(wanted);
    return n;
}

bool fake_was_asked(struct fake_home *fake, const char *text)
{
    return fake_count(fake, text) > 0;
}

/* ---- a client and a call ---- */

struct hass *fake_hass(struct fake_home *fake, const char *entities)
{
    haft_reason reason;
    struct home_options options = {.url = "http://home.test:8123/", .entities = entities};
    struct hass *hass = hass_new_timed(&options, fake_link(fake), &fake_times, &reason);

    assert_non_null(hass);
    return hass;
}

struct fake_running {
    fake_handler *handler;
    void *context;
};

static int fake_handle(haft_call *call, haft_value *arguments, void *data)
{
    struct fake_running *running = haft_server_data(call);
    int status = running->handler(call, running->context);

    (void)arguments;
    (void)data;
    return status ? status : haft_text(call, "done");
}

const char *fake_run(struct hass *hass, unsigned timeout_ms, fake_handler *handler, void *context)
{
    static char text[4096];
    struct fake_running running = {handler, context};
    haft_server *server =
        haft_server_new_with("fake", "1", HAFT_WITH(haft_server_options, .data = &running));
    haft_tool_builder *tool = haft_tool_new("probe");
    haft_client *client;
    haft_result result;

    haft_tool_describe(tool, "Probe");
    haft_tool_handler(tool, fake_handle, home_hass_data(hass));
    haft_tool_timeout(tool, timeout_ms);
    assert_int_equal(haft_tool_build(tool, server), 0);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "probe", "{}", &result), 0);
    snprintf(text, sizeof text, "%s", result.is_error ? result.text : "");
    if (!result.is_error)
        assert_string_equal(result.text, "done");
    assert_null(strstr(text, "s3cret-token"));
    haft_client_free(client);
    haft_server_free(server);
    return text;
}

char *fake_json(haft_call *call, const char *text)
{
    char *copy = haft_call_printf(call, "%s", text);

    assert_non_null(copy);
    fake_quote(copy);
    return copy;
}
