/* error.c - the messages of the errors, and the mapping of libcurl's codes. */
#include <string.h>

#include "http/client/room.h"

const char *hf_http_error_text(enum http_error error)
{
    static const char *const texts[] = {
#define HTTP_ERROR_(name, text) text,
        HTTP_ERRORS(HTTP_ERROR_)
#undef HTTP_ERROR_
    };

    return (unsigned)error < HTTP_ERROR_COUNT ? texts[error] : texts[HTTP_FAILED];
}

static const struct error_row {
    CURLcode code;
    enum http_error error;
} error_rows[] = {
    {CURLE_COULDNT_RESOLVE_HOST, HTTP_RESOLVE_FAILED},
    {CURLE_COULDNT_RESOLVE_PROXY, HTTP_RESOLVE_FAILED},
    {CURLE_COULDNT_CONNECT, HTTP_CONNECT_FAILED},
    {CURLE_PROXY, HTTP_PROXY_FAILED},
    {CURLE_SSL_CONNECT_ERROR, HTTP_TLS_FAILED},
    {CURLE_PEER_FAILED_VERIFICATION, HTTP_TLS_FAILED},
    {CURLE_SSL_CERTPROBLEM, HTTP_TLS_FAILED},
    {CURLE_SSL_CIPHER, HTTP_TLS_FAILED},
    {CURLE_SSL_CACERT_BADFILE, HTTP_TLS_FAILED},
    {CURLE_SSL_ISSUER_ERROR, HTTP_TLS_FAILED},
    {CURLE_SSL_INVALIDCERTSTATUS, HTTP_TLS_FAILED},
    {CURLE_SSL_CLIENTCERT, HTTP_TLS_FAILED},
    {CURLE_USE_SSL_FAILED, HTTP_TLS_FAILED},
    {CURLE_GOT_NOTHING, HTTP_CLOSED},
    {CURLE_PARTIAL_FILE, HTTP_TRUNCATED},
    {CURLE_WEIRD_SERVER_REPLY, HTTP_BAD_ANSWER},
    {CURLE_UNSUPPORTED_PROTOCOL, HTTP_BAD_ANSWER}, /* HTTP/0.9 */
    {CURLE_BAD_CONTENT_ENCODING, HTTP_BAD_ANSWER},
    {CURLE_FILESIZE_EXCEEDED, HTTP_BODY_TOO_BIG},
    {CURLE_OUT_OF_MEMORY, HTTP_NO_MEMORY},
#if LIBCURL_VERSION_NUM >= 0x080600
    {CURLE_TOO_LARGE, HTTP_HEAD_TOO_BIG},
#endif
};

/* A timeout of libcurl itself; normally ours expire first. */
static enum http_error error_of_wait(const http_request *request)
{
    switch (request->phase) {
    case PHASE_CONNECT:
        return HTTP_CONNECT_TIMEOUT;
    case PHASE_TLS:
        return HTTP_TLS_TIMEOUT;
    default:
        return HTTP_TOTAL_TIMEOUT;
    }
}

/* The connection failed during a request: the error depends on how much of the response has
 * arrived. */
static enum http_error error_of_transfer(const http_request *request)
{
    if (request->phase == PHASE_STREAM)
        return HTTP_LOST;
    if (request->phase == PHASE_CONNECT && strstr(request->handle->reason, "CONNECT"))
        return HTTP_PROXY_FAILED;
    if (request->phase == PHASE_BODY)
        return strstr(request->handle->reason, "chunk") || strstr(request->handle->reason, "hunk")
                   ? HTTP_BAD_ANSWER
                   : HTTP_TRUNCATED;
    return request->head_bytes ? HTTP_TRUNCATED : HTTP_CLOSED;
}

enum http_error hf_http_error_of(const http_request *request, CURLcode code)
{
    if (request->failure)
        return request->failure;
    if (request->not_again)
        return HTTP_CLOSED;
    if (code == CURLE_COULDNT_CONNECT && request->refused_address)
        return HTTP_ADDRESS_REFUSED;
    if (!code && request->phase != PHASE_BODY)
        return error_of_transfer(request); /* libcurl accepts an incomplete head */
    /* libcurl reports a header line that is too long as out of memory. */
    if (code == CURLE_OUT_OF_MEMORY && request->phase == PHASE_ANSWER)
        return HTTP_HEAD_TOO_BIG;
    /* A line without a colon, or a first one that continues another. */
    if (code == CURLE_BAD_FUNCTION_ARGUMENT && request->phase >= PHASE_ANSWER)
        return HTTP_BAD_ANSWER;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return error_of_wait(request);
    if (code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_SEND_FAIL_REWIND)
        return error_of_transfer(request);
    for (size_t i = 0; i < sizeof error_rows / sizeof *error_rows; i++)
        if (error_rows[i].code == code)
            return error_rows[i].error;
    return code ? HTTP_FAILED : HTTP_OK;
}
