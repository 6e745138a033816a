/* gateway/ask.h - a request from outside, and its response as one text: "200 application/json
 * {...}". */
#ifndef HAFT_TESTS_ASK_H
#define HAFT_TESTS_ASK_H

#include <haft/gateway.h>
#include <stdio.h>
#include <string.h>

#include "support/headers.h"
#include "support/test.h"

enum { ASK_NOW = 1000000, ASK_ROOM = 8192 };

struct ask_request {
    const char *method, *target, *headers, *body, *principal, *peer;
};

static haft_gateway_request *ask_begin(haft_gateway *gateway, const struct ask_request *question,
                                       char *target)
{
    haft_request request = {.method = question->method,
                            .path = target,
                            .query = "",
                            .body = question->body ? question->body : "",
                            .body_size = question->body ? strlen(question->body) : 0,
                            .peer = question->peer,
                            .principal = question->principal};
    static struct header_lines lines; /* of the latest one */
    char *query;
    haft_gateway_request *req;

    headers_read(&lines, question->headers, &request.headers, &request.n_headers);
    snprintf(target, ASK_ROOM, "%s", question->target);
    query = strchr(target, '?');
    if (query) {
        *query = '\0';
        request.query = query + 1;
    }
    req = haft_gateway_request_new(gateway, &request, ASK_NOW);
    assert_non_null(req);
    return req;
}

static const char *ask_with(haft_gateway *gateway, const struct ask_request *question)
{
    static char text[ASK_ROOM];
    char target[ASK_ROOM];
    haft_gateway_request *req = ask_begin(gateway, question, target);
    const haft_response *response;
    const char *type;

    haft_gateway_request_run(req);
    response = haft_gateway_request_response(req);
    type = haft_response_header(response, "content-type");
    snprintf(text, sizeof text, "%d %s%s%.*s", response->status, type ? type : "", type ? " " : "",
             (int)response->size, response->body);
    haft_gateway_request_free(req);
    return text;
}

HAFT_MAYBE_UNUSED_ static const char *ask(haft_gateway *gateway, const char *method,
                                          const char *target, const char *body)
{
    return ask_with(gateway,
                    &(struct ask_request){.method = method, .target = target, .body = body});
}

/* One header of the response; "" when it is not there. */
HAFT_MAYBE_UNUSED_ static const char *ask_for(haft_gateway *gateway,
                                              const struct ask_request *question,
                                              const char *header)
{
    static char text[ASK_ROOM];
    char target[ASK_ROOM];
    haft_gateway_request *req = ask_begin(gateway, question, target);
    const char *value;

    haft_gateway_request_run(req);
    value = haft_response_header(haft_gateway_request_response(req), header);
    snprintf(text, sizeof text, "%s", value ? value : "");
    haft_gateway_request_free(req);
    return text;
}

#endif
