/* handshake.c - the request for a WebSocket and the answer, each written and checked.
 *
 * The answer is read by llhttp and kept only as far as it is compared: what a server sends takes no
 * memory, however long it is. */
#include "websocket/handshake.h"

#include <string.h>

#include "base/base.h"
#include "base/sha1.h"
#include "protocol/header.h"

enum { HANDSHAKE_KEY = 24, HANDSHAKE_MAX_HEAD = 64 << 10 };

/* What an answer says. */
enum {
    SAYS_UPGRADE = 1 << 0,
    SAYS_CONNECTION = 1 << 1,
    SAYS_ACCEPT = 1 << 2,
    SAYS_OTHER_ACCEPT = 1 << 3,
    SAYS_EXTENSION = 1 << 4,
    SAYS_PROTOCOL = 1 << 5,
    SAYS_BODY = 1 << 6
};

static void handshake_accept_of(const char key[HANDSHAKE_KEY],
                                char ret_accept[WEBSOCKET_ACCEPT + 1])
{
    static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[HANDSHAKE_KEY + sizeof suffix - 1];
    unsigned char digest[SHA1_SIZE];

    memcpy(text, key, HANDSHAKE_KEY);
    memcpy(text + HANDSHAKE_KEY, suffix, sizeof suffix - 1);
    hf_sha1(text, sizeof text, digest);
    haft_base64_encode(digest, sizeof digest, ret_accept);
    ret_accept[WEBSOCKET_ACCEPT] = '\0';
}

/* Whether a list like "keep-alive, Upgrade" has the token. */
static bool handshake_has_token(const char *list, size_t size, const char *token)
{
    while (size) {
        const char *comma = memchr(list, ',', size);
        size_t n = comma ? (size_t)(comma - list) : size;
        struct text item = text_trim(list, n);

        if (hf_text_is_ignoring_case(item.data, item.size, token))
            return true;
        n += comma != NULL;
        list += n;
        size -= n;
    }
    return false;
}

/* ---- the server's side ---- */

/* The same for all headers of that name. */
static bool handshake_is_listed(const haft_request *request, const char *name, const char *token)
{
    for (size_t i = 0; i < request->n_headers; i++) {
        const haft_header *header = &request->headers[i];

        if (hf_text_same_ignoring_case(header->name, name) &&
            handshake_has_token(header->value, strlen(header->value), token))
            return true;
    }
    return false;
}

bool hf_websocket_is_asked(const haft_request *request)
{
    return handshake_is_listed(request, "upgrade", "websocket");
}

/* Whether it is there once, as base64 of 16 bytes. */
static bool handshake_find_key(const haft_request *request, char ret_key[HANDSHAKE_KEY])
{
    unsigned char nonce[HANDSHAKE_KEY / 4 * 3];
    bool again;
    struct text key =
        hf_header_get(request->headers, request->n_headers, "sec-websocket-key", &again);
    size_t size;

    if (!key.data || again || key.size != HANDSHAKE_KEY ||
        haft_base64_decode(key.data, key.size, nonce, &size) || size != WEBSOCKET_NONCE)
        return false;
    memcpy(ret_key, key.data, HANDSHAKE_KEY);
    return true;
}

int hf_websocket_accept(const haft_request *request, char ret_accept[WEBSOCKET_ACCEPT + 1],
                        const char **reterr_why)
{
    char key[HANDSHAKE_KEY];
    bool again;
    struct text version =
        hf_header_get(request->headers, request->n_headers, "sec-websocket-version", &again);

    *reterr_why = "a WebSocket is opened by GET";
    if (strcmp(request->method, "GET") != 0)
        return 405;
    *reterr_why = "this address serves WebSocket only";
    if (!hf_websocket_is_asked(request))
        return 426;
    *reterr_why = "Connection must be Upgrade";
    if (!handshake_is_listed(request, "connection", "upgrade"))
        return 400;
    *reterr_why = "a WebSocket request has no body";
    if (request->body_size)
        return 400;
    *reterr_why = "Sec-WebSocket-Version must be 13";
    if (!version.data || again || !hf_text_is_ignoring_case(version.data, version.size, "13"))
        return 426;
    *reterr_why = "Sec-WebSocket-Key must be 16 bytes as base64";
    if (!handshake_find_key(request, key))
        return 400;
    handshake_accept_of(key, ret_accept);
    return 0;
}

/* ---- the client's request ---- */

