/* command.c - the command line that every server has, for a gateway. */
#include <string.h>

#include "gateway/command.h"
#include "cli/command.h"

/* What is served, as the runtime has it. */
struct hosting {
    struct app app; /* first */
    haft_gateway *gateway;
    const struct gateway_program *program;
    haft_http_mount mount;
    haft_app http_app;
};

static haft_server *endpoint(void *context, size_t i, const char **ret_path)
{
    struct hosting *hosting = context;

    return haft_gateway_endpoint(hosting->gateway, i, ret_path);
}

/* The first endpoint is where the operator wants it, unless something else is there. */
static int move_first(haft_gateway *gateway, const char *path, haft_reason *reterr_reason)
{
    struct mcp *first = gateway->endpoints;

    for (const struct mcp *other = first->next; other; other = other->next)
        if (!strcmp(other->path, path))
            return hf_error_set(reterr_reason, HAFT_EEXISTS, path, "there is an endpoint already");
    for (const struct route *route = gateway->routes; route; route = route->next)
        if (!strcmp(route->path, path))
            return hf_error_set(reterr_reason, HAFT_EEXISTS, path, "the route %s is there",
                                route->id);
    first->path = path;
    return 0;
}

static int command_mount(void *context, const char *path, haft_http_options *http,
                         haft_reason *reterr_reason)
{
    struct hosting *hosting = context;
    int status = path ? move_first(hosting->gateway, path, reterr_reason) : 0;

    return status ? status
                  : hf_gateway_mount(hosting->gateway, http, &hosting->mount, &hosting->http_app,
                                     reterr_reason);
}

static void release(void *context)
{
    struct hosting *hosting = context;

    haft_gateway_free(hosting->gateway);
}

static int operand(void *context, const char *word)
{
    struct hosting *hosting = context;

    return hosting->program->operand(hosting->program->context, word);
}

int hf_gateway_command(haft_gateway *gateway, const struct gateway_program *program, int argc,
                       char **argv)
{
    struct hosting hosting = {.app = {.endpoint = endpoint,
                                      .mount = command_mount,
                                      .operand = program->operand ? operand : NULL,
                                      .release = release,
                                      .context = &hosting,
                                      .address = program->address,
                                      .unable = program->unable},
                              .gateway = gateway,
                              .program = program};

    return hf_command_main(gateway ? gateway->server : NULL, &hosting.app, argc, argv);
}

int haft_gateway_main(haft_gateway *gateway, int argc, char **argv)
{
    static const struct gateway_program none;

    return hf_gateway_command(gateway, &none, argc, argv);
}
