/* auth/server/check.h - a check in progress, and how it waits. */
#ifndef HAFT_SRC_AUTH_CHECK_H
#define HAFT_SRC_AUTH_CHECK_H

#include "auth/server/server.h"

struct check {
    struct authenticator *authenticator;
    const struct presented *presented;
    struct authentication *authentication;
    struct pending *pending; /* NULL before it has waited */
    struct siphash_pair digest;
    bool early; /* before the body of the request: it cannot wait, and uses up no proof */
};

/* Makes the pending check. Returns 0; HAFT_PENDING if it cannot wait; or HAFT_ENOMEM. */
int hf_waiting_prepare(struct check *check);
/* Waits for the keys of an issuer. Returns HAFT_PENDING; 0 if a fetch has ended since `generation`;
 * or an error. */
int hf_waiting_for_keys(struct check *check, struct issuer *issuer, unsigned generation);
/* Waits for what an issuer says about the token. Returns HAFT_PENDING or an error. */
int hf_waiting_for_answer(struct check *check);

/* On the thread. Takes those that wait for something off the list. */
struct pending *hf_waiting_take(struct authenticator *authenticator,
                                bool (*wanted)(const struct pending *pending, const void *what),
                                const void *what);
struct check hf_waiting_resume(struct pending *pending);
/* Frees it, and tells the caller. */
void hf_waiting_done(struct pending *pending, int status);
void hf_waiting_free(struct pending *pending);

#endif
