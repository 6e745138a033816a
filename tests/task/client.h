/* client.h - a client of tasks for the tests of this folder: requests with ' for ", and parts of the
 * answers. */
#ifndef HAFT_TESTS_TASK_CLIENT_H
#define HAFT_TESTS_TASK_CLIENT_H

#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

enum { CLIENT_TEXT = 64 << 10, CLIENT_ID = 41 };

struct client {
    struct wire *wire;
    haft_server *server;
    const char *capabilities; /* JSON with ' for " */
    bool legacy;
    int next;
    int status; /* of the latest request */
    char answer[CLIENT_TEXT];
    char notified[CLIENT_TEXT]; /* latest notification about an experimental task */
    char id[CLIENT_ID];         /* of the latest task */
};

#define CAN_TASKS "{'elicitation':{},'extensions':{'io.modelcontextprotocol/tasks':{}}}"

static inline void client_quote(char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            *text = '"';
}

static inline void client_open_with(struct client *client, haft_server *server,
                                    haft_session_options options)
{
    *client = (struct client){.server = server, .capabilities = CAN_TASKS};
    client->wire = wire_open_with(server, options);
    client->wire->now = 1000000;
}

static inline void client_open(struct client *client, haft_server *server)
{
    client_open_with(client, server,
                     (haft_session_options){.struct_size = sizeof(haft_session_options)});
}

/* The next message, which is kept in `answer`; "" if there is none. */
static inline const char *client_next(struct client *client)
{
    const char *text = wire_next(client->wire);

    while (text && strstr(text, "notifications/tasks/status")) {
        snprintf(client->notified, sizeof client->notified, "%s", text);
        text = wire_next(client->wire);
    }
    snprintf(client->answer, sizeof client->answer, "%s", text ? text : "");
    return client->answer;
}

/* Sends a request with these members of the parameters, and returns the answer. */
static inline const char *client_ask(struct client *client, const char *method, const char *members)
{
    static char text[CLIENT_TEXT];

    snprintf(text, sizeof text,
             client->legacy ? "{'jsonrpc':'2.0','id':%d,'method':'%s','params':{%s%s%s}}"
                            : "{'jsonrpc':'2.0','id':%d,'method':'%s','params':{%s%s'_meta':{"
                              "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                              "'io.modelcontextprotocol/clientInfo':{'name':'c','version':'1'},"
                              "'io.modelcontextprotocol/clientCapabilities':%s}}}",
             ++client->next, method, members, *members && !client->legacy ? "," : "",
             client->legacy ? "" : client->capabilities);
    client_quote(text);
    client->status = wire_send(client->wire, text);
    return client_next(client);
}

/* The same about the latest task. */
static inline const char *client_task(struct client *client, const char *method, const char *more)
{
    char members[4096];

    snprintf(members, sizeof members, "'taskId':'%s'%s", client->id, more);
    return client_ask(client, method, members);
}

/* Begins a session of an earlier revision. */
static inline void client_initialize(struct client *client, const char *revision)
{
    char text[512];

    client->legacy = true;
    snprintf(text, sizeof text,
             "'protocolVersion':'%s','clientInfo':{'name':'c','version':'1'},"
             "'capabilities':{'elicitation':{}}",
             revision);
    client_ask(client, "initialize", text);
}

static inline void client_expect(struct client *client, const char *part)
{
    char text[1024];

    snprintf(text, sizeof text, "%s", part);
    client_quote(text);
    if (!strstr(client->answer, text))
        fail_msg("%s is not in %s", text, client->answer);
}

static inline void client_expect_not(struct client *client, const char *part)
{
    char text[1024];

    snprintf(text, sizeof text, "%s", part);
    client_quote(text);
    if (strstr(client->answer, text))
        fail_msg("%s is in %s", text, client->answer);
}

static inline void client_keep_id(struct client *client)
{
    const char *at = strstr(client->answer, "\"taskId\":\"");

    if (!at)
        fail_msg("there is no task in %s", client->answer);
    snprintf(client->id, sizeof client->id, "%.40s", at + 10);
}

/* Calls a tool, which must become a task. */
static inline void client_create(struct client *client, const char *tool, const char *arguments)
{
    char members[4096];

    snprintf(members, sizeof members, "'name':'%s','arguments':%s%s", tool, arguments,
             client->legacy ? ",'task':{'ttl':60000}" : "");
    client_ask(client, "tools/call", members);
    client_keep_id(client);
}

static inline void client_run(struct client *client, haft_time passed)
{
    client->wire->now += passed;
    haft_server_run_tasks(client->server, client->wire->now);
    haft_session_tick(client->wire->session, client->wire->now);
}

static inline void client_close(struct client *client)
{
    wire_close(client->wire);
}

#endif
