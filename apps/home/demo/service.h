/* demo/service.h - services as tables: what they are called, what data they take, what they do. */
#ifndef HOME_DEMO_SERVICE_H
#define HOME_DEMO_SERVICE_H

#include "demo/model.h"

enum demo_field_kind {
    FIELD_TEXT,
    FIELD_TEXT_OR_NULL,
    FIELD_INT,
    FIELD_NUMBER,
    FIELD_BOOL,
    FIELD_CHOICE, /* of `choices`, separated by commas */
    FIELD_TEXTS,  /* a string or an array of strings */
    FIELD_OBJECT,
    FIELD_ARRAY,
    FIELD_RGB,
    FIELD_PAIR, /* two numbers */
    FIELD_TIME, /* ISO date or time */
    FIELD_ENTITY,
    FIELD_TARGET,
    FIELD_ANY
};

struct demo_field {
    const char *name;
    enum demo_field_kind kind;
    bool required;
    bool ranged; /* min and max apply */
    double min, max;
    const char *choices;
};

enum {
    SERVICE_TARGET = 1,     /* for each entity of its domain that is targeted */
    SERVICE_ANY_DOMAIN = 2, /* of any domain */
    SERVICE_RESPONDS = 4,   /* may answer */
    SERVICE_RESPONDS_ONLY = 8,
    SERVICE_ANY_DATA = 16 /* keys that are not in the table are accepted */
};

struct demo_call;
typedef int demo_run(struct demo_call *call, struct demo_entity *entity);

struct demo_service {
    const char *name, *description;
    demo_run *run;
    unsigned flags, features; /* features: bits of supported_features that the entity must have */
    const struct demo_field *fields;
    size_t n;
};
#define SERVICE_FIELDS(table) .fields = table, .n = sizeof(table) / sizeof *(table)

/* X(domain): each has a table demo_services_<domain> that ends with a row without a name, in a separate file. */
#define DEMO_DOMAINS(X)                                                                            \
    X(homeassistant)                                                                               \
    X(light)                                                                                       \
    X(switch)                                                                                      \
    X(input_boolean)                                                                               \
    X(climate)                                                                                     \
    X(cover)                                                                                       \
    X(fan)                                                                                         \
    X(lock)                                                                                        \
    X(alarm_control_panel)                                                                         \
    X(media_player)                                                                                \
    X(vacuum)                                                                                      \
    X(automation)                                                                                  \
    X(script)                                                                                      \
    X(scene)                                                                                       \
    X(todo)                                                                                        \
    X(notify)                                                                                      \
    X(persistent_notification)                                                                     \
    X(tts)                                                                                         \
    X(weather)                                                                                     \
    X(calendar)                                                                                    \
    X(camera)

#define DEMO_DOMAIN_DECLARED(domain) extern const struct demo_service demo_services_##domain[];
DEMO_DOMAINS(DEMO_DOMAIN_DECLARED)
#undef DEMO_DOMAIN_DECLARED

struct demo_domain {
    const char *name;
    const struct demo_service *services;
};
extern const struct demo_domain demo_domains[]; /* ends with a row without a name */

/* Why a service was not carried out. */
enum demo_failure {
    DEMO_FINE,
    DEMO_NO_SERVICE,
    DEMO_INVALID,    /* the data does not match */
    DEMO_VALIDATION, /* ServiceValidationError */
    DEMO_ERROR,      /* HomeAssistantError */
    DEMO_NO_MEMORY
};

struct demo_call {
    struct demo *demo;
    const char *domain, *name;
    const struct demo_service *service;
    haft_value *data; /* with the target; an object */
    bool wants_response;
    struct demo_context context;
    enum demo_failure failure;
    const char *text; /* of the failure */
    const char *key;  /* translation_key; NULL for none */
    char *response;   /* JSON object; NULL for none */
};

/* Calls the service `domain`.`name` with `data` (NULL for none) and `target` (the same).  The context is set by the
 * caller.  Returns 0, or -1 with the failure. */
int demo_call_service(struct demo_call *call, haft_value *data, haft_value *target);
/* Sets the failure; returns -1. */
int demo_fail(struct demo_call *call, enum demo_failure failure, const char *key,
              const char *format, ...) HAFT_PRINTF_(4, 5);
const struct demo_service *demo_service_find(struct demo *demo, const char *domain,
                                             const char *name);

/* A service that is not in a table: of a script or of a notification target.  NULL. */
const struct demo_service *demo_service_made(struct demo *demo, const char *domain,
                                             const char *name);

/* The entities that the data names: adds them to an array in the scratch arena.  `domain` NULL: of any.  *ret_named
 * says how many of them were named by entity_id, and come first. */
int demo_targets(struct demo *demo, haft_value *data, const char *domain,
                 struct demo_entity ***ret_entities, size_t *ret_n, size_t *ret_named);
/* The area of an entity, by itself or by its device; NULL for none. */
const char *demo_area_of(struct demo *demo, const char *entity_id);

/* Checks an object by a table.  `base` are names that are allowed besides, separated by commas, or NULL.  Returns NULL
 * if all is well, or the error's text in the scratch arena; "" without memory.  With `got` it ends with the value. */
const char *demo_validate(struct demo *demo, const struct demo_field *fields, size_t n,
                          haft_value *object, const char *base, bool any, bool got);
#define DEMO_TARGET_KEYS "entity_id,device_id,area_id,floor_id,label_id"

/* Writes `domain: {service: ...}` of all domains as an object, or as an array of objects. */
void demo_services_write(struct demo *demo, struct json_writer *w, bool array);

void demo_service_write(struct json_writer *w, const char *domain, const char *name,
                        const struct demo_service *service);
/* The same for those that demo_service_made finds. */
void demo_services_made_write(struct demo *demo, struct json_writer *w, const char *domain);

/* What several domains share: turn an entity on or off. */
int demo_set_on(struct demo_call *call, struct demo_entity *entity, bool on);
bool demo_is_on(const struct demo_entity *entity);
int demo_set_state(struct demo_call *call, struct demo_entity *entity, const char *state);
/* The items of an array of strings, with ", " between; in the scratch arena, "" without memory. */
const char *demo_join(struct demo *demo, haft_value *array);

#endif
