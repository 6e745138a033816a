/* answer.c - parses the response to a direct request, with llhttp.
 *
 * llhttp, without any of its lenient modes, finds the parts; response.c judges them as it does those that
 * libcurl finds.  The parser stops at the end of each header section and of each message, so that callbacks
 * which may end the request are called outside of it, with the exception of on_body. */
#include <string.h>
#include <strings.h>

#include "http/client/room.h"

/* ---- llhttp's callbacks ---- */

static int answer_or_stop(bool goes_on)
{
    return goes_on ? HPE_OK : HPE_USER;
}

static int answer_stop_for(http_request *request, enum answer_event event)
{
    request->exchange.event = event;
    return HPE_PAUSED;
}

static int answer_keep(http_request *request, const char *text, size_t size)
{
    if (!hf_http_response_keep(request, text, size)) {
        request->failure = HTTP_NO_MEMORY;
        return HPE_USER;
    }
    return HPE_OK;
}

static int answer_on_status_complete(llhttp_t *parser)
{
    return answer_or_stop(hf_http_response_count(parser->data, 0, 1));
}

/* Part of a name or a value.  Trailers are counted and discarded. */
static int answer_on_text(llhttp_t *parser, const char *text, size_t size)
{
    http_request *request = parser->data;

    if (request->phase == PHASE_BODY)
        return answer_or_stop(hf_http_response_count(request, size, 0));
    return answer_keep(request, text, size);
}

/* llhttp refuses a second length even if it is the same, and response.c only if it is not. */
static int answer_on_name_complete(llhttp_t *parser)
{
    http_request *request = parser->data;
    struct http_exchange *exchange = &request->exchange;

    if (request->phase == PHASE_BODY)
        return HPE_OK;
    if (answer_keep(request, "", 1))
        return HPE_USER;
    exchange->value_at = request->head_size;
    if (request->has_length && !strcasecmp(request->head + exchange->name_at, "Content-Length")) {
        parser->flags &= (uint16_t)~F_CONTENT_LENGTH;
        parser->content_length = 0;
    }
    return HPE_OK;
}

/* Whether a list has this in it. */
static bool answer_lists(const char *list, const char *word)
{
    size_t size = strlen(word);

    for (;;) {
        list += strspn(list, ", \t");
        if (!*list)
            return false;
        if (strcspn(list, ", \t") == size && !strncasecmp(list, word, size))
            return true;
        list += strcspn(list, ", \t");
    }
}

static int answer_on_value_complete(llhttp_t *parser)
{
    http_request *request = parser->data;
    struct http_exchange *exchange = &request->exchange;
    bool in_head = request->phase != PHASE_BODY;

    /* The bytes of a head are counted as they come; those of trailers are a name, a value and ": \r\n". */
    if (!hf_http_response_count(request, in_head ? 0 : 4, 1))
        return HPE_USER;
    if (!in_head)
        return HPE_OK;
    if (!hf_http_response_end_field(request, exchange->name_at, exchange->value_at))
        return HPE_USER;
    /* llhttp overlooks it behind a tab, and before another such header. */
    if (!strcasecmp(request->head + exchange->name_at, "Connection") &&
        answer_lists(request->head + exchange->value_at, "close"))
        exchange->closes = true;
    exchange->name_at = request->head_size;
    return HPE_OK;
}

static int answer_on_headers_complete(llhttp_t *parser)
{
    return answer_stop_for(parser->data, ANSWER_HEAD);
}

static int answer_on_body(llhttp_t *parser, const char *bytes, size_t size)
{
    http_request *request = parser->data;

    if (!size) /* llhttp was given none */
        return HPE_OK;
    if (!hf_http_response_take_body(request, bytes, size))
        return HPE_USER;
    return request->paused ? answer_stop_for(request, ANSWER_PAUSE) : HPE_OK;
}

static int answer_on_message_complete(llhttp_t *parser)
{
    http_request *request = parser->data;

    request->exchange.keeps_alive = !request->exchange.closes && llhttp_should_keep_alive(parser);
    return answer_stop_for(request, ANSWER_END);
}

static const llhttp_settings_t answer_callbacks = {
    .on_status_complete = answer_on_status_complete,
    .on_header_field = answer_on_text,
    .on_header_field_complete = answer_on_name_complete,
    .on_header_value = answer_on_text,
    .on_header_value_complete = answer_on_value_complete,
    .on_headers_complete = answer_on_headers_complete,
    .on_body = answer_on_body,
    .on_message_complete = answer_on_message_complete,
};

