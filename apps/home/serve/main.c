/* main.c - the command `haft home`: tools for a Home Assistant over MCP, or the demo home as a Home
 * Assistant. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "engine/offer/server.h"
#include "serve/demo_server.h"
#include "serve/serve.h"
#include "serve/settings.h"

static const char home_instructions[] =
    "Tools for the devices of a home. Entities have ids such as light.kitchen; list_devices and "
    "search_entities find them, also by area. A tool that changes something returns the state afterwards.";

/* The server and its parts. */
struct home_program {
    home_settings settings;
    struct home_options options;
    haft_server *server;
    struct home_client client;
    struct demo *demo; /* that is served itself; NULL: MCP is served */
    haft_app app;
    haft_http_mount mount;
    int unable; /* exit status when it cannot serve */
};

static int home_refuse(struct home_program *program, const char *name, const haft_reason *reason)
{
    fprintf(stderr, "%s: %s%s%s\n", name, reason->path, *reason->path ? ": " : "", reason->text);
    haft_server_free(program->server);
    return reason->code == HAFT_EINVAL ? COMMAND_MISUSED : COMMAND_FAILED;
}

static haft_server *home_endpoint(void *context, size_t i, const char **ret_path)
{
    struct home_program *program = context;

    *ret_path = "";
    return i ? NULL : program->server;
}

/* The page of the demo home, with the token that everyone knows; a token of the user's is a secret. */
static haft_server *home_demo_endpoint(void *context, size_t i, const char **ret_path)
{
    const struct home_program *program = context;

    *ret_path = program->settings.token ? "/" : "/#token=demo";
    return i ? NULL : program->server;
}

/* The client tells of changes from its own thread, so it must stop before the server is freed. */
static void home_release(void *context)
{
    struct home_program *program = context;

    if (program->client.hass)
        hass_watch(program->client.hass, NULL, NULL);
    haft_server_free(program->server);
    program->server = NULL;
}

/* ---- MCP ---- */

static int home_mount(void *context, const char *path, haft_http_options *http,
                      haft_reason *reterr_reason)
{
    (void)context;
    (void)path;
    (void)http;
    (void)reterr_reason;
    return 0;
}

static int home_serve(struct home_program *program, int argc, char **argv)
{
    const struct app app = {.endpoint = home_endpoint,
                            .mount = home_mount,
                            .release = home_release,
                            .context = program,
                            .unable = program->unable};
    haft_reason reason = {0};
    int status = home_client_make(&program->client, &program->options, &reason);

    if (status)
        return home_refuse(program, argv[0], &reason);
    program->server->options.data = home_hass_data(program->client.hass);
    status = home_add(program->server, &program->options);
    if (!status)
        home_watch(program->client.hass, program->server);
    status = status ? home_refuse(program, argv[0], haft_server_error(program->server))
                    : hf_command_main(program->server, &app, argc, argv);
    home_client_finish(&program->client);
    return status;
}

/* ---- the demo home as a Home Assistant ---- */

/* Whether only this machine can reach the address. */
static bool home_is_local(const char *address)
{
    static const char *const hosts[] = {"127.", "localhost:", "[::1]:", "unix:", ":"};

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (!strncmp(address, hosts[i], strlen(hosts[i])))
            return true;
    return !strchr(address, ':'); /* a port */
}

static int home_mount_demo(void *context, const char *path, haft_http_options *http,
                           haft_reason *reterr_reason)
{
    struct home_program *program = context;

    (void)path;
    if (strcmp(http->address, program->settings.listen) != 0)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--http",
                            "cannot be combined with --listen");
    if (!program->settings.token && !http->insecure && !home_is_local(http->address))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--listen",
                            "refusing to listen on %.200s with the token demo, which everyone "
                            "knows; set HASS_TOKEN, or pass --insecure",
                            http->address);
    program->app = demo_server_app(program->demo);
    program->mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = &program->app);
    http->path = "";
    http->mounts = &program->mount;
    http->n_mounts = 1;
    return 0;
}

static int home_serve_demo(struct home_program *program, int argc, char **argv)
{
    const struct app app = {.endpoint = home_demo_endpoint,
                            .mount = home_mount_demo,
                            .release = home_release,
                            .context = program,
                            .unable = program->unable,
                            .address = program->settings.listen};
    haft_reason reason = {0};
    int status;

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--stdio") || !strcmp(argv[i], "--http") ||
            !strncmp(argv[i], "--http=", 7)) {
            hf_error_set(&reason, HAFT_EINVAL, argv[i][2] == 's' ? "--stdio" : "--http",
                         "cannot be combined with --listen");
            return home_refuse(program, argv[0], &reason);
        }
    program->demo =
        demo_new(&(struct demo_options){.seed = HOME_DEMO_SEED, .token = program->settings.token});
    if (!program->demo) {
        hf_error_set(&reason, HAFT_ENOMEM, "", "out of memory");
        return home_refuse(program, argv[0], &reason);
    }
    status = hf_command_main(program->server, &app, argc, argv);
    demo_free(program->demo);
    return status;
}

int home_main(int argc, char **argv, int unable)
{
    struct home_program program = {.settings = {.speech = true}, .unable = unable};
    haft_reason reason = {0};
    int status;

    program.server = haft_server_new_with("home", HAFT_VERSION,
                                          HAFT_WITH(haft_server_options, .title = "Home",
                                                    .instructions = home_instructions,
                                                    .resource_subscriptions = true));
    if (!program.server)
        return haft_main(NULL, argc, argv);
    haft_options_add(program.server, &home_settings_table, &program.settings);
    status = haft_options_read(program.server, argc, argv);
    if (status) /* the help, or what is wrong */
        return haft_main(program.server, argc, argv);
    if (home_settings_check(&program.settings, &program.options, &reason))
        return home_refuse(&program, argv[0], &reason);
    return program.settings.listen ? home_serve_demo(&program, argc, argv)
                                   : home_serve(&program, argc, argv);
}
