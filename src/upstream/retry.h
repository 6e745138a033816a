/* upstream/retry.h - when a failed request may be sent again, and how often.  Without I/O. */
#ifndef HAFT_SRC_UPSTREAM_RETRY_H
#define HAFT_SRC_UPSTREAM_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct retry_rules {
    unsigned max;             /* of one call; 0: none */
    int64_t base_ms, most_ms; /* delay before the first, which doubles with each; maximum */
    unsigned percent;         /* retries for each 100 calls in the long run */
};

/* Retries that an upstream has left: each call adds a part of one, so that retries do not multiply the
 * load on a server that is failing already. */
struct retry_budget {
    unsigned hundredths;
};

enum { RETRY_BURST = 1000 /* ten retries, with which a budget begins */ };

void hf_retry_earn(struct retry_budget *budget, const struct retry_rules *rules);
/* Takes a retry from the budget; false if there is none left. */
bool hf_retry_take(struct retry_budget *budget);

/* Whether the method may be repeated although the request may have been executed (RFC 9110, 9.2.2). */
bool hf_retry_is_idempotent(const char *method);
/* Whether the status says that another attempt may succeed: 429, 502, 503 or 504. */
bool hf_retry_wants(int status);

/* Delay in milliseconds before attempt `n`, from 1.  `random` is any number; `after_ms` is what the server
 * asked for, or -1. */
int64_t hf_retry_delay(const struct retry_rules *rules, unsigned n, uint32_t random,
                       int64_t after_ms);

/* Reads Retry-After: seconds, or a date (RFC 9110, 10.2.3) compared with `now_s`, seconds since 1970.
 * Returns milliseconds, or -1 if it is invalid or NULL. */
int64_t hf_retry_after(const char *value, int64_t now_s);

#endif
