/* command.c - the standard command line of servers, for a gateway. */
#include <string.h>

#include "gateway/command.h"
#include "gateway/configure.h"
#include "gateway/policies.h"
#include "gateway/upstreams.h"
#include "cli/command.h"

/* The app that the command line serves. */
struct gateway_app {
    struct app app; /* must be first */
    haft_gateway *gateway;
    const struct gateway_program *program;
    haft_http_mount mount;
    haft_app http_app;
};

static haft_server *endpoint(void *context, size_t i, const char **ret_path)
{
    struct gateway_app *gateway_app = context;

    return haft_gateway_endpoint(gateway_app->gateway, i, ret_path);
}

/* Moves the first endpoint to the path of the command line, unless that is taken. */
static int move_first(haft_gateway *gateway, const char *path, haft_reason *reterr_reason)
{
    const struct served *first = gateway->now->endpoints;

    for (const struct served *other = first->next; other; other = other->next)
        if (!strcmp(other->mcp->path, path))
            return hf_error_set(reterr_reason, HAFT_EEXISTS, path,
                                "an endpoint with this path exists already");
    for (const struct route *route = gateway->now->routes; route; route = route->next)
        if (!strcmp(route->path, path))
            return hf_error_set(reterr_reason, HAFT_EEXISTS, path, "route %s already has this path",
                                route->id);
    first->mcp->path = gateway->first_path = path;
    return 0;
}

static int command_mount(void *context, const char *path, haft_http_options *http,
                         haft_reason *reterr_reason)
{
    struct gateway_app *gateway_app = context;
    int status = path ? move_first(gateway_app->gateway, path, reterr_reason) : 0;

    return status ? status
                  : hf_gateway_mount(gateway_app->gateway, http, &gateway_app->mount,
                                     &gateway_app->http_app, reterr_reason);
}

/* The existing servers have been configured already. */
static void command_follow(void *context,
                           int (*adopt)(void *adopter, haft_server *server, const char *path,
                                        haft_reason *reterr_reason),
                           void *adopter)
{
    const struct gateway_app *gateway_app = context;
    struct configuration *configuration = gateway_app->gateway->configuration;

    if (!configuration)
        return;
    configuration->adopt = adopt;
    configuration->adopt_context = adopter;
    for (struct mcp *mcp = gateway_app->gateway->servers; mcp; mcp = mcp->next)
        mcp->adopted = true;
}

static void command_reread(void *context)
{
    const struct gateway_app *gateway_app = context;

    hf_policies_reload(gateway_app->gateway);
}

static int command_start(void *context, bool confined, haft_reason *reterr_reason)
{
    const struct gateway_app *gateway_app = context;

    return hf_upstreams_begin(gateway_app->gateway, confined, reterr_reason);
}

static void release(void *context)
{
    struct gateway_app *gateway_app = context;

    haft_gateway_free(gateway_app->gateway);
}

static int operand(void *context, const char *word)
{
    struct gateway_app *gateway_app = context;

    return gateway_app->program->operand(gateway_app->program->context, word);
}

int hf_gateway_command(haft_gateway *gateway, const struct gateway_program *program, int argc,
                       char **argv)
{
    struct gateway_app gateway_app = {.app = {.endpoint = endpoint,
                                              .mount = command_mount,
                                              .operand = program->operand ? operand : NULL,
                                              .follow = command_follow,
                                              .reread = command_reread,
                                              .start = command_start,
                                              .release = release,
                                              .context = &gateway_app,
                                              .address = program->address,
                                              .unable = program->unable},
                                      .gateway = gateway,
                                      .program = program};

    if (gateway && gateway->configuration)
        gateway->configuration->upstreams_wait = true;
    return hf_command_main(gateway ? gateway->server : NULL, &gateway_app.app, argc, argv);
}

int haft_gateway_main(haft_gateway *gateway, int argc, char **argv)
{
    static const struct gateway_program none;

    return hf_gateway_command(gateway, &none, argc, argv);
}