/* Printable ASCII without blanks. */
static bool handshake_is_plain(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

static bool handshake_is_ours(const char *name)
{
    static const char *const names[] = {"connection",
                                        "content-length",
                                        "host",
                                        "sec-websocket-accept",
                                        "sec-websocket-extensions",
                                        "sec-websocket-key",
                                        "sec-websocket-protocol",
                                        "sec-websocket-version",
                                        "transfer-encoding",
                                        "upgrade"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hf_text_same_ignoring_case(name, names[i]))
            return true;
    return false;
}

static int handshake_check(const struct websocket_request *request, haft_reason *reterr_reason)
{
    if (!*request->host || !handshake_is_plain(request->host))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "host", "invalid host");
    if (*request->target != '/' || !handshake_is_plain(request->target))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "target",
                            "invalid path: it must begin with / and be printable ASCII");
    for (size_t i = 0; i < request->n_headers; i++) {
        const haft_header *header = &request->headers[i];

        if (!hf_header_name_is_valid(header->name))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "headers",
                                "the name of a header contains invalid characters");
        if (handshake_is_ours(header->name))
            return hf_error_set(reterr_reason, HAFT_EINVAL, header->name,
                                "haft sets this header itself");
        if (!hf_header_value_is_valid(header->value, strlen(header->value)))
            return hf_error_set(reterr_reason, HAFT_EINVAL, header->name,
                                "the value contains a control character");
    }
    return 0;
}

static void handshake_put(haft_buffer *out, const struct websocket_request *request,
                          const char key[HANDSHAKE_KEY])
{
    haft_buffer_printf(out, "GET %s HTTP/1.1\r\nHost: %s\r\n", request->target, request->host);
    haft_buffer_printf(out,
                       "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %.*s\r\n",
                       HANDSHAKE_KEY, key);
    for (size_t i = 0; i < request->n_headers; i++)
        haft_buffer_printf(out, "%s: %s\r\n", request->headers[i].name, request->headers[i].value);
    haft_buffer_puts(out, "\r\n");
}

/* ---- the server's answer ---- */

static int handshake_fail(struct websocket_handshake *handshake, const char *why)
{
    handshake->why = handshake->why ? handshake->why : why;
    return HPE_USER;
}

static int handshake_on_begin(llhttp_t *parser)
{
    struct websocket_handshake *handshake = parser->data;

    handshake->seen = 0;
    handshake->has_head = false;
    return 0;
}

static int handshake_on_name(llhttp_t *parser, const char *at, size_t size)
{
    struct websocket_handshake *handshake = parser->data;

    for (; size; at++, size--)
        if (handshake->name_size < sizeof handshake->name)
            handshake->name[handshake->name_size++] = *at;
    return 0;
}

static int handshake_on_value(llhttp_t *parser, const char *at, size_t size)
{
    struct websocket_handshake *handshake = parser->data;

    for (; size; at++, size--)
        if (handshake->value_size < sizeof handshake->value)
            handshake->value[handshake->value_size++] = *at;
    return 0;
}

static bool handshake_is_named(const struct websocket_handshake *handshake, const char *name)
{
    return hf_text_is_ignoring_case(handshake->name, handshake->name_size, name);
}

static unsigned handshake_judge(const struct websocket_handshake *handshake)
{
    struct text value = text_trim(handshake->value, handshake->value_size);

    if (handshake_is_named(handshake, "upgrade"))
        return hf_text_is_ignoring_case(value.data, value.size, "websocket") ? SAYS_UPGRADE : 0;
    if (handshake_is_named(handshake, "connection"))
        return handshake_has_token(value.data, value.size, "upgrade") ? SAYS_CONNECTION : 0;
    if (handshake_is_named(handshake, "sec-websocket-accept"))
        return value.size == WEBSOCKET_ACCEPT &&
                       !memcmp(value.data, handshake->accept, WEBSOCKET_ACCEPT)
                   ? SAYS_ACCEPT
                   : SAYS_OTHER_ACCEPT;
    if (handshake_is_named(handshake, "sec-websocket-extensions"))
        return value.size ? SAYS_EXTENSION : 0;
    if (handshake_is_named(handshake, "sec-websocket-protocol"))
        return SAYS_PROTOCOL;
    if (handshake_is_named(handshake, "transfer-encoding") ||
        (handshake_is_named(handshake, "content-length") &&
         !hf_text_is_ignoring_case(value.data, value.size, "0")))
        return SAYS_BODY;
    return 0;
}

static int handshake_on_value_complete(llhttp_t *parser)
{
    struct websocket_handshake *handshake = parser->data;

    handshake->seen |= handshake_judge(handshake);
    handshake->name_size = handshake->value_size = 0;
    return 0;
}

