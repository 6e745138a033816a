/* gateway/policies.h - the built-in policy kinds. */
#ifndef HAFT_SRC_POLICIES_H
#define HAFT_SRC_POLICIES_H

#include "gateway/gateway.h"

extern const haft_policy_kind hf_policy_api_key, hf_policy_basic_auth, hf_policy_oauth;
extern const haft_policy_kind hf_policy_rate_limit, hf_policy_size_limit, hf_policy_sleep;
extern const haft_policy_kind hf_policy_set_headers, hf_policy_remove_headers, hf_policy_cors;
extern const haft_policy_kind hf_policy_validate, hf_policy_mock;

/* All of them (policy.c); NULL-terminated. */
extern const haft_policy_kind *const hf_policy_built_in[];

/* The policy that an authenticator decides about; it must outlive the policy (policy_oauth.c). */
haft_policy hf_policy_of_authenticator(haft_authenticator *authenticator);
/* The authenticator of the first such policy for requests from outside; NULL if there is none. */
haft_authenticator *hf_policies_authenticator(const struct policy_list *policies);

/* Reads the files of all policies in use again, and logs which could not be read (policy.c). */
void hf_policies_reload(const haft_gateway *gateway);

/* The return value of a policy that has answered. */
static inline int stopped(int status)
{
    return status ? status : HAFT_STOP;
}

#endif
