/* gateway/shaped.h - a gateway whose only endpoint shapes the results of the test's tools. */
#ifndef HAFT_TESTS_GATEWAY_SHAPED_H
#define HAFT_TESTS_GATEWAY_SHAPED_H

#include "configured.h"

#include "support/dialogue.h"

/* The server is called "test", version "1". */
static haft_gateway *shaped_gateway(const haft_allocator *allocator, const haft_tool *const *tools)
{
    static haft_server_options options;
    haft_gateway *gateway;

    options = (haft_server_options)HAFT_INIT(haft_server_options, .allocator = allocator);
    gateway =
        haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = &options, .one_thread = true));
    if (gateway &&
        haft_mcp_add(gateway,
                     HAFT_WITH(haft_mcp_options, .name = "test", .version = "1", .tools = tools)) &&
        !haft_gateway_configure(gateway, NULL))
        return gateway;
    haft_gateway_free(gateway);
    return NULL;
}

/* Reads a configuration with these entries of "shaping", where ' stands for ". */
static int shape(haft_gateway *gateway, const char *rules, haft_reason *ret_reason)
{
    char json[4096];

    snprintf(json, sizeof json, "{\"gateway\":{\"shaping\":[%s]}}", rules);
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return take(gateway, json, ret_reason);
}

HAFT_MAYBE_UNUSED_ static haft_server *shaped_server(haft_gateway *gateway)
{
    const char *path;
    haft_server *server = haft_gateway_endpoint(gateway, 0, &path);

    assert_non_null(server);
    return server;
}

/* With rules that are right. */
HAFT_MAYBE_UNUSED_ static haft_gateway *shaped(const haft_tool *const *tools, const char *rules)
{
    haft_gateway *gateway = shaped_gateway(NULL, tools);
    haft_reason reason;

    assert_non_null(gateway);
    if (shape(gateway, rules, &reason))
        fail_msg("%s: %s", reason.path, reason.text);
    return gateway;
}

#endif
