/* open.c - opens the link for a target. */
#include "connect/link.h"

struct connect_link *hf_connect_open(uv_loop_t *loop, const haft_allocator *allocator,
                                     const haft_target *target, const struct connect_limits *limits,
                                     haft_reason *reterr_reason)
{
    connect_open *open = target->command       ? hf_connect_process_open
                         : target->descriptors ? hf_connect_descriptors_open
                                               : hf_connect_server_open;

#if HAFT_HTTP
    if (target->url)
        open = hf_connect_http_open;
#endif
    if (!HAFT_HTTP && target->url) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "url", "this build of haft has no HTTP");
        return NULL;
    }
    return open(loop, allocator, target, limits, reterr_reason);
}
