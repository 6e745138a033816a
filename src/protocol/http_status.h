/* protocol/http_status.h - HTTP statuses: their reason phrases, and what follows from them.
 *
 * The one table of them, which status lines and the titles of problems are read from. */
#ifndef HAFT_SRC_HTTP_STATUS_H
#define HAFT_SRC_HTTP_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* The final statuses that are registered with IANA, and 499, which servers log for a client that did
 * not wait for its answer. */
#define HTTP_STATUSES(X)                                                                           \
    X(200, "OK")                                                                                   \
    X(201, "Created")                                                                              \
    X(202, "Accepted")                                                                             \
    X(203, "Non-Authoritative Information")                                                        \
    X(204, "No Content")                                                                           \
    X(205, "Reset Content")                                                                        \
    X(206, "Partial Content")                                                                      \
    X(207, "Multi-Status")                                                                         \
    X(208, "Already Reported")                                                                     \
    X(226, "IM Used")                                                                              \
    X(300, "Multiple Choices")                                                                     \
    X(301, "Moved Permanently")                                                                    \
    X(302, "Found")                                                                                \
    X(303, "See Other")                                                                            \
    X(304, "Not Modified")                                                                         \
    X(305, "Use Proxy")                                                                            \
    X(307, "Temporary Redirect")                                                                   \
    X(308, "Permanent Redirect")                                                                   \
    X(400, "Bad Request")                                                                          \
    X(401, "Unauthorized")                                                                         \
    X(402, "Payment Required")                                                                     \
    X(403, "Forbidden")                                                                            \
    X(404, "Not Found")                                                                            \
    X(405, "Method Not Allowed")                                                                   \
    X(406, "Not Acceptable")                                                                       \
    X(407, "Proxy Authentication Required")                                                        \
    X(408, "Request Timeout")                                                                      \
    X(409, "Conflict")                                                                             \
    X(410, "Gone")                                                                                 \
    X(411, "Length Required")                                                                      \
    X(412, "Precondition Failed")                                                                  \
    X(413, "Content Too Large")                                                                    \
    X(414, "URI Too Long")                                                                         \
    X(415, "Unsupported Media Type")                                                               \
    X(416, "Range Not Satisfiable")                                                                \
    X(417, "Expectation Failed")                                                                   \
    X(418, "I'm a teapot")                                                                         \
    X(421, "Misdirected Request")                                                                  \
    X(422, "Unprocessable Content")                                                                \
    X(423, "Locked")                                                                               \
    X(424, "Failed Dependency")                                                                    \
    X(425, "Too Early")                                                                            \
    X(426, "Upgrade Required")                                                                     \
    X(428, "Precondition Required")                                                                \
    X(429, "Too Many Requests")                                                                    \
    X(431, "Request Header Fields Too Large")                                                      \
    X(451, "Unavailable For Legal Reasons")                                                        \
    X(499, "Client Closed Request")                                                                \
    X(500, "Internal Server Error")                                                                \
    X(501, "Not Implemented")                                                                      \
    X(502, "Bad Gateway")                                                                          \
    X(503, "Service Unavailable")                                                                  \
    X(504, "Gateway Timeout")                                                                      \
    X(505, "HTTP Version Not Supported")                                                           \
    X(506, "Variant Also Negotiates")                                                              \
    X(507, "Insufficient Storage")                                                                 \
    X(508, "Loop Detected")                                                                        \
    X(511, "Network Authentication Required")

/* "Not Found"; "" for a status that is not in the table. */
const char *hf_http_status_reason(int status);

/* Writes "HTTP/1.1 404 Not Found" and the line end, without a NUL; "Other" is the reason of a status
 * that is not in the table.  Returns the size. */
enum { HTTP_STATUS_LINE = 64 };
size_t hf_http_status_put_line(int status, char ret_line[HTTP_STATUS_LINE]);

/* Whether a response of this status may have a body, and so says how long it is. */
static inline bool http_status_has_body(int status)
{
    return status != 204 && status != 304;
}

#endif
