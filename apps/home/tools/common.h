/* tools/common.h - what several tools share: errors, what an entity can do, results of bounded size, and
 * the question that comes before a dangerous action.
 *
 * A function that returns int returns 0, or a status that the handler returns as it is; the text of the
 * tool error has then been set on the call, as those of hass.h do.
 *
 *     static int set_switch(haft_call *call, const set_switch_args *in, entity *out)
 *     {
 *         int status = hass_require(call, in->entity_id, "switch,input_boolean", out);
 *
 *         return status ? status : hass_act(call, out, home_action_name(in->action), NULL, out);
 *     }
 *     HAFT_TOOL(set_switch, set_switch_args, entity, "Turn a switch on or off", HOME_WRITES);
 *     HOME_EXPORT(set_switch);
 *
 * The list of all 41 tools has a budget of 40 KB: fields of arguments have short descriptions, and fields
 * of results have NULL instead of one where the name says it.  That is 950 bytes for each tool, most with the
 * schema of an entity; test_tools_registry.c prints them. */
#ifndef HOME_TOOLS_COMMON_H
#define HOME_TOOLS_COMMON_H

#include <yyjson.h>

#include "registry.h"

/* ---- hints ---- */

#define HOME_HINTS(read, destroy, repeat, open)                                                    \
    .annotations = {                                                                               \
        .read_only = read, .destructive = destroy, .idempotent = repeat, .open_world = open}
/* R O; R I O: reads from Home Assistant. */
#define HOME_READS HOME_HINTS(HAFT_YES, HAFT_UNSET, HAFT_UNSET, HAFT_YES)
#define HOME_READS_AGAIN HOME_HINTS(HAFT_YES, HAFT_UNSET, HAFT_YES, HAFT_YES)
/* R I o: needs nothing outside this process. */
#define HOME_READS_HERE HOME_HINTS(HAFT_YES, HAFT_UNSET, HAFT_YES, HAFT_NO)
/* W D O; W D I O; W d O: changes something. */
#define HOME_WRITES HOME_HINTS(HAFT_NO, HAFT_YES, HAFT_UNSET, HAFT_YES)
#define HOME_WRITES_AGAIN HOME_HINTS(HAFT_NO, HAFT_YES, HAFT_YES, HAFT_YES)
#define HOME_WRITES_MILDLY HOME_HINTS(HAFT_NO, HAFT_NO, HAFT_UNSET, HAFT_YES)

/* ---- fields ---- */

/* What most arguments begin with. */
#define HOME_ENTITY_ID HAFT_STRING(entity_id, "Id")

HAFT_ENUMERATION(home_action, turn_on, turn_off, toggle);
const char *home_action_name(home_action action); /* "turn_on"; also the service */

/* The name of an enumerator on the wire: HOME_NAME(vacuum_command_kind, in->command). */
#define HOME_NAME(T, value) (T##_type.values[value])

/* A string, or an array of 1 to 50 strings: HAFT_UNION(entity_id, home_texts, "Entity id, or several").
 * home_texts_list returns the strings, and their number in *ret_n. */
typedef struct home_texts {
    enum home_texts_kind { home_texts_one, home_texts_many } kind;
    const char *one;
    size_t n_many;
    const char **many;
} home_texts;
extern const haft_type home_texts_type;
const char *const *home_texts_list(const home_texts *texts, size_t *ret_n);

/* ---- errors ---- */

/* Sets the text of the tool error, a sentence.  Returns a status for the handler to return. */
int home_fail(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Adds a sentence to the tool error that has been set: what had been done before.  Returns the status. */
int home_fail_after(haft_call *call, int status, const char *format, ...) HAFT_PRINTF_(3, 4);

/* ---- what an entity can do ---- */

/* An error unless the entity has one of these bits in supported_features: "cover.x cannot be stopped." */
int home_needs(haft_call *call, const entity *of, unsigned features, const char *cannot);

/* An error with the possible values unless the attribute, an array, has the string. `what` is what the
 * value is: "effect". */
int home_offers(haft_call *call, const entity *of, const char *attribute, const char *what,
                const char *value);

/* An error with the bounds unless the value is between two numbers of the entity's attributes; a bound
 * that the entity does not have is not checked. */
int home_within(haft_call *call, const entity *of, const char *low, const char *high,
                const char *what, double value);

/* The strings of an attribute that is an array, "a, b, c"; "none" if it has none, NULL without memory. */
const char *home_listed(haft_call *call, const entity *of, const char *attribute);

/* Calls a service of the entity's domain for it (hass_act), and fills in the entity for a result
 * (home_whole). */
int home_act(haft_call *call, const entity *target, const char *service, const char *data,
             entity *ret_after);

/* ---- results of bounded size ---- */

enum { HOME_MOST_ENTITIES = 100 };

/* Entities for a result: at most HOME_MOST_ENTITIES, evenly chosen from the list, each without what
 * home_brief leaves out. *ret_truncated says whether some were left out. */
int home_result(haft_call *call, const entity *const *list, size_t total, entity **ret_at,
                size_t *ret_n, bool *ret_truncated);
/* The same for all of a list of states. */
int home_result_of(haft_call *call, const struct hass_states *states, entity **ret_at,
                   size_t *ret_n, bool *ret_truncated);

/* Which of `total` things is the i-th of at most `most` that are evenly chosen from them. */
size_t home_evenly(size_t i, size_t total, size_t most);

/* An entity for a list: without attributes that repeat what it says elsewhere (friendly_name), that are
 * secret (access_token, entity_picture), or that are long. */
int home_brief(haft_call *call, entity *change);
/* An entity for a result about it alone: long attributes say how long they are instead. */
int home_whole(haft_call *call, entity *change);

/* ---- text ---- */

bool home_same_text(const char *left, const char *right); /* ignoring case in ASCII */

/* ---- before something dangerous ---- */

/* Asks the person at the client whether to go on, by elicitation, before an action that is hard to undo.
 * `kind` names the kind of action, "unlock"; the text is the question, "Unlock lock.front_door?".
 *
 * A client that has agreed is not asked again about the same kind for five minutes, so that a task of several steps
 * asks once.  A client that cannot be asked gets no question: its own confirmation is the hint
 * destructiveHint.  Returns 0 to go on; HAFT_AGAIN, for the handler to return; or an error: the person
 * declined.  A handler calls it after its checks and before it changes anything. */
int home_confirm(haft_call *call, const char *kind, const char *format, ...) HAFT_PRINTF_(3, 4);

#endif
