/* hass/hass.h - Home Assistant, as the tools see it.
 *
 * A handler calls these functions with its haft_call.  They block until the answer has come, within
 * the call's deadline, and stop waiting when the call is cancelled; traceparent is sent along.
 * Everything they return belongs to the call.
 *
 *     static int set_switch(haft_call *call, const set_switch_args *in, entity *out)
 *     {
 *         int status = hass_require(call, in->entity_id, "switch,input_boolean", out);
 *
 *         return status ? status : hass_act(call, out, switch_action_name(in->action), NULL, out);
 *     }
 *
 * Each function that returns int returns 0, or a status that the handler returns as it is.  The text
 * of the tool error, in Home Assistant's own words where it gave some, has then been set on the
 * call.
 *
 * What the option --entities hides does not exist for any of these functions: an entity that is
 * hidden gives the same error as one that is not there, and a service that would reach a hidden
 * entity is not called. */
#ifndef HOME_HASS_H
#define HOME_HASS_H

#include <haft.h>

/* ---- what tools return about an entity ---- */

/* It is in the schema of most tools: the names say what descriptions would. */
HAFT_STRUCT(entity,
    HAFT_STRING(entity_id, NULL),
    HAFT_STRING(state, NULL),
    HAFT_STRING(domain, NULL),
    HAFT_STRING(name, NULL),
    HAFT_OPTIONAL(HAFT_STRING(area, NULL)),
    HAFT_MAP(attributes, HAFT_JSON(value, NULL), NULL),
    HAFT_STRING(last_changed, NULL));

struct hass_states {
    const entity *at; /* sorted by entity id */
    size_t n;
};

struct hass_area {
    const char *id, *name, *floor; /* floor: its name; NULL for none */
};
struct hass_areas {
    const struct hass_area *at;
    size_t n;
};

/* A JSON value of an entity's attributes; NULL if it does not have it. */
haft_value *entity_attribute(const entity *of, const char *name);
double entity_number(const entity *of, const char *name, double otherwise);
const char *entity_text(const entity *of, const char *name); /* NULL if it is not a string */
bool entity_supports(const entity *of, unsigned feature);    /* a bit of supported_features */
bool entity_lists(const entity *of, const char *name,
                  const char *value); /* an array has the string */

/* ---- reading ---- */

/* All entities that the model may see, from the cache that events keep up to date. */
int hass_states(haft_call *call, struct hass_states *ret_states);
/* One entity, from the same cache. */
int hass_state(haft_call *call, const char *entity_id, entity *ret_entity);
/* The same, for a tool that is about to act on it: also an error if its domain is not one of the
 * list ("light,group"; NULL for any) or if it is unavailable. */
int hass_require(haft_call *call, const char *entity_id, const char *domains, entity *ret_entity);

int hass_areas(haft_call *call, struct hass_areas *ret_areas);
/* The area whose id, name or alias this is, ignoring case; an error that names the areas
 * otherwise. */
int hass_area(haft_call *call, const char *text, struct hass_area *ret_area);
/* The area of an entity: its own, or else that of its device; NULL id for none. */
int hass_area_of(haft_call *call, const char *entity_id, struct hass_area *ret_area);

/* Whether the model may see the entity. */
bool hass_sees(haft_call *call, const char *entity_id);
/* Whether the model may see all entities of a domain, whichever there are. */
bool hass_sees_domain(haft_call *call, const char *domain);
/* Whether --entities is set, so that what cannot be filtered must be refused. */
bool hass_is_filtered(haft_call *call);

/* ---- acting ---- */

/* Service data: JSON text of an object made of a declared type; NULL with the error set on the call
 * without memory or if it does not match.  Fields that are absent are left out. */
const char *hass_data(haft_call *call, const haft_type *type, const void *value);

/* Calls a service of the entity's domain for it, waits for its state to be read back, and fills in
 * *ret_after (which may be the target itself).  `data` is a JSON object without entity_id, or
 * NULL. */
int hass_act(haft_call *call, const entity *target, const char *service, const char *data,
             entity *ret_after);
/* The same with a domain other than the entity's, "homeassistant" for instance. */
int hass_act_as(haft_call *call, const char *domain, const char *service, const entity *target,
                const char *data, entity *ret_after);

struct hass_service {
    const char *domain, *service;
    /* JSON object, which may have entity_id, area_id, device_id, floor_id, label_id or entity_id
     * "all": these are expanded to entities, and filtered; or NULL. */
    const char *data;
    bool wants_response; /* ?return_response */
    bool without_target; /* such a service reaches no entity: notify, persistent_notification */
};
/* Calls a service, by the command call_service of the WebSocket (which gives reasons where REST
 * says "400: Bad Request"); it is sent once.  *ret_changed has the entities whose state changed;
 * *ret_response is NULL unless it was asked for.  Each may be NULL. */
int hass_call(haft_call *call, const struct hass_service *service, struct hass_states *ret_changed,
              haft_value **ret_response);

