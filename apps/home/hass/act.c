/* act.c - calling services, and reading back what became of it.
 *
 * A service is called by the WebSocket, which gives Home Assistant's reasons where REST says "400: Bad
 * Request", and the context by which its changes of states are known.  It is sent once: a call
 * that was lost is reported, not repeated. */
#include "hass/build.h"
#include "hass/command.h"
#include "hass/filter.h"
#include "hass/reach.h"
#include "hass/read.h"

/* ---- service data ---- */

/* With the lock held: the schema of the type, compiled once; NULL without memory. */
static const haft_schema *act_schema(struct hass *hass, const haft_type *type)
{
    struct hass_schema *known = hass->schemas;

    while (known && known->type != type)
        known = known->next;
    if (known)
        return known->schema;
    known = hass_alloc(hass->allocator, sizeof *known);
    if (!known)
        return NULL;
    if (haft_schema_compile(type, HAFT_WITH(haft_schema_options, .allocator = hass->allocator),
                            &known->schema, NULL)) {
        hass_release(hass->allocator, known, sizeof *known);
        return NULL;
    }
    known->type = type;
    known->next = hass->schemas;
    hass->schemas = known;
    return known->schema;
}

const char *hass_data(haft_call *call, const haft_type *type, const void *value)
{
    struct hass *hass = home_hass(call);
    haft_issues issues;
    haft_buffer out;
    const haft_schema *schema;
    const char *text = NULL;
    int status;

    uv_mutex_lock(&hass->lock);
    schema = act_schema(hass, type);
    uv_mutex_unlock(&hass->lock);
    if (!schema) {
        hass_no_memory(call);
        return NULL;
    }
    haft_buffer_init(&out, hass->allocator, 16 << 20);
    status = haft_schema_encode(schema, value, haft_call_arena(call), &out, &issues);
    if (!status && !out.status)
        text = haft_arena_copy(haft_call_arena(call), out.data, out.size);
    if (status == HAFT_EISSUES) {
        haft_buffer_clear(&out);
        haft_issues_text(&issues, &out);
        hass_fail(call, "The service data is not valid: %.*s", (int)out.size,
                  out.size ? out.data : "");
    } else if (!text) {
        hass_no_memory(call);
    }
    haft_buffer_finish(&out);
    return text;
}

/* Data with the target put into it; NULL, with the error, without memory. */
static yyjson_val *act_with_target(const struct hass_wait *wait, yyjson_val *data,
                                   const char *entity_id)
{
    struct hass_build build;
    yyjson_val *key, *value, *whole;
    size_t i, max;

    hass_build(&build, wait->hass->allocator);
    hf_json_text(json_key(&build.w, "entity_id"), entity_id);
    yyjson_obj_foreach(data, i, max, key, value)
        if (!yyjson_equals_str(key, "entity_id"))
            hf_json_value(hf_json_name(&build.w, yyjson_get_str(key), yyjson_get_len(key)), value);
    whole = hass_built(&build, haft_call_arena(wait->call));
    if (!whole)
        hass_no_memory(wait->call);
    return whole;
}

/* ---- calling ---- */

/* What came of a service. */
struct act_result {
    const char *context;  /* id; "" if there is none */
    haft_value *response; /* NULL unless it was asked for */
};

static int act_send(const struct hass_wait *wait, const struct hass_service *service,
                    yyjson_val *data, struct command *ret_command)
{
    struct hass_build build;
    yyjson_val *fields;

    hass_build(&build, wait->hass->allocator);
    hf_json_text(json_key(&build.w, "domain"), service->domain);
    hf_json_text(json_key(&build.w, "service"), service->service);
    hf_json_value(json_key(&build.w, "service_data"), data);
    if (service->wants_response)
        hf_json_bool(json_key(&build.w, "return_response"), true);
    fields = hass_built(&build, haft_call_arena(wait->call));
    if (!fields)
        return hass_no_memory(wait->call);
    return hass_send_command(wait, "call_service", fields, false, ret_command);
}

static int act_call(const struct hass_wait *wait, const struct hass_service *service,
                    yyjson_val *data, struct act_result *ret_result)
{
    struct command command;
    yyjson_val *value;
    const char *context;
    int status = act_send(wait, service, data, &command);

    if (status)
        return status;
    status = command.state == COMMAND_DONE
                 ? hass_command_value(wait, &command, &value)
                 : hass_fail_words(wait->call, command.code, command.message);
    hass_command_finish(wait, &command);
    if (status)
        return status;
    context = yyjson_get_str(yyjson_obj_get(yyjson_obj_get(value, "context"), "id"));
    *ret_result = (struct act_result){.context = context ? context : ""};
    if (!service->wants_response)
        return 0;
    ret_result->response = yyjson_obj_get(value, "response");
    if (ret_result->response && hass_redact_value(wait->hass, haft_call_arena(wait->call),
                                                  ret_result->response, &ret_result->response))
        return hass_no_memory(wait->call);
    return 0;
}

