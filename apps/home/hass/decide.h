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

/* How a value is searched: as data of a service, or as what a script or automation does. */
enum reach_kind { REACH_DATA, REACH_CONFIG };
/* Whether a value has nothing in it that could reach a hidden entity.  With the lock held. */
enum reach_verdict hass_decide_value(struct hass *hass, haft_arena *arena, enum reach_kind kind,
                                     yyjson_val *value, const char **ret_what);
/* The same for an entity: a group, a scene.  *ret_owner is set if it is a script or an automation. */
enum reach_verdict hass_decide_entity(struct hass *hass, haft_arena *arena,
                                      const struct state *state, bool *ret_owner);

#endif
