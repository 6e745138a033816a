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
    .open_stream = hf_http_stream_open,
    .stream_send = hf_http_stream_send,
    .stream_unsent = hf_http_stream_unsent,
    .stream_pause = hf_http_stream_pause,
    .stream_resume = hf_http_stream_resume,
    .stream_close = hf_http_stream_close,
};

const haft_part haft_http_client_part = {
    .magic = HAFT_PART_MAGIC,
    .abi = HAFT_PART_ABI,
    .name = "http-client",
    .version = HAFT_VERSION,
    .functions = &part_functions,
};
