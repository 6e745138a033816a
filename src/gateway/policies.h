/* gateway/policies.h - the built-in kinds of policies, one maker each. */
#ifndef HAFT_SRC_POLICIES_H
#define HAFT_SRC_POLICIES_H

#include "gateway/gateway.h"

extern const haft_policy_kind policy_api_key, policy_basic_auth;
extern const haft_policy_kind policy_rate_limit, policy_size_limit, policy_sleep;
extern const haft_policy_kind policy_set_headers, policy_remove_headers, policy_cors;
extern const haft_policy_kind policy_validate, policy_mock;

/* An answer given, as a policy returns it. */
static inline int stopped(int status)
{
    return status ? status : HAFT_STOP;
}

#endif
