/* hass/decide.h - may a service reach only visible entities?  The decision, from the cache alone. */
#ifndef HOME_HASS_DECIDE_H
#define HOME_HASS_DECIDE_H

#include "hass/client.h"

#define REACH_VERDICTS(X)                                                                          \
    X(REACH_ALLOWED, "allowed")                                                                    \
    X(REACH_NO_ENTITY, "no entity") /* `what` is its id */                                         \
    X(REACH_NO_PLACE, "no place")   /* `what` is its name, and `which` it would be in */           \
    X(REACH_NO_TARGET, "no target") /* nothing is left to act on */                                \
    X(REACH_INVALID, "invalid")     /* the member `what` has the wrong type */                     \
    X(REACH_REFUSED, "refused")     /* `what` could reach something hidden */                      \
    X(REACH_NO_MEMORY, "no memory")

enum reach_verdict {
#define REACH_VERDICT_(name, text) name,
    REACH_VERDICTS(REACH_VERDICT_)
#undef REACH_VERDICT_
};

struct reach {
    enum reach_verdict verdict;
    const char *what;
    enum hass_registry which;
    yyjson_val *data;    /* to be sent */
    const char **owners; /* scripts and automations whose configuration must be checked */
    size_t n_owners;
};

/* With the lock held.  Everything is in the arena. */
struct reach hass_decide(struct hass *hass, haft_arena *arena, const struct hass_service *service,
                         yyjson_val *data);

/* ---- decide_value.c: with the lock held, all of them ---- */

/* Whether an entity stands for none that is hidden: a group, a scene.  *ret_owner is set if it is a script or
 * an automation. */
enum reach_verdict hass_decide_entity(struct hass *hass, haft_arena *arena,
                                      const struct state *state, bool *ret_owner);

/* An id, or an array of ids, each perhaps several with commas: only visible entities are allowed. */
struct reach_ids {
    const char *domain; /* that they must have; NULL for any */
    const char *what;   /* what was refused */
    size_t n;
};
enum reach_verdict hass_decide_ids(struct hass *hass, haft_arena *arena, yyjson_val *value,
                                   struct reach_ids *ids);

/* Whether a value has nothing in it that could reach a hidden entity. */
enum reach_verdict hass_decide_value(struct hass *hass, haft_arena *arena, yyjson_val *value,
                                     const char **ret_what);
/* The same for data of a service of that domain, without its targets. */
enum reach_verdict hass_decide_data(struct hass *hass, haft_arena *arena, const char *domain,
                                    yyjson_val *data, const char **ret_what);

/* ---- decide_config.c: the same for what an automation or a script does ---- */

enum reach_verdict hass_decide_config(struct hass *hass, haft_arena *arena, yyjson_val *config,
                                      const char **ret_what);
/* The same for one member of it, or for one item of a member that is an array. */
enum reach_verdict hass_decide_part(struct hass *hass, haft_arena *arena, const char *key,
                                    yyjson_val *value);

/* ---- words ---- */

bool hass_is_template(const char *text);
bool hass_is_empty(yyjson_val *value);  /* has no effect: null, "none", [] */
bool hass_is_target(const char *key);   /* a member that says what a service acts on */
bool hass_names_place(const char *key); /* an area, a device, a floor, a label */

#endif
