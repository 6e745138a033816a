/* cli/local.h - requests to a server of this very process, for its command line. */
#ifndef HAFT_SRC_LOCAL_H
#define HAFT_SRC_LOCAL_H

#include "loop/session_loop.h"

struct local {
    struct session_loop own;
    uv_timer_t timeout;
    haft_buffer response;
    bool answered, closing, given_up;
};

int hf_local_open(struct local *local, haft_server *server, unsigned workers);

/* Puts a request and waits for its answer.  `params` is JSON, or NULL.  The value of the
 * response lives in the arena; exactly one of *ret_result and *ret_error is set.  0, HAFT_ENOMEM
 * or HAFT_EPARSE. */
int hf_local_ask(struct local *local, const char *method, const char *params, haft_arena *arena,
                 yyjson_val **ret_result, yyjson_val **ret_error);

/* False when a handler has not come back: then nothing may be freed, and the process can only
 * end. */
bool hf_local_close(struct local *local);

#endif
