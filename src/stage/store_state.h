/* stage/store_state.h - whether the server's store answers, and what is decided without it.
 *
 * Each use of the store reports its answers. A use that fails is degraded until an answer succeeds;
 * /readyz and the metrics show it. Servers of one program have one state. */
#ifndef HAFT_SRC_STORE_STATE_H
#define HAFT_SRC_STORE_STATE_H

#include "engine/offer/server.h"
#include "json/writer.h"

/* Reports an answer: `status` as in haft_store_request. Logs the first failure, and the first success
 * afterwards, of uses that do not log themselves. Returns true if the use works again. May be called
 * from any thread. */
bool hf_store_note(haft_server *server, enum store_use use, int status);

/* Counts a decision without the store: made by a policy, or refused because of it. */
void hf_store_count(haft_server *server, enum store_use use, bool refused);

/* Whether an error means that the store is unavailable, as opposed to out of memory. */
bool hf_store_is_away(int status);

/* The policy for a use; the default of that use if the program has none. */
haft_store_away hf_store_policy(const haft_server *server, enum store_use use);
/* The part of a rate limit that this process may use up alone: at least one call. */
haft_rate hf_store_local_rate(const haft_server *server, haft_rate rate);

/* Whether a use is degraded. */
bool hf_store_is_degraded(haft_server *server);
/* Writes the member "store" of /readyz: {"degraded":{"rates":{"seconds":3}}}; nothing without a
 * store. */
void hf_store_put_state(haft_server *server, struct json_writer *w);
/* Writes the lines of a metric: up, refused, or locally decided. */
void hf_store_put_up(haft_buffer *out, haft_server *server);
void hf_store_put_refused(haft_buffer *out, haft_server *server);
void hf_store_put_local(haft_buffer *out, haft_server *server);

#endif
