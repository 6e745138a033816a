/* observe/otlp.h - calls as spans, on their way to a collector. */
#ifndef HAFT_SRC_OTLP_H
#define HAFT_SRC_OTLP_H

#include <haft/otlp.h>
#include <stdatomic.h>

#include "engine/session.h"

/* One call that is over, with all that is told about it. */
struct span {
    char trace_id[33], span_id[17], parent_id[17]; /* no parent: "" */
    uint64_t start, end;                           /* nanoseconds since 1970 */
    haft_outcome outcome;
    char tool[129];
    char request_id[65], client[65];
    char revision[16];
};

/* Spans of another server, too, which tells the same name. */
int otlp_tap(haft_otlp *otlp, haft_server *server);

/* ---- otlp_json.c ---- */

/* A batch as the body of a request: what is at `first`, then what is at `rest`.  `name` and
 * `version` are those of the server. */
void otlp_put_batch(haft_buffer *out, const char *name, const char *version,
                    const struct span *first, size_t n_first, const struct span *rest,
                    size_t n_rest);

/* ---- otlp_send.c ---- */

/* Where the collector is. */
struct otlp_address {
    char host[256]; /* without brackets */
    char port[6];
    char path[256];
};

/* Takes "http://HOST[:PORT][/PATH]" apart; 0, or an error with its reason. */
int otlp_read_url(const char *url, struct otlp_address *ret_address, haft_reason *reterr_reason);

/* How long somebody waits, on the clock of uv_hrtime in milliseconds. */
struct patience {
    uint64_t until;
    const atomic_ullong *cut; /* or until this, once it is not 0 */
};

/* Sends a body and waits for the answer.  Whether the collector has taken it. */
bool otlp_post(const struct otlp_address *address, const haft_buffer *body,
               struct patience patience);

#endif