/* The fault of an answer that switches; NULL for nothing. */
static const char *handshake_find_fault(unsigned seen)
{
    static const struct {
        unsigned mask, wanted;
        const char *why;
    } rules[] = {
        {SAYS_UPGRADE, SAYS_UPGRADE, "the answer lacks Upgrade: websocket"},
        {SAYS_CONNECTION, SAYS_CONNECTION, "the answer lacks Connection: Upgrade"},
        {SAYS_ACCEPT | SAYS_OTHER_ACCEPT, SAYS_ACCEPT, "Sec-WebSocket-Accept is missing or wrong"},
        {SAYS_EXTENSION, 0, "the server uses an extension that was not offered"},
        {SAYS_PROTOCOL, 0, "the server uses a subprotocol that was not offered"},
        {SAYS_BODY, 0, "the answer 101 has a body"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((seen & rules[i].mask) != rules[i].wanted)
            return rules[i].why;
    return NULL;
}

static int handshake_on_head(llhttp_t *parser)
{
    struct websocket_handshake *handshake = parser->data;
    const char *fault;

    handshake->status = parser->status_code;
    if (parser->http_major != 1 || parser->http_minor != 1)
        return handshake_fail(handshake, "the answer is not HTTP/1.1");
    if (parser->status_code == 101) {
        fault = handshake_find_fault(handshake->seen);
        if (fault)
            return handshake_fail(handshake, fault);
    }
    handshake->has_head = parser->status_code >= 200;
    return 0;
}

static int handshake_on_body(llhttp_t *parser, const char *at, size_t size)
{
    struct websocket_handshake *handshake = parser->data;
    size_t room = WEBSOCKET_EXCERPT - handshake->excerpt_size;

    size = size < room ? size : room;
    memcpy(handshake->excerpt + handshake->excerpt_size, at, size);
    handshake->excerpt_size += size;
    handshake->excerpt[handshake->excerpt_size] = '\0';
    /* Nobody reads the rest. */
    return handshake->excerpt_size == WEBSOCKET_EXCERPT ? HPE_USER : 0;
}

/* Other answers of 1xx come before the one that counts. */
static int handshake_on_complete(llhttp_t *parser)
{
    struct websocket_handshake *handshake = parser->data;

    if (parser->status_code < 200 && parser->status_code != 101)
        return 0;
    handshake->is_complete = true;
    return HPE_PAUSED;
}

static const llhttp_settings_t handshake_settings = {
    .on_message_begin = handshake_on_begin,
    .on_header_field = handshake_on_name,
    .on_header_value = handshake_on_value,
    .on_header_value_complete = handshake_on_value_complete,
    .on_headers_complete = handshake_on_head,
    .on_body = handshake_on_body,
    .on_message_complete = handshake_on_complete,
};

int hf_websocket_handshake_receive(struct websocket_handshake *handshake, const char *bytes,
                                   size_t size, size_t *ret_used)
{
    llhttp_errno_t code;

    if (handshake->why)
        return HAFT_ECLOSED;
    code = llhttp_execute(&handshake->parser, bytes, size);
    if (handshake->is_complete && handshake->status == 101) {
        *ret_used = (size_t)(llhttp_get_error_pos(&handshake->parser) - bytes);
        return 1;
    }
    if (!handshake->has_head)
        handshake->head_size += size;
    if (handshake->head_size > HANDSHAKE_MAX_HEAD)
        handshake_fail(handshake, "the headers of the answer exceed the limit");
    else if (handshake->is_complete || handshake->excerpt_size == WEBSOCKET_EXCERPT)
        handshake_fail(handshake, "the server did not switch to WebSocket");
    else if (code != HPE_OK)
        handshake_fail(handshake, "the answer is not valid HTTP");
    return handshake->why ? HAFT_ECLOSED : 0;
}

void hf_websocket_handshake_end(struct websocket_handshake *handshake)
{
    /* Without a length, a body ends with the connection, and may as well be cut. */
    handshake_fail(handshake, handshake->has_head ? "the server did not switch to WebSocket"
                                                  : "the connection was closed before the answer");
}

int hf_websocket_handshake_begin(struct websocket_handshake *handshake,
                                 const struct websocket_request *request, haft_buffer *out,
                                 haft_reason *reterr_reason)
{
    char key[HANDSHAKE_KEY];
    int status = handshake_check(request, reterr_reason);

    if (status)
        return status;
    memset(handshake, 0, sizeof *handshake);
    haft_base64_encode(request->nonce, sizeof request->nonce, key);
    handshake_accept_of(key, handshake->accept);
    llhttp_init(&handshake->parser, HTTP_RESPONSE, &handshake_settings);
    handshake->parser.data = handshake;
    handshake_put(out, request, key);
    if (out->status)
        return hf_error_set(reterr_reason, out->status, "", "%s", haft_strerror(out->status));
    return 0;
}
