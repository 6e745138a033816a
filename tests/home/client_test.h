/* client_test.h - what the tests of the Home Assistant client share: a scripted home, and handlers that read
 * it and act on it. */
#ifndef HAFT_TESTS_HOME_CLIENT_TEST_H
#define HAFT_TESTS_HOME_CLIENT_TEST_H

#include <stdio.h>

#include "engine/call/call.h"
#include "home/fake_home.h"
#include "support/child.h"

static struct fake_home fake;

static inline struct hass *client_begin(const char *entities)
{
    fake_init(&fake);
    return fake_hass(&fake, entities);
}

static inline void client_end(struct hass *hass)
{
    hass_free(hass);
    fake_finish(&fake);
}

static inline void client_matches(const char *text, const char *pattern)
{
    if (!hf_glob_match(pattern, strlen(pattern), text))
        fail_msg("\"%s\" is not \"%s\"", text, pattern);
}

/* ---- what the handlers do ---- */

static inline int client_read(haft_call *call, void *context)
{
    struct hass_states states;
    int status = hass_states(call, &states);

    if (!status)
        *(size_t *)context = states.n;
    return status;
}

static inline int client_get(haft_call *call, void *context)
{
    return hass_state(call, "light.kitchen", context);
}

static inline int client_turn_on(haft_call *call, void *context)
{
    entity target;
    int status = hass_require(call, "light.kitchen", "light,group", &target);

    if (!status)
        status = hass_act(call, &target, "turn_on", NULL, &target);
    if (!status)
        snprintf(context, 32, "%s", target.state);
    return status;
}

static inline int client_command(haft_call *call, void *context)
{
    haft_value *value;

    return hass_command(call, context, NULL, NULL, &value);
}

static inline int client_get_json(haft_call *call, void *context)
{
    struct hass_answer answer;
    haft_value *value;
    int status = hass_request(call, "GET", context, NULL, NULL, &answer);

    return status ? status : hass_json(call, &answer, &value);
}

static inline int client_post(haft_call *call, void *context)
{
    struct hass_answer answer;

    return hass_request(call, "POST", context, "{}", NULL, &answer);
}

#endif
