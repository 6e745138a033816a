/* home/tools.h - tables of tests for the tools of the home.
 *
 *     static const struct tool_case rows[] = {
 *         {"set_switch", NORMAL, "{'entity_id':'switch.fountain','action':'turn_on'}",
 *          .expect = "state='on'; domain='switch'", .asked = "POST /api/services/switch/turn_on"},
 *         {"set_switch", LOST, "{'entity_id':'switch.fountain','action':'turn_on'}",
 *          .at = "/api/services/", .expect = "!*the connection was cut*"},
 *         {"example", LOST, .why_not = "it does not use Home Assistant"},
 *     };
 *
 * A row is a call of a tool in a situation.  Each has a home of its own: the demo home with a fixed clock,
 * behind a link that misbehaves as the situation wants, and a client in the same process; handlers run on
 * threads, as in a program.  In arguments and expectations ' stands for ".
 *
 * Rows are in headers, rows_*.h, so that test_tools_registry.c can check that every tool of the registry
 * has a row for each situation.  Several rows for the same situation are fine. */
#ifndef HAFT_TESTS_HOME_TOOLS_H
#define HAFT_TESTS_HOME_TOOLS_H

#include <haft/client.h>
#include <haft/testing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "home.h"

enum situation {
    NORMAL,
    BAD_ARGUMENT, /* refused before the handler runs, or by its own checks */
    UNKNOWN_ENTITY,
    UNAVAILABLE, /* an entity that is there and has no state */
    WRONG_DOMAIN,
    HASS_ERROR, /* Home Assistant answers with an error */
    LOST,       /* the connection is cut */
    DEADLINE,   /* Home Assistant never answers */
    CANCELLED,  /* nor here, and the client no longer wants to know */
    SITUATIONS
};
extern const char *const situation_names[SITUATIONS];

struct tool_case {
    const char *tool;
    enum situation situation;
    const char *arguments; /* NULL: {} */
    /* What the structured content has: "PATH=JSON", "PATH=" if it must be absent, "PATH~PATTERN" for text
     * with stars; several are separated by "; ".  Or "!PATTERN": the text of an error, with stars.  NULL
     * is fine for DEADLINE and CANCELLED alone. */
    const char *expect;
    /* From where on the link misbehaves: part of "METHOD PATH BODY" of a request or of a message to Home
     * Assistant; NULL: from the start. */
    const char *at;
    const char *asked; /* part of what Home Assistant must have been asked; "!..." if it must not */
    const char
        *why_not; /* why this situation does not exist for the tool; then nothing is called */
    const char *unavailable; /* of UNAVAILABLE: the entity; NULL: the one that the arguments name */
    const char
        *before; /* a call that comes first, "TOOL ARGUMENTS", and must succeed; NULL for none */
    const struct fault_answer
        *answers;      /* of Home Assistant, besides the demo home's: fault_link.h */
    const char *model; /* what the client's model says; NULL: it has none */
};

/* Rows that many tools have alike.  Each ends with a comma. */

/* An entity that does not exist, that is unavailable, and of another domain; JSON of the arguments is given
 * in two parts, around the entity id. */
#define ROWS_OF_ENTITY(tool, before, id, after, other, domain, domains)                            \
    {tool, UNKNOWN_ENTITY, before domain ".nope" after,                                            \
     .expect = "!Entity not found: " domain ".nope.*"},                                            \
        {tool, UNAVAILABLE, before id after,                                                       \
         .expect = "!" id " is unavailable: Home Assistant has no connection to the device.",      \
         .asked = "!call_service"},                                                                \
        {tool, WRONG_DOMAIN, before other after,                                                   \
         .expect = "!" other " has the domain *; this tool works with: " domains ".",              \
         .asked = "!call_service"},

/* A link that breaks when a service is called. */
#define ROWS_OF_SERVICE(tool, arguments)                                                                             \
    {tool, HASS_ERROR, arguments, .at = "call_service",                                                              \
     .expect = "!home_assistant_error: The device is on fire."},                                                     \
        {tool, LOST, arguments, .at = "call_service",                                                                \
         .expect =                                                                                                   \
             "!The connection to Home Assistant was lost before it answered; it may have carried the command out."}, \
        {tool, DEADLINE, arguments, .at = "call_service",                                                            \
         .expect =                                                                                                   \
             "!The demo home did not answer within 0.3 s; it may have carried the command out."},                    \
        {tool, CANCELLED, arguments, .at = "call_service"},

/* A link that is broken from the start, for a tool that only reads states. */
#define ROWS_OF_STATES(tool, arguments)                                                            \
    {tool, HASS_ERROR, arguments, .at = "get_states",                                              \
     .expect = "!The demo home cannot be reached: *The device is on fire.*"},                      \
        {tool, LOST, arguments,                                                                    \
         .expect = "!The demo home cannot be reached: the connection was cut."},                   \
        {tool, DEADLINE, arguments,                                                                \
         .expect = "!The demo home cannot be reached: it has not answered yet."},                  \
        {tool, CANCELLED, arguments, .expect = NULL},

/* Runs the rows, each as a test of its own.  Returns what main returns. */
int tools_run(const char *group, const struct tool_case *rows, size_t n);

/* ---- a home for other tests ---- */

/* What a home is made with.  Zero: the demo home, all tools, nothing misbehaves, a client of the newest
 * revision that cannot be asked. */
struct house_options {
    const char *entities;       /* --entities */
    enum situation situation;   /* HASS_ERROR and later: the link misbehaves, */
    const char *at;             /* from here on */
    unsigned timeout_ms;        /* of a call: 30 s */
    size_t extra;               /* further sensors of the demo home */
    const char *revision;       /* of the protocol */
    const char *principal;      /* of the client */
    haft_client_answer *answer; /* of questions */
    haft_client_notified *notify;
    void *context; /* of both */
    haft_log_function *log;
    void *log_context;
    const char *audio_dir;
    bool progress;
    bool resources; /* can be subscribed to */
};

struct house;

/* --audio-dir of homes whose options have none; NULL at first. */
extern const char *house_audio_dir;

struct house *house_open(const struct house_options *options);
void house_close(struct house *house);

haft_client *house_client(struct house *house);
/* A second client of the same server, to be freed by house_close. */
haft_client *house_join(struct house *house, const struct house_options *options);
haft_server *house_server(struct house *house);
struct hass *house_hass(struct house *house);
/* Moves the clock of the demo home, and does what is then due. */
void house_advance(struct house *house, unsigned milliseconds);
/* Sets the state of an entity of the demo home: "{'state':'on','attributes':{}}". */
void house_post_state(struct house *house, const char *entity_id, const char *json);
/* How many handlers run. */
unsigned house_running(struct house *house);
/* Waits until that many requests or messages have been swallowed by a link that does not answer. */
void house_wait_swallowed(struct house *house, unsigned n);
/* Everything that Home Assistant was asked, a line each; until the next call. */
const char *house_asked(struct house *house);

/* Calls a tool; fails unless an answer comes. */
haft_result house_call(struct house *house, const char *tool, const char *arguments);
/* Checks a result against an expectation of a row. */
void house_expect(const haft_result *result, const char *expect);
/* The value at a path, "devices.0.name"; NULL if there is none. */
haft_value *house_at(haft_value *value, const char *path);
/* Whether a text matches a pattern with stars. */
bool house_matches(const char *text, const char *pattern);

#endif
