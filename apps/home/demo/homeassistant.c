/* homeassistant.c - services for entities of any domain, which the services of their domains carry out. */
#include "demo/service.h"

/* The service of the entity's own domain; covers have other names for it. */
static const struct demo_service *general_service(struct demo_call *call,
                                                  const struct demo_entity *entity, char *domain,
                                                  size_t room)
{
    static const char *const covers[][2] = {{"turn_on", "open_cover"}, {"turn_off", "close_cover"}};
    const struct demo_service *service;
    size_t size = strcspn(entity->id, ".");

    if (size >= room)
        return NULL;
    memcpy(domain, entity->id, size);
    domain[size] = '\0';
    service = demo_service_find(call->demo, domain, call->name);
    for (size_t i = 0; !service && i < 2; i++)
        if (!strcmp(covers[i][0], call->name))
            service = demo_service_find(call->demo, domain, covers[i][1]);
    return service;
}

static int general_run(struct demo_call *call, struct demo_entity *entity)
{
    char domain[64];
    struct demo_call inner = *call;
    int status;

    inner.service = general_service(call, entity, domain, sizeof domain);
    inner.domain = domain;
    if (!inner.service || !(inner.service->flags & SERVICE_TARGET))
        return 0; /* Home Assistant writes a warning to its log */
    status = inner.service->run(&inner, entity);
    call->failure = inner.failure;
    call->text = inner.text;
    call->key = inner.key;
    return status;
}

/* Writes the state again, as if the device had reported it. */
static int general_update(struct demo_call *call, struct demo_entity *entity)
{
    return demo_write(call->demo, entity->id, entity->state->text, entity->state->attributes, false,
                      &call->context, NULL);
}

static int general_nothing(struct demo_call *call, struct demo_entity *entity)
{
    (void)call;
    (void)entity;
    return 0;
}

enum { GENERAL_FLAGS = SERVICE_TARGET | SERVICE_ANY_DOMAIN | SERVICE_ANY_DATA };

const struct demo_service demo_services_homeassistant[] = {
    {"turn_on", "Generic action to turn devices on under any domain.", general_run, GENERAL_FLAGS,
     0, NULL, 0},
    {"turn_off", "Generic action to turn devices off under any domain.", general_run, GENERAL_FLAGS,
     0, NULL, 0},
    {"toggle", "Generic action to toggle devices on/off under any domain.", general_run,
     GENERAL_FLAGS, 0, NULL, 0},
    {"update_entity", "Forces one or more entities to update their data.", general_update,
     SERVICE_TARGET | SERVICE_ANY_DOMAIN, 0, NULL, 0},
    {"reload_all", "Reloads all YAML configuration that can be reloaded.", general_nothing, 0, 0,
     NULL, 0},
    {"check_config", "Checks the Home Assistant YAML-configuration files for errors.",
     general_nothing, 0, 0, NULL, 0},
    {"restart", "Restarts Home Assistant.", general_nothing, 0, 0, NULL, 0},
    {0},
};
