/* http_status.c - HTTP statuses as text. */
#include "protocol/http_status.h"

#include <string.h>

static const char status_version[] = "HTTP/1.1 ";
enum { STATUS_VERSION = sizeof status_version - 1, STATUS_DIGITS = 3 };

#define STATUS_FITS(code, reason)                                                                  \
    _Static_assert(code >= 200 && code <= 599, "a final status");                                  \
    _Static_assert(STATUS_VERSION + STATUS_DIGITS + 1 + sizeof reason - 1 + 2 <= HTTP_STATUS_LINE, \
                   "a reason is too long");
HTTP_STATUSES(STATUS_FITS)
#undef STATUS_FITS

const char *hf_http_status_reason(int status)
{
    switch (status) {
#define STATUS_REASON(code, reason)                                                                \
    case code:                                                                                     \
        return reason;
        HTTP_STATUSES(STATUS_REASON)
#undef STATUS_REASON
    default:
        return "";
    }
}

size_t hf_http_status_put_line(int status, char ret_line[HTTP_STATUS_LINE])
{
    const char *reason = hf_http_status_reason(status);
    unsigned code = (unsigned)status % 1000;
    char *at = ret_line + STATUS_VERSION;
    size_t size;

    if (!*reason)
        reason = "Other";
    size = strlen(reason);
    memcpy(ret_line, status_version, STATUS_VERSION);
    at[0] = (char)('0' + code / 100);
    at[1] = (char)('0' + code / 10 % 10);
    at[2] = (char)('0' + code % 10);
    at[3] = ' ';
    at += STATUS_DIGITS + 1;
    memcpy(at, reason, size);
    memcpy(at + size, "\r\n", 2);
    return (size_t)(at - ret_line) + size + 2;
}
