/* test_handshake.c - requests for a WebSocket, and answers to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "websocket/handshake.h"

/* ---- the server's side ---- */

#define KEY "dGhlIHNhbXBsZSBub25jZQ==" /* of RFC 6455, 1.3 */

static void server_judges_requests(void **state)
{
    static const struct {
        const char *method;
        haft_header headers[6];
        size_t body_size;
        int status;
        const char *result; /* the answer to the key, or why not */
    } rows[] = {
        {"GET",
         {{"Upgrade", "websocket"},
          {"Connection", "Upgrade"},
          {"Sec-WebSocket-Version", "13"},
          {"Sec-WebSocket-Key", KEY}},
         0,
         0,
         "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
        {"GET",
         {{"upgrade", "WebSocket"},
          {"connection", "keep-alive, upgrade"},
          {"sec-websocket-version", " 13 "},
          {"sec-websocket-key", " " KEY "\t"}},
         0,
         0,
         "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
        {"GET",
         {{"upgrade", "h2c"},
          {"upgrade", "foo, websocket"},
          {"connection", "keep-alive"},
          {"connection", "Upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", KEY}},
         0,
         0,
         "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
        {"POST",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", KEY}},
         0,
         405,
         "a WebSocket is opened by GET"},
        {"GET",
         {{"connection", "upgrade"}, {"sec-websocket-version", "13"}, {"sec-websocket-key", KEY}},
         0,
         426,
         "this address serves WebSocket only"},
        {"GET",
         {{"upgrade", "websockets"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", KEY}},
         0,
         426,
         "this address serves WebSocket only"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "close"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", KEY}},
         0,
         400,
         "Connection must be Upgrade"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", KEY}},
         1,
         400,
         "a WebSocket request has no body"},
        {"GET",
         {{"upgrade", "websocket"}, {"connection", "upgrade"}, {"sec-websocket-key", KEY}},
         0,
         426,
         "Sec-WebSocket-Version must be 13"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "8"},
          {"sec-websocket-key", KEY}},
         0,
         426,
         "Sec-WebSocket-Version must be 13"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-version", "8"},
          {"sec-websocket-key", KEY}},
         0,
         426,
         "Sec-WebSocket-Version must be 13"},
        {"GET",
         {{"upgrade", "websocket"}, {"connection", "upgrade"}, {"sec-websocket-version", "13"}},
         0,
         400,
         "Sec-WebSocket-Key must be 16 bytes as base64"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", KEY},
          {"sec-websocket-key", KEY}},
         0,
         400,
         "Sec-WebSocket-Key must be 16 bytes as base64"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZTEy"}},
         0,
         400,
         "Sec-WebSocket-Key must be 16 bytes as base64"},
        {"GET",
         {{"upgrade", "websocket"},
          {"connection", "upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", "dGhlIHNhbXBsZSBub25j!Q=="}},
         0,
         400,
         "Sec-WebSocket-Key must be 16 bytes as base64"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_request request = {.method = rows[i].method,
                                .path = "/",
                                .headers = rows[i].headers,
                                .body_size = rows[i].body_size};
        char accept[WEBSOCKET_ACCEPT + 1] = "";
        const char *why = "";

        while (request.n_headers < 6 && rows[i].headers[request.n_headers].name)
            request.n_headers++;
        assert_int_equal(hf_websocket_accept(&request, accept, &why), rows[i].status);
        assert_string_equal(rows[i].status ? why : accept, rows[i].result);
    }
}

/* ---- the client's side ---- */

static int begin(struct websocket_handshake *handshake, const haft_header *headers, size_t n,
                 haft_buffer *out, haft_reason *reason)
{
    struct websocket_request request = {.host = "example.org:8123",
                                        .target = "/api/websocket?a=b",
                                        .headers = headers,
                                        .n_headers = n};

    memcpy(request.nonce, "the sample nonce", WEBSOCKET_NONCE);
    return hf_websocket_handshake_begin(handshake, &request, out, reason);
}

static void client_writes_its_request(void **state)
{
    static const haft_header headers[] = {{"Authorization", "Bearer secret"}, {"X-Empty", ""}};
    struct websocket_handshake handshake;
    haft_buffer out;

    (void)state;
    haft_buffer_init(&out, NULL, 1000);
    assert_int_equal(begin(&handshake, headers, 2, &out, NULL), 0);
    haft_buffer_add(&out, "", 1);
    assert_string_equal(out.data, "GET /api/websocket?a=b HTTP/1.1\r\n"
                                  "Host: example.org:8123\r\n"
                                  "Upgrade: websocket\r\n"
                                  "Connection: Upgrade\r\n"
                                  "Sec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: " KEY "\r\n"
                                  "Authorization: Bearer secret\r\n"
                                  "X-Empty: \r\n"
                                  "\r\n");
    haft_buffer_finish(&out);
}

#define BAD_PATH(path)                                                                             \
    {                                                                                              \
        "a", path, {"a", "b"}, "target",                                                           \
            "invalid path: it must begin with / and be printable ASCII"                            \
    }
#define OWN_HEADER(name)                                                                           \
    {                                                                                              \
        "a", "/", {name, "b"}, name, "haft sets this header itself"                                \
    }

static void client_refuses_requests(void **state)
{
    static const struct {
        const char *host, *target;
        haft_header header;
        const char *path, *text;
    } rows[] = {
        {"", "/", {"a", "b"}, "host", "invalid host"},
        {"a\r\nb", "/", {"a", "b"}, "host", "invalid host"},
        {"a b", "/", {"a", "b"}, "host", "invalid host"},
        BAD_PATH(""),
        BAD_PATH("x"),
        BAD_PATH("/ HTTP/1.1\r\nX: "),
        BAD_PATH("/\xC3\xA4"),
        {"a", "/", {"a b", "b"}, "headers", "the name of a header contains invalid characters"},
        {"a", "/", {"", "b"}, "headers", "the name of a header contains invalid characters"},
        OWN_HEADER("Host"),
        OWN_HEADER("Upgrade"),
        OWN_HEADER("Content-Length"),
        OWN_HEADER("Sec-WebSocket-Extensions"),
        {"a", "/", {"a", "b\r\nc: d"}, "a", "the value contains a control character"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct websocket_request request = {.host = rows[i].host,
                                            .target = rows[i].target,
                                            .headers = &rows[i].header,
                                            .n_headers = 1};
        struct websocket_handshake handshake;
        haft_reason reason = {0};
        haft_buffer out;

        haft_buffer_init(&out, NULL, 1000);
        assert_int_equal(hf_websocket_handshake_begin(&handshake, &request, &out, &reason),
                         HAFT_EINVAL);
        assert_string_equal(reason.path, rows[i].path);
        assert_string_equal(reason.text, rows[i].text);
        assert_int_equal(out.size, 0);
        haft_buffer_finish(&out);
    }
}

static void client_needs_room(void **state)
{
    struct websocket_handshake handshake;
    haft_reason reason = {0};
    haft_buffer out;

    (void)state;
    haft_buffer_init(&out, NULL, 40);
    assert_int_equal(begin(&handshake, NULL, 0, &out, &reason), HAFT_ETOOBIG);
    haft_buffer_finish(&out);
}

#define HTTP_101 "HTTP/1.1 101 Switching Protocols\r\n"
#define UPGRADE "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

static void client_judges_answers(void **state)
{
    static const struct {
        const char *answer, *frames; /* what follows the head of an answer that is fine */
        int result, status;
        const char *why, *excerpt;
    } rows[] = {
        {HTTP_101 UPGRADE ACCEPT "\r\n", "", 1, 101, "", ""},
        {HTTP_101 UPGRADE ACCEPT "\r\n", "\x81\x01x", 1, 101, "", ""},
        {HTTP_101 UPGRADE ACCEPT "\r\n", "HTTP/1.1 200 OK\r\n\r\n", 1, 101, "", ""},
        {HTTP_101 "upgrade: WEBSOCKET\r\nconnection: keep-alive, upgrade\r\n"
                  "Server: a\r\n" ACCEPT "Date: x\r\n\r\n",
         "\x81", 1, 101, "", ""},
        {"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" HTTP_101 UPGRADE ACCEPT "\r\n", "\x81", 1,
         101, "", ""},
        {HTTP_101 UPGRADE ACCEPT "Content-Length: 0\r\n\r\n", "\x81", 1, 101, "", ""},
        {HTTP_101 UPGRADE "\r\n", "", HAFT_ECLOSED, 101, "Sec-WebSocket-Accept is missing or wrong",
         ""},
        {HTTP_101 UPGRADE "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO=\r\n\r\n", "",
         HAFT_ECLOSED, 101, "Sec-WebSocket-Accept is missing or wrong", ""},
        {HTTP_101 UPGRADE ACCEPT "Sec-WebSocket-Accept: other\r\n\r\n", "", HAFT_ECLOSED, 101,
         "Sec-WebSocket-Accept is missing or wrong", ""},
        {HTTP_101 "Connection: Upgrade\r\n" ACCEPT "\r\n", "", HAFT_ECLOSED, 101,
         "the answer lacks Upgrade: websocket", ""},
        {HTTP_101 "Upgrade: h2c\r\nConnection: Upgrade\r\n" ACCEPT "\r\n", "", HAFT_ECLOSED, 101,
         "the answer lacks Upgrade: websocket", ""},
        {HTTP_101 "Upgrade: websocket\r\n" ACCEPT "\r\n", "", HAFT_ECLOSED, 101,
         "the answer lacks Connection: Upgrade", ""},
        {HTTP_101 UPGRADE ACCEPT "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", "",
         HAFT_ECLOSED, 101, "the server uses an extension that was not offered", ""},
        {HTTP_101 UPGRADE ACCEPT "Sec-WebSocket-Protocol: chat\r\n\r\n", "", HAFT_ECLOSED, 101,
         "the server uses a subprotocol that was not offered", ""},
        {HTTP_101 UPGRADE ACCEPT "Content-Length: 5\r\n\r\nhello", "", HAFT_ECLOSED, 101,
         "the answer 101 has a body", ""},
        {HTTP_101 UPGRADE ACCEPT "Transfer-Encoding: chunked\r\n\r\n", "", HAFT_ECLOSED, 101,
         "the answer 101 has a body", ""},
        {"HTTP/1.0 101 Switching Protocols\r\n" UPGRADE ACCEPT "\r\n", "", HAFT_ECLOSED, 101,
         "the answer is not HTTP/1.1", ""},
        {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 17\r\n\r\nThe token is bad.", "",
         HAFT_ECLOSED, 401, "the server did not switch to WebSocket", "The token is bad."},
        {"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nNot\r\n4\r\n her\r\n0\r\n\r\n",
         "", HAFT_ECLOSED, 404, "the server did not switch to WebSocket", "Not her"},
        {"HTTP/1.1 200 OK\r\n" UPGRADE ACCEPT "Content-Length: 0\r\n\r\n", "", HAFT_ECLOSED, 200,
         "the server did not switch to WebSocket", ""},
        {"HTTP/1.1 502 Bad Gateway\r\n\r\nno len", "", 0, 502,
         "the server did not switch to WebSocket", "no len"},
        {"HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\ncut", "", 0, 404,
         "the server did not switch to WebSocket", "cut"},
        {"SSH-2.0-OpenSSH\r\n", "", HAFT_ECLOSED, 0, "the answer is not valid HTTP", ""},
        {"HTTP/1.1 101 Switching Protocols\r\nUpgrade websocket\r\n\r\n", "", HAFT_ECLOSED, 0,
         "the answer is not valid HTTP", ""},
        {HTTP_101 UPGRADE, "", 0, 0, "the connection was closed before the answer", ""},
        {"", "", 0, 0, "the connection was closed before the answer", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t head = strlen(rows[i].answer), size = head + strlen(rows[i].frames);
        char *all = malloc(size + 1);

        snprintf(all, size + 1, "%s%s", rows[i].answer, rows[i].frames);
        for (size_t cut = 0; cut <= size; cut++) {
            struct websocket_handshake handshake;
            size_t used = 0;
            haft_buffer out;
            int result;

            haft_buffer_init(&out, NULL, 1000);
            assert_int_equal(begin(&handshake, NULL, 0, &out, NULL), 0);
            haft_buffer_finish(&out);
            result = hf_websocket_handshake_receive(&handshake, all, cut, &used);
            if (!result && cut < size) {
                result = hf_websocket_handshake_receive(&handshake, all + cut, size - cut, &used);
                used += result == 1 ? cut : 0;
            }
            assert_int_equal(result, rows[i].result);
            assert_int_equal(handshake.status, rows[i].status);
            if (result == 1)
                assert_int_equal(used, head);
            if (!result)
                hf_websocket_handshake_end(&handshake);
            assert_string_equal(handshake.why ? handshake.why : "", rows[i].why);
            /* Of an answer that is cut, what had come. */
            if (handshake.why)
                assert_string_equal(handshake.excerpt, rows[i].excerpt);
            if (handshake.why)
                assert_int_equal(hf_websocket_handshake_receive(&handshake, "x", 1, &used),
                                 HAFT_ECLOSED);
        }
        free(all);
    }
}

/* However much comes, it is not kept, and not read for ever. */
static void client_bounds_answers(void **state)
{
    static const struct {
        const char *begin, *more;
        const char *why;
        size_t least, most; /* bytes that are taken */
    } rows[] = {
        {HTTP_101, "X: abcdefghijk\r\n", "the headers of the answer exceed the limit", 65536,
         66000},
        {HTTP_101 "X: ", "abcdefghijklmnop", "the headers of the answer exceed the limit", 65536,
         66000},
        {"", "HTTP/1.1 100 Continue\r\n\r\n", "the headers of the answer exceed the limit", 65536,
         66000},
        {"HTTP/1.1 500 Oh\r\n\r\n", "abcdefghijklmno", "the server did not switch to WebSocket",
         1024, 1100},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct websocket_handshake handshake;
        size_t used, sent = strlen(rows[i].begin);
        haft_buffer out;

        haft_buffer_init(&out, NULL, 1000);
        assert_int_equal(begin(&handshake, NULL, 0, &out, NULL), 0);
        haft_buffer_finish(&out);
        assert_int_equal(hf_websocket_handshake_receive(&handshake, rows[i].begin, sent, &used), 0);
        while (!hf_websocket_handshake_receive(&handshake, rows[i].more, strlen(rows[i].more),
                                               &used) &&
               sent < 100000)
            sent += strlen(rows[i].more);
        assert_string_equal(handshake.why, rows[i].why);
        assert_in_range(sent, rows[i].least - 32, rows[i].most);
        assert_int_equal(strlen(handshake.excerpt), handshake.excerpt_size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(server_judges_requests),  cmocka_unit_test(client_writes_its_request),
        cmocka_unit_test(client_refuses_requests), cmocka_unit_test(client_needs_room),
        cmocka_unit_test(client_judges_answers),   cmocka_unit_test(client_bounds_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
