/* asking.h - the endpoint without sockets: a request is a row, and so is all that comes back.
 *
 * In texts ' stands for ", $S for the id of the latest session, and in what is expected * for
 * anything. */
#ifndef HAFT_TESTS_ASKING_H
#define HAFT_TESTS_ASKING_H

#include <haft.h>
#include <haft/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/headers.h"
#include "support/test.h"

enum { ROOM = 1 << 16, START = 1000000, MINUTE = 60000 };

/* ---- a server ---- */

HAFT_STRUCT(say_args, HAFT_STRING(text, "What to say"));

static int say(haft_call *call, const say_args *in)
{
    return haft_text(call, "%s", in->text);
}
HAFT_TOOL_IN(say, say_args, "Says it back", .quick = true);

static int count(haft_call *call)
{
    haft_progress(call, 1, 2, "one");
    haft_progress(call, 2, 2, "two");
    return haft_text(call, "counted");
}
HAFT_TOOL_BARE(count, "Reports progress");

/* Calls that the test ends itself. */
static haft_call *held;

static int hold(haft_call *call)
{
    held = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Is ended by the test");

static haft_server *make_server(const haft_allocator *allocator)
{
    static const haft_tool *const tools[] = {&say_tool, &count_tool, &hold_tool};
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .allocator = allocator, .max_message = 4096));

    for (size_t i = 0; server && i < COUNT_OF(tools); i++)
        if (haft_add(server, tools[i])) {
            haft_server_free(server);
            return NULL;
        }
    return server;
}

/* Not random, but different each time. */
static int next_random(void *context, void *bytes, size_t size)
{
    unsigned *n = context;

    memset(bytes, 0, size);
    ((unsigned char *)bytes)[size - 1] = (unsigned char)(*n)++;
    return 0;
}

/* ---- a client ---- */

struct reply {
    int status;
    char headers[1024];
    char body[ROOM];
    size_t size;
    bool streams, over;
    haft_exchange *exchange;
};

struct bench {
    haft_server *server;
    haft_endpoint *endpoint;
    haft_time now;
    unsigned random;
    char session[64];
    const char *principal;
    struct reply reply; /* to the latest request */
};

HAFT_MAYBE_UNUSED_ static void on_respond(void *context, const haft_response *response)
{
    struct reply *reply = context;

    assert_false(reply->over || reply->streams);
    assert_true(response->size < ROOM);
    reply->status = response->status;
    headers_write(response->headers, response->n_headers, reply->headers, sizeof reply->headers);
    if (response->size)
        memcpy(reply->body, response->body, response->size);
    reply->body[reply->size = response->size] = '\0';
    reply->over = true;
}

HAFT_MAYBE_UNUSED_ static void on_stream(void *context, const haft_response *head)
{
    struct reply *reply = context;

    assert_false(reply->over || reply->streams);
    reply->status = head->status;
    headers_write(head->headers, head->n_headers, reply->headers, sizeof reply->headers);
    reply->streams = true;
}

HAFT_MAYBE_UNUSED_ static void on_write(void *context, const char *bytes, size_t size)
{
    struct reply *reply = context;

    assert_true(reply->streams && !reply->over && reply->size + size < ROOM);
    memcpy(reply->body + reply->size, bytes, size);
    reply->body[reply->size += size] = '\0';
}

HAFT_MAYBE_UNUSED_ static void on_end(void *context)
{
    struct reply *reply = context;

    assert_true(reply->streams && !reply->over);
    reply->over = true;
}

static const haft_responder responder = {on_respond, on_stream, on_write, on_end};

/* The text with what stands for something else put in. */
HAFT_MAYBE_UNUSED_ static char *expand(const struct bench *bench, const char *text)
{
    char *out = malloc(ROOM), *to = out;

    assert_non_null(out);
    for (; *text; text++) {
        assert_true(to - out < ROOM - 64);
        if (*text == '$' && text[1] == 'S') {
            to += snprintf(to, 64, "%s", bench->session);
            text++;
        } else {
            *to++ = *text == '\'' ? '"' : *text;
        }
    }
    *to = '\0';
    return out;
}

HAFT_MAYBE_UNUSED_ static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *back = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            back = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

HAFT_MAYBE_UNUSED_ static struct bench *bench_open(const haft_allocator *allocator,
                                                   haft_endpoint_options options)
{
    struct bench *bench = calloc(1, sizeof *bench);

    assert_non_null(bench);
    bench->now = START;
    bench->random = 1;
    bench->server = make_server(allocator);
    options.loop = HAFT_WITH(haft_loop, .random = next_random, .context = &bench->random);
    bench->endpoint = bench->server ? haft_endpoint_new(bench->server, &options) : NULL;
    return bench;
}

