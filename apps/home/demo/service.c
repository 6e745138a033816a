/* service.c - the call of a service: found in the tables, its data checked, carried out for each target. */
#include "demo/service.h"

#include "demo/automation.h"

const struct demo_domain demo_domains[] = {
#define DEMO_DOMAIN_ROW(domain) {#domain, demo_services_##domain},
    DEMO_DOMAINS(DEMO_DOMAIN_ROW)
#undef DEMO_DOMAIN_ROW
        {NULL, NULL},
};

int demo_fail(struct demo_call *call, enum demo_failure failure, const char *key,
              const char *format, ...)
{
    va_list args;

    va_start(args, format);
    call->text = haft_arena_vprintf(call->demo->scratch, format, args);
    va_end(args);
    call->failure = call->text ? failure : DEMO_NO_MEMORY;
    call->key = key;
    return -1;
}

const struct demo_service *demo_service_find(struct demo *demo, const char *domain,
                                             const char *name)
{
    for (const struct demo_domain *at = demo_domains; at->name; at++)
        if (!strcmp(at->name, domain))
            for (const struct demo_service *service = at->services; service->name; service++)
                if (!strcmp(service->name, name))
                    return service;
    return demo_service_made(demo, domain, name);
}

/* ---- data ---- */

/* The data and the target as one object. */
static haft_value *service_merge(struct demo *demo, haft_value *data, haft_value *target)
{
    yyjson_alc alc;
    yyjson_mut_doc *doc = yyjson_mut_doc_new(demo_alc(demo, &alc));
    yyjson_mut_val *root = !doc   ? NULL
                           : data ? yyjson_val_mut_copy(doc, data)
                                  : yyjson_mut_obj(doc);
    yyjson_obj_iter iter;
    yyjson_val *key;
    yyjson_doc *merged;

    if (!root)
        return NULL;
    yyjson_mut_doc_set_root(doc, root);
    yyjson_obj_iter_init(target, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        yyjson_mut_obj_remove_key(root, yyjson_get_str(key));
        if (!yyjson_mut_obj_add(root, yyjson_val_mut_copy(doc, key),
                                yyjson_val_mut_copy(doc, yyjson_obj_iter_get_val(key))))
            return NULL;
    }
    merged = yyjson_mut_doc_imut_copy(doc, &alc);
    return merged ? yyjson_doc_get_root(merged) : NULL;
}

static bool service_has_target(haft_value *data)
{
    return yyjson_obj_get(data, "entity_id") || yyjson_obj_get(data, "device_id") ||
           yyjson_obj_get(data, "area_id") || yyjson_obj_get(data, "floor_id") ||
           yyjson_obj_get(data, "label_id");
}

static int service_check(struct demo_call *call)
{
    const struct demo_service *service = call->service;
    bool targets = service->flags & SERVICE_TARGET;
    const char *wrong =
        demo_validate(call->demo, service->fields, service->n, call->data,
                      targets ? DEMO_TARGET_KEYS : NULL, service->flags & SERVICE_ANY_DATA, false);

    if (wrong)
        return demo_fail(call, *wrong ? DEMO_INVALID : DEMO_NO_MEMORY, NULL, "%s", wrong);
    if (targets && !service_has_target(call->data))
        return demo_fail(call, DEMO_INVALID, NULL,
                         "must contain at least one of entity_id, device_id, area_id, floor_id, "
                         "label_id.");
    if (call->wants_response && !(service->flags & (SERVICE_RESPONDS | SERVICE_RESPONDS_ONLY)))
        return demo_fail(call, DEMO_VALIDATION, "service_does_not_support_response",
                         "An action which does not return responses can't be called with "
                         "return_response=True");
    if (!call->wants_response && service->flags & SERVICE_RESPONDS_ONLY)
        return demo_fail(call, DEMO_VALIDATION, "service_lacks_response_request",
                         "The action requires responses and must be called with "
                         "return_response=True");
    return 0;
}

/* ---- carrying it out ---- */

static bool service_suits(struct demo_call *call, const struct demo_entity *entity)
{
    double has = demo_attribute(call->demo, entity, "supported_features", 0);

    return !call->service->features ||
           (has >= 0 && has < 1e9 && (unsigned)has & call->service->features);
}

static int service_status(struct demo_call *call, int status)
{
    if (status == HAFT_ENOMEM && call->failure == DEMO_FINE)
        return demo_fail(call, DEMO_NO_MEMORY, NULL, "out of memory");
    return status ? -1 : 0;
}

static int service_run_each(struct demo_call *call)
{
    struct demo_entity **entities;
    size_t n, named;
    int status = demo_targets(call->demo, call->data,
                              call->service->flags & SERVICE_ANY_DOMAIN ? NULL : call->domain,
                              &entities, &n, &named);

    for (size_t i = 0; !status && i < n; i++) {
        if (!demo_is_available(entities[i]))
            continue;
        if (service_suits(call, entities[i]))
            status = call->service->run(call, entities[i]);
        else if (i < named)
            status = demo_fail(call, DEMO_VALIDATION, "service_not_supported",
                               "Entity %s does not support action %s.%s", entities[i]->id,
                               call->domain, call->name);
    }
    return service_status(call, status);
}

static void service_tell(struct demo_call *call)
{
    haft_buffer out = demo_buffer(call->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "domain"), call->domain);
    hf_json_text(json_key(&w, "service"), call->name);
    hf_json_value(json_key(&w, "service_data"), call->data);
    hf_json_end_object(&w);
    demo_fire(call->demo, "call_service", demo_take(call->demo, &out), false, &call->context);
}

int demo_call_service(struct demo_call *call, haft_value *data, haft_value *target)
{
    call->failure = DEMO_FINE;
    call->service = demo_service_find(call->demo, call->domain, call->name);
    if (!call->service)
        return demo_fail(call, DEMO_NO_SERVICE, "service_not_found", "Service %s.%s not found.",
                         call->domain, call->name);
    if (data && !yyjson_is_obj(data))
        return demo_fail(call, DEMO_INVALID, NULL, "expected a dictionary");
    call->data = service_merge(call->demo, data, target);
    if (!call->data)
        return demo_fail(call, DEMO_NO_MEMORY, NULL, "out of memory");
    if (service_check(call))
        return -1;
    service_tell(call);
    return call->service->flags & SERVICE_TARGET
               ? service_run_each(call)
               : service_status(call, call->service->run(call, NULL));
}

/* ---- what several domains share ---- */

bool demo_is_on(const struct demo_entity *entity)
{
    return !strcmp(entity->state->text, "on");
}

int demo_set_state(struct demo_call *call, struct demo_entity *entity, const char *state)
{
    return demo_write(call->demo, entity->id, state, entity->state->attributes, false,
                      &call->context, NULL);
}

int demo_set_on(struct demo_call *call, struct demo_entity *entity, bool on)
{
    return demo_set_state(call, entity, on ? "on" : "off");
}

const char *demo_join(struct demo *demo, haft_value *array)
{
    const char *text = "";

    for (size_t i = 0; text && i < yyjson_arr_size(array); i++) {
        const char *item = yyjson_get_str(yyjson_arr_get(array, i));

        text = demo_format(demo, "%s%s%s", text, *text ? ", " : "", item ? item : "");
    }
    return text ? text : "";
}