static bool act_is_of_context(const struct state *state, const void *context)
{
    return *(const char *)context && !strcmp(state_context(state), context);
}

int hass_call(haft_call *call, const struct hass_service *service, struct hass_states *ret_changed,
              haft_value **ret_response)
{
    struct hass_wait wait = hass_wait_for(call);
    struct act_result result;
    yyjson_val *data;
    int status = hass_object(call, service->data, &data);

    if (!status)
        status = hass_reach_service(&wait, service, data, &data);
    if (!status)
        status = act_call(&wait, service, data, &result);
    if (!status && ret_changed) {
        status = hass_lock_ready(&wait, true);
        if (!status)
            status = hass_read_states(&wait, act_is_of_context, result.context, ret_changed);
    }
    if (!status && ret_response)
        *ret_response = result.response;
    return status;
}

/* ---- reading back ---- */

/* States that services lead to. */
static const struct {
    const char *service, *state;
} act_outcomes[] = {
    {"turn_on", "on"},
    {"turn_off", "off"},
    {"lock", "locked"},
    {"unlock", "unlocked"},
    {"open_cover", "open"},
    {"close_cover", "closed"},
    {"media_play", "playing"},
    {"media_pause", "paused"},
    {"alarm_disarm", "disarmed"},
    {"return_to_base", "docked"},
    {"start", "cleaning"},
};

/* Whether the entity is already as the service would make it: nothing need change then. */
static bool act_is_done(const entity *target, const char *service, yyjson_val *data)
{
    yyjson_val *key, *value;
    size_t i, max, n = sizeof act_outcomes / sizeof *act_outcomes;
    bool state_known = false;

    for (size_t k = 0; k < n; k++)
        if (!strcmp(act_outcomes[k].service, service)) {
            if (strcmp(act_outcomes[k].state, target->state) != 0)
                return false;
            state_known = true;
        }
    yyjson_obj_foreach(data, i, max, key, value) {
        haft_value *now = entity_attribute(target, yyjson_get_str(key));

        if (!strcmp(yyjson_get_str(key), "transition"))
            continue;
        if (!strcmp(yyjson_get_str(key), "hvac_mode") && yyjson_equals_str(value, target->state))
            continue;
        if (!now || !yyjson_equals(now, value))
            return false;
    }
    return state_known || yyjson_obj_size(data) > 0;
}

static int act_read_back(const struct hass_wait *wait, const char *id, uint64_t since,
                         unsigned within, entity *ret_after)
{
    struct hass *hass = wait->hass;
    uint64_t ends = uv_hrtime() + hass_ms(within);
    enum hass_woken woken = WOKEN_AGAIN;
    int status = hass_lock_ready(wait, true);

    if (status)
        return status;
    hass->watchers++;
    while (woken == WOKEN_AGAIN) {
        const struct state *state = hass_table_find(&hass->states, id, strlen(id));

        if (!state || state->change != since)
            break;
        woken = hass_wait_moment(wait, &hass->changed, ends);
    }
    hass->watchers--;
    if (woken == WOKEN_CANCELLED) {
        uv_mutex_unlock(&hass->lock);
        return hass_fail_sent(wait, woken, "command");
    }
    return hass_read_one(wait, id, ret_after);
}

int hass_act_as(haft_call *call, const char *domain, const char *service, const entity *target,
                const char *data, entity *ret_after)
{
    struct hass_service what = {.domain = domain, .service = service};
    struct hass_wait wait = hass_wait_for(call);
    struct act_result result;
    yyjson_val *object, *whole;
    uint64_t since;
    unsigned within;
    int status = hass_object(call, data, &object);

    if (status)
        return status;
    if (!strcmp(target->state, "unavailable"))
        return hass_fail(call, "%s is unavailable: Home Assistant has no connection to the device.",
                         target->entity_id);
    whole = act_with_target(&wait, object, target->entity_id);
    status = whole ? hass_reach_service(&wait, &what, whole, &whole) : HAFT_EFAIL;
    if (status)
        return status;
    within = act_is_done(target, service, object) ? wait.hass->times.no_news
                                                  : wait.hass->times.read_back;
    since = hass_changes(call, target->entity_id);
    status = act_call(&wait, &what, whole, &result);
    return status ? status : act_read_back(&wait, target->entity_id, since, within, ret_after);
}

int hass_act(haft_call *call, const entity *target, const char *service, const char *data,
             entity *ret_after)
{
    return hass_act_as(call, target->domain, service, target, data, ret_after);
}