/* ---- a response ---- */

void hf_http_answer_begin(http_request *request)
{
    struct http_exchange *exchange = &request->exchange;

    llhttp_init(&exchange->parser, HTTP_RESPONSE, &answer_callbacks);
    exchange->parser.data = request;
    exchange->begun = false;
    exchange->name_at = 0;
}

/* With llhttp's reason, unless the failure is ours. */
static enum answer_state answer_fail(http_request *request)
{
    const llhttp_t *parser = &request->exchange.parser;
    llhttp_errno_t code = llhttp_get_errno(parser);

    if (!request->failure) {
        request->failure = HTTP_BAD_ANSWER;
        if (code != HPE_OK && code != HPE_PAUSED && code != HPE_USER)
            request->why = llhttp_get_error_reason(parser);
    }
    return ANSWER_FAILED;
}

/* llhttp skips empty lines before a response. */
static bool answer_begins_badly(const http_request *request, const char *bytes, size_t size)
{
    return !request->exchange.begun && size && (*bytes == '\r' || *bytes == '\n');
}

/* Whether bytes of a body can follow. */
static bool answer_has_body(const http_request *request)
{
    return !(request->exchange.parser.flags & F_SKIPBODY) && request->status != 204 &&
           request->status != 304 && !(request->has_length && !request->length);
}

static enum answer_state answer_end_head(http_request *request)
{
    llhttp_t *parser = &request->exchange.parser;
    int status = parser->status_code;

    if (parser->http_major != 1 || !hf_http_response_count(request, 0, 1))
        return answer_fail(request);
    if (status < 200 || request->head_only)
        parser->flags |= F_SKIPBODY;
    else if (request->has_coding && !(parser->flags & F_CHUNKED))
        return answer_fail(
            request); /* llhttp does not understand it, and would read until the end */
    if (!hf_http_response_end_head(request, status))
        return answer_fail(request);
    return request->paused && status >= 200 && answer_has_body(request) ? ANSWER_PAUSED
                                                                        : ANSWER_MORE;
}

/* The parser has stopped.  ANSWER_MORE: it goes on. */
static enum answer_state answer_go_on(http_request *request)
{
    llhttp_resume(&request->exchange.parser);
    switch (request->exchange.event) {
    case ANSWER_HEAD:
        return answer_end_head(request);
    case ANSWER_PAUSE:
        return ANSWER_PAUSED;
    default:
        if (request->phase == PHASE_BODY)
            return ANSWER_DONE;
        hf_http_answer_begin(request); /* a 1xx response: the next follows */
        return ANSWER_MORE;
    }
}

enum answer_state hf_http_answer_feed(http_request *request, const char *bytes, size_t size,
                                      size_t *ret_used)
{
    struct http_exchange *exchange = &request->exchange;
    enum answer_state state = ANSWER_MORE;
    llhttp_errno_t code = HPE_PAUSED;
    size_t at = 0, used;

    while (state == ANSWER_MORE && code == HPE_PAUSED) {
        if (answer_begins_badly(request, bytes + at, size - at)) {
            state = answer_fail(request);
            break;
        }
        code = llhttp_execute(&exchange->parser, bytes + at, size - at);
        used = code == HPE_OK       ? size - at
               : code == HPE_PAUSED ? (size_t)(llhttp_get_error_pos(&exchange->parser) - bytes) - at
                                    : 0;
        at += used;
        exchange->begun = exchange->begun || used;
        if (request->phase != PHASE_BODY && !hf_http_response_count(request, used, 0))
            state = answer_fail(request);
        else if (code == HPE_PAUSED)
            state = answer_go_on(request);
        else if (code != HPE_OK)
            state = answer_fail(request);
    }
    *ret_used = at;
    return state;
}

bool hf_http_answer_closed(http_request *request)
{
    llhttp_errno_t code;

    if (request->phase != PHASE_BODY)
        return false;
    request->exchange.event = ANSWER_NOTHING;
    code = llhttp_finish(&request->exchange.parser);
    return (code == HPE_OK || code == HPE_PAUSED) && request->exchange.event == ANSWER_END;
}
