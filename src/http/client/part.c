/* part.c - the HTTP client as an optional part: its only exported symbol. */
#include <haft/part.h>

#include "http/client/room.h"

static const struct http_client_functions part_functions = {
    .create = hf_http_client_create,
    .destroy = hf_http_client_destroy,
    .start = hf_http_request_start,
    .cancel = hf_http_request_cancel,
    .pause = hf_http_request_pause,
    .resume = hf_http_request_resume,
    .error_text = hf_http_error_text,
};

const haft_part haft_http_client_part = {
    .magic = HAFT_PART_MAGIC,
    .abi = HAFT_PART_ABI,
    .name = "http-client",
    .version = HAFT_VERSION,
    .functions = &part_functions,
};