HAFT_MAYBE_UNUSED_ static void bench_close(struct bench *bench)
{
    haft_endpoint_free(bench->endpoint);
    haft_server_free(bench->server);
    free(bench);
}

HAFT_MAYBE_UNUSED_ static void note_session(struct bench *bench, const struct reply *reply)
{
    const char *id = strstr(reply->headers, "Mcp-Session-Id: ");

    if (id)
        snprintf(bench->session, sizeof bench->session, "%.*s", (int)strcspn(id + 16, "\r"),
                 id + 16);
}

HAFT_MAYBE_UNUSED_ static struct reply *ask_into(struct bench *bench, struct reply *reply,
                                                 const char *method, const char *path,
                                                 const char *headers, const char *body)
{
    char *lines = expand(bench, headers), *text = expand(bench, body),
         *target = expand(bench, path);
    char *query = strchr(target, '?');
    haft_request request = {.method = method,
                            .path = target,
                            .query = query ? query + 1 : "",
                            .body = text,
                            .body_size = strlen(text),
                            .principal = bench->principal};
    struct header_lines read;

    headers_read(&read, lines, &request.headers, &request.n_headers);
    if (query)
        *query = '\0';
    memset(reply, 0, sizeof *reply);
    reply->exchange =
        haft_endpoint_handle(bench->endpoint, &request, &responder, reply, bench->now);
    assert_true(reply->over == !reply->exchange);
    note_session(bench, reply);
    free(lines);
    free(text);
    free(target);
    return reply;
}

HAFT_MAYBE_UNUSED_ static struct reply *ask(struct bench *bench, const char *method,
                                            const char *path, const char *headers, const char *body)
{
    return ask_into(bench, &bench->reply, method, path, headers, body);
}

/* ---- rows ---- */

#define HOST "host: localhost:8808\n"
#define JSON HOST "content-type: application/json\n"
#define BOTH JSON "accept: application/json, text/event-stream\n"
#define LEGACY BOTH "mcp-protocol-version: 2025-11-25\n"
#define SESSION LEGACY "mcp-session-id: $S\n"
#define MODERN(method) BOTH "mcp-protocol-version: 2026-07-28\nmcp-method: " method "\n"
#define META                                                                                       \
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                             \
    "'io.modelcontextprotocol/clientCapabilities':{}}"
#define PING "{'jsonrpc':'2.0','id':1,'method':'ping'}"
#define PONG "{'jsonrpc':'2.0','id':1,'result':{}}"
#define HELLO                                                                                      \
    "{'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':'2025-11-25',"      \
    "'capabilities':{},'clientInfo':{'name':'c','version':'1'}}}"
#define CALL(id, name, rest)                                                                       \
    "{'jsonrpc':'2.0','id':" #id ",'method':'tools/call','params':{'name':'" name "'" rest "}}"
#define ERROR(code, text) "{'jsonrpc':'2.0','error':{'code':" #code ",'message':'" text "'}}"
#define TOKEN ",'_meta':{'progressToken':1}"

struct row {
    const char *method, *path, *headers, *body;
    int status; /* with STREAMS, and OPEN when it is not answered to its end */
    const char *answer, *answer_headers; /* NULL for headers that do not matter */
};

enum { STREAMS = 1000, OPEN = 2000 };

HAFT_MAYBE_UNUSED_ static void check(struct bench *bench, const struct row *row, size_t i)
{
    struct reply *reply = ask(bench, row->method, row->path, row->headers, row->body);
    char *body = expand(bench, row->answer ? row->answer : "");
    char *headers = expand(bench, row->answer_headers ? row->answer_headers : "*");

    int status = reply->status + (reply->streams ? STREAMS : 0) + (reply->over ? 0 : OPEN);

    if (status != row->status || !matches(body, reply->body) || !matches(headers, reply->headers))
        fail_msg("row %zu: %s %s: %d%s %s\n%s", i, row->method, row->path, reply->status,
                 reply->streams ? " streams" : "", reply->headers, reply->body);
    free(body);
    free(headers);
}

HAFT_MAYBE_UNUSED_ static void check_rows(struct bench *bench, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check(bench, &rows[i], i);
}

/* Ends the call that is held. */
HAFT_MAYBE_UNUSED_ static void let_go(const char *text)
{
    haft_text(held, "%s", text);
    haft_finish(held, 0);
    held = NULL;
}

HAFT_MAYBE_UNUSED_ static struct bench *bench_with_session(haft_endpoint_options options)
{
    struct bench *bench = bench_open(NULL, options);

    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    return bench;
}

#endif