/* ---- everything else ---- */

struct hass_answer {
    int status;       /* of HTTP */
    const char *type; /* content type */
    const char *body; /* with a NUL behind it */
    size_t size;
};
/* A REST request: "GET", "/api/error_log".  Statuses of 400 and more are errors of the tool, with
 * Home Assistant's message, except for those that `accepts` names ("404 401"; NULL for none). */
int hass_request(haft_call *call, const char *method, const char *path, const char *body,
                 const char *accepts, struct hass_answer *ret_answer);
/* The body of an answer as JSON. */
int hass_json(haft_call *call, const struct hass_answer *answer, haft_value **ret_value);
/* A command of the WebSocket API; `fields` is a JSON object without id and type, or NULL.  An error
 * is the tool's, with Home Assistant's message, except for the code `accepts` ("unknown_command"):
 * then *ret_result is NULL. */
int hass_command(haft_call *call, const char *type, const char *fields, const char *accepts,
                 haft_value **ret_result);

/* Whether this client has agreed to this kind of action in the last five minutes, and the note that
 * it has; for home_confirm of tools/common.h. */
bool hass_has_consent(haft_call *call, const char *who, const char *kind);
void hass_add_consent(haft_call *call, const char *who, const char *kind);

/* ---- what is hidden ---- */

/* A JSON value, or text, without what --entities hides: items and members about hidden entities are
 * left out, and elsewhere their ids become "[hidden]".  The functions above have done that with
 * everything they return.  NULL, with the error set on the call, without memory. */
haft_value *hass_redact(haft_call *call, haft_value *value);
const char *hass_redact_text(haft_call *call, const char *text, size_t size);

/* ---- waiting for events ---- */

/* A number that is another one after each change of the entity; and waits until it is, at most `ms`
 * milliseconds (0: until the deadline).  Returns HASS_UNCHANGED without a text when the time is
 * over. */
enum { HASS_UNCHANGED = 100 };
uint64_t hass_changes(haft_call *call, const char *entity_id);
int hass_wait_change(haft_call *call, const char *entity_id, uint64_t since, unsigned ms);
/* Events of a type ("call_service"), until hass_unsubscribe, which the handler must call; also
 * across a lost connection.  hass_next_event waits as hass_wait_change does, and sets *ret_event to
 * an event as Home Assistant sends it, without what is hidden; *ret_dropped, unless it is NULL, is
 * the number of events that there was no room for. */
struct hass_events;
int hass_subscribe(haft_call *call, const char *event_type, struct hass_events **ret_events);
int hass_next_event(haft_call *call, struct hass_events *events, unsigned ms,
                    haft_value **ret_event, uint64_t *ret_dropped);
void hass_unsubscribe(haft_call *call, struct hass_events *events); /* NULL is fine */
/* Whether hass_watch has a function, which then notifies clients of every change. */
bool hass_is_watched(haft_call *call);
/* Sleeps, unless the call is cancelled or its deadline passes, which is an error. */
int hass_sleep(haft_call *call, unsigned ms);
/* The time in milliseconds since 1970. */
int64_t hass_now(haft_call *call);

/* ---- work that goes on after its call ---- */

struct hass;
enum { HASS_MOST_TASKS = 8 };
struct hass_task {
    /* A step, on a thread of the client's: it must not wait.  Returns the milliseconds until the
     * next one; 0: there is none. */
    unsigned (*step)(struct hass *hass, void *context);
    /* Comes once, on the same thread, after the last step: frees the context. */
    void (*end)(struct hass *hass, void *context);
    /* Whether it must not run together with another one; NULL: it may run with any. */
    bool (*clashes)(void *context, const void *other);
    void *context;
};
/* Starts a task, whose first step is taken at once, and which ends with the client.  Returns 0;
 * HAFT_EEXISTS, with the id of the other task, if it clashes with one; HAFT_EBUSY if there are
 * HASS_MOST_TASKS; or HAFT_ENOMEM; all without a text, and the context is then the caller's. */
int hass_start_task(haft_call *call, const struct hass_task *task, unsigned *ret_id);
/* Ends a task, and waits for its end.  Returns whether there was one of that id. */
bool hass_end_task(haft_call *call, unsigned id);
/* Calls the function with each task that runs at that moment, in the order of their ids, until it
 * returns another value than 0, which is returned.  It must not start or end one. */
int hass_each_task(haft_call *call, int (*see)(void *who, unsigned id, const void *context),
                   void *who);

/* Whether a service of the entity's domain may be called for it, as hass_act finds out by
 * itself. */
int hass_reaches(haft_call *call, const char *service, const entity *target);
/* Calls a service of the entity's domain, without waiting for the answer, also when the call has
 * been cancelled or is over; nothing happens without a connection.  `members` is JSON of service
 * data without entity_id and without the braces ("" for none).  From any thread. */
void hass_tell(struct hass *hass, const char *service, const char *entity_id, const char *members);

#endif
