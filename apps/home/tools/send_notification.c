/* send_notification - sends a message to telephones, speakers and the like. */
#include <string.h>

#include "tools/common.h"

HAFT_STRUCT(send_notification_args,
    HAFT_STRING(message, "Text", .min = 1),
    HAFT_OPTIONAL(HAFT_STRING(title, "Title")),
    HAFT_OPTIONAL(HAFT_UNION(target, home_texts, "Notify service or entity, or several; all if absent")),
    HAFT_OPTIONAL(HAFT_MAP(data, HAFT_JSON(value, NULL), "Options of the service")));
HAFT_STRUCT(send_notification_result,
    HAFT_ARRAY(sent, HAFT_STRING(item, NULL), NULL));

/* Of a service; and of an entity, which also has entity_id and never data. */
HAFT_STRUCT(notify_data,
    HAFT_OPTIONAL(HAFT_STRING(entity_id, "Entity")),
    HAFT_STRING(message, "Text"),
    HAFT_OPTIONAL(HAFT_STRING(title, "Title")),
    HAFT_OPTIONAL(HAFT_MAP(data, HAFT_JSON(value, "Value"), "Options")));

/* The services of the domain notify, an object by their names. */
static int notify_services(haft_call *call, haft_value **ret_services)
{
    struct hass_answer answer;
    haft_value *list, *item;
    size_t i, n;
    int status = hass_request(call, "GET", "/api/services", NULL, NULL, &answer);

    if (!status)
        status = hass_json(call, &answer, &list);
    if (status)
        return status;
    *ret_services = NULL;
    yyjson_arr_foreach(list, i, n, item)
        if (yyjson_equals_str(yyjson_obj_get(item, "domain"), "notify"))
            *ret_services = yyjson_obj_get(item, "services");
    return 0;
}

/* "a, b", without the service that needs an entity. */
static const char *notify_possible(haft_call *call, haft_value *services)
{
    const char *text = NULL;
    haft_value *key, *value;
    size_t i, n;

    if (yyjson_is_obj(services)) {
        yyjson_obj_foreach(services, i, n, key, value) {
            if (yyjson_equals_str(key, "send_message"))
                continue;
            text = text ? haft_call_printf(call, "%s, %s", text, yyjson_get_str(key))
                        : yyjson_get_str(key);
            if (!text)
                return NULL;
        }
    }
    return text ? text : "none";
}

/* 1 for an entity that can be notified, 0 if there is no such entity, or an error. */
static int notify_find_entity(haft_call *call, const char *target)
{
    struct hass_states states;
    entity one;
    int status = hass_states(call, &states);

    if (status)
        return status;
    for (size_t i = 0; i < states.n; i++)
        if (!strcmp(states.at[i].entity_id, target)) {
            status = hass_require(call, target, "notify", &one);
            return status ? status : 1;
        }
    return 0;
}

/* A target is checked before anything is sent: 1 for an entity, 0 for a service, or an error. */
static int notify_find(haft_call *call, const char *target, haft_value *services)
{
    const char *name = strncmp(target, "notify.", 7) ? target : target + 7, *possible;
    int status = name == target ? 0 : notify_find_entity(call, target);

    if (status)
        return status;
    if (yyjson_obj_get(services, name) && strcmp(name, "send_message") != 0)
        return 0;
    if (strchr(name, '.'))
        return home_fail(
            call, "%s is not a target of notifications, which are of the domain notify.", target);
    possible = notify_possible(call, services);
    return possible ? home_fail(call, "There is no notify service or entity \"%s\". Possible: %s.",
                                target, possible)
                    : HAFT_ENOMEM;
}

static int notify_one(haft_call *call, const send_notification_args *in, const char *target,
                      bool entity_target)
{
    notify_data data = {.has_entity_id = entity_target,
                        .entity_id = target,
                        .message = in->message,
                        .has_title = in->has_title,
                        .title = in->title,
                        .has_data = in->has_data,
                        .n_data = in->n_data,
                        .data_keys = in->data_keys,
                        .data = in->data};
    struct hass_service service = {.domain = "notify",
                                   .service = entity_target                   ? "send_message"
                                              : strncmp(target, "notify.", 7) ? target
                                                                              : target + 7,
                                   .without_target = !entity_target};

    service.data = hass_data(call, &notify_data_type, &data);
    return service.data ? hass_call(call, &service, NULL, NULL) : HAFT_EFAIL;
}

static int send_notification(haft_call *call, const send_notification_args *in,
                             send_notification_result *out)
{
    static const char *const everybody[] = {"notify"};
    size_t n = 1;
    const char *const *targets = in->has_target ? home_texts_list(&in->target, &n) : everybody;
    bool *is_entity = haft_call_alloc(call, n * sizeof *is_entity);
    haft_value *services = NULL;
    int status = notify_services(call, &services);

    out->sent = haft_call_alloc(call, n * sizeof *out->sent);
    if (!status && (!out->sent || !is_entity))
        status = HAFT_ENOMEM;
    for (size_t i = 0; i < n && status >= 0; i++) {
        status = notify_find(call, targets[i], services);
        is_entity[i] = status == 1;
        if (status == 1 && in->has_data)
            status = home_fail(call, "%s is an entity, which takes no data.", targets[i]);
    }
    for (size_t i = 0; i < n && status >= 0; i++) {
        status = notify_one(call, in, targets[i], is_entity[i]);
        if (status && i)
            return home_fail_after(call, status, "%s and the targets before it were notified.",
                                   targets[i - 1]);
        out->sent[i] = targets[i];
        out->n_sent = i + 1;
    }
    return status;
}
HAFT_TOOL(send_notification, send_notification_args, send_notification_result,
          "Send a notification to phones, speakers or the user interface.", HOME_WRITES_MILDLY);
HOME_EXPORT(send_notification);
