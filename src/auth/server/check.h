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

/* ---- ends of a check (check.c); each returns its status ---- */

/* Accepts a token, whose reference it takes. */
int hf_check_admit(struct check *check, struct known *known, const struct possession *possession);
/* Refuses a proof that has been used before. */
int hf_check_used(struct check *check, const struct possession *possession);
/* Refuses a request because the store of used proofs does not answer. */
int hf_check_unsure(struct check *check);

/* ---- proofs for a single use (single_use.c) ---- */

/* Asks the store whether a proof is new; takes the reference to the token. Returns the status of the
 * check, or HAFT_PENDING. */
int hf_single_use_ask(struct check *check, struct known *known,
                      const struct possession *possession);
/* The caller no longer waits. Returns whether its `done` will not be called. */
bool hf_single_use_cancel(struct authenticator *authenticator, void *own);

/* ---- waiting ---- */

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
