/* site.c - the server that is put under fault: a tool for every way that a call can take. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <haft.h>
#include <haft/gateway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/late_store.h"
#include "fault/peer.h"

HAFT_STRUCT(echo_args, HAFT_STRING(text, "What to say"));
HAFT_STRUCT(shape_args, HAFT_STRING(name, "A name", .min = 1),
            HAFT_OPTIONAL(HAFT_INTEGER(n, "How many", .max = 50)));
HAFT_STRUCT(shape_out, HAFT_ARRAY(names, HAFT_STRING(name, "A name"), "Names"));
HAFT_STRUCT(word_form, HAFT_STRING(word, "A word"));
HAFT_STRUCT(big_args, HAFT_INTEGER(size, "Bytes", .min = 0, .max = 1000000));

/* What the handlers share. */
struct world {
    haft_server *server;
    haft_plugins *plugins; /* NULL: none */
};

static void rest(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static int echo(haft_call *call, const echo_args *in)
{
    return haft_text(call, "%s", in->text);
}
HAFT_TOOL_IN(echo, echo_args, "Says it back", .quick = true);

static int shape(haft_call *call, const shape_args *in, shape_out *out)
{
    const char **names = haft_call_alloc(call, sizeof *names);

    if (!names)
        return HAFT_ENOMEM;
    names[0] = in->name;
    out->n_names = 1;
    out->names = names;
    return 0;
}
HAFT_TOOL(shape, shape_args, shape_out, "Shapes a result");

static int steps(haft_call *call)
{
    for (int i = 1; i <= 3; i++) {
        haft_progress(call, i, 3, "step %d", i);
        haft_message(call, HAFT_WARNING, "steps", "step %d", i);
        rest(1);
    }
    return haft_text(call, "3 steps");
}
HAFT_TOOL_BARE(steps, "Reports while it runs");

static int blocks(haft_call *call)
{
    int status = haft_text(call, "first");

    status = status ? status : haft_image(call, "image/png", "abc", 3);
    status = status ? status : haft_embed(call, &(haft_contents){.uri = "a:b", .text = "t"});
    return status ? status : haft_resource_link(call, &(haft_link){.uri = "a:b", .name = "last"});
}
HAFT_TOOL_BARE(blocks, "Returns blocks");

static int big(haft_call *call, const big_args *in)
{
    char *text = haft_call_alloc(call, (size_t)in->size + 1);

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', (size_t)in->size);
    text[in->size] = '\0';
    return haft_text(call, "%s!", text);
}
HAFT_TOOL_IN(big, big_args, "Says much");

static int ask(haft_call *call)
{
    word_form form;
    int status = haft_elicit(call, "word", "Which word?", &word_form_type, &form);

    if (status == HAFT_ACCEPTED)
        return haft_text(call, "the word is %s", form.word);
    return status < 0 || status == HAFT_AGAIN ? status : haft_error(call, "no word");
}
HAFT_TOOL_BARE(ask, "Asks for a word");

/* The client comes back for the answer. */
static int away(haft_call *call)
{
    haft_call_close_stream(call);
    rest(5);
    return haft_text(call, "worth coming back");
}
HAFT_TOOL_BARE(away, "Closes its stream");

static int wait_long(haft_call *call)
{
    for (int i = 0; i < 1000 && !haft_call_cancelled(call); i++)
        rest(1);
    return haft_text(call, "waited");
}
HAFT_TOOL_BARE(wait_long, "Waits to be cancelled");

static int change(haft_call *call)
{
    const struct world *world = haft_server_data(call);
    haft_server *server = world->server;
    int status = haft_offer_disable(server, HAFT_OFFER_TOOL, "away");

    status = status ? status : haft_offer_enable(server, HAFT_OFFER_TOOL, "away");
    haft_resource_updated(server, "a:b");
    return status ? status : haft_text(call, "changed");
}
HAFT_TOOL_BARE(change, "Changes what is offered");

/* ---- plugins and the sandbox ---- */

static int exchange(haft_call *call)
{
    const struct world *world = haft_server_data(call);
    haft_reason reason = {.text = ""};

    return haft_plugins_load(world->plugins, "word.so", &reason)
               ? haft_error(call, "%s", reason.text)
               : haft_text(call, "exchanged");
}
HAFT_TOOL_BARE(exchange, "Loads the plugin again");

/* What nobody in a sandbox may. */
static int peek(haft_call *call)
{
    int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return haft_text(call, "may not: %s", strerror(errno));
    close(fd);
    return haft_text(call, "opened it");
}
HAFT_TOOL_BARE(peek, "Opens a file");

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "the contents"});
}

static int complete_it(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    return haft_completion_add(call, *value ? value : "nothing");
}

static int prompt_it(haft_call *call, const void *arguments)
{
    return haft_text(call, "about %s", ((const word_form *)arguments)->word);
}

/* ---- in processes of their own ---- */

static int apart(haft_call *call, const echo_args *in)
{
    haft_progress(call, 1, 2, "half");
    return haft_text(call, "%s from afar", in->text);
}
HAFT_TOOL_IN(apart, echo_args, "Says it back from another process", .isolate = true);

static int crash(haft_call *call)
{
    (void)call;
    _exit(3);
}
HAFT_TOOL_BARE(crash, "Does not come back", .isolate = true);

/* ---- routes ---- */

HAFT_STRUCT(item_args, HAFT_STRING(id, "Which", .max = 64));
HAFT_STRUCT(item_out, HAFT_STRING(id, "Which"));

static int get_item(haft_call *call, const item_args *in, item_out *out)
{
    out->id = in->id;
    return haft_response_set_header(call, "X-Item", "1");
}
HAFT_ROUTE(get_item, "GET", "/items/{id}", item_args, item_out, "Gets an item", .quick = true);

static int locked(haft_call *call)
{
    return haft_text(call, "for %s", haft_call_principal(call));
}
HAFT_ROUTE_BARE(locked, "GET", "/locked", "Is for who has a password", .policies = "people");

static int invoke(haft_call *call, const echo_args *in)
{
    haft_response response;
    int status = haft_invoke(call, "GET",
                             haft_call_printf(call, "/items/%s", haft_url_encode(call, in->text)),
                             NULL, &response);

    if (status)
        return status;
    return haft_response_ok(&response) ? haft_text(call, "invoked %s", in->text)
                                       : haft_error(call, "no such item");
}
HAFT_TOOL_IN(invoke, echo_args, "Asks a route");

static int offer(haft_server *server)
{
    static const haft_tool *const tools[] = {
        &echo_tool, &shape_tool, &steps_tool,     &blocks_tool, &big_tool,
        &ask_tool,  &away_tool,  &wait_long_tool, &change_tool, &peek_tool};
    static const haft_resource one =
        HAFT_INIT(haft_resource, .uri = "a:b", .name = "r", .read = read_it);
    static const haft_resource many = HAFT_INIT(haft_resource, .uri = "a:x/{id}", .name = "t",
                                                .read = read_it, .complete = complete_it);
    static const haft_prompt prompt =
        HAFT_INIT(haft_prompt, .name = "p", .arguments = &word_form_type, .get = prompt_it);
    int status = 0;

    for (size_t i = 0; !status && i < sizeof tools / sizeof *tools; i++)
        status = haft_add(server, tools[i]);
    status = status ? status : haft_resource_add(server, &one);
    status = status ? status : haft_template_add(server, &many);
    return status ? status : haft_prompt_add(server, &prompt);
}

static void say_ready(void *context, const char *url)
{
    (void)context;
    fprintf(stderr, "fault: listening on %s\n", url);
}

static int fail(const char *why, haft_server *server, haft_gateway *gateway)
{
    fprintf(stderr, "fault: %s\n", why);
    haft_server_free(server);
    haft_gateway_free(gateway);
    return 1;
}

static int run_gateway(char **argv)
{
    static const haft_tool *const tools[] = {&echo_tool, &invoke_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);
    haft_http_options options =
        HAFT_INIT(haft_http_options, .address = argv[2], .ready = say_ready);
    haft_reason reason = {.text = ""};
    int status;

    if (!gateway || haft_route_add(gateway, &get_item_route) ||
        haft_policy_make_for(gateway, HAFT_EDGE, "limit", "rate-limit", "{\"calls\": 600}") ||
        haft_policy_make(gateway, "people", "basic-auth",
                         "{\"file\": \"tests/fault/people\", \"remember\": 0}") ||
        haft_route_add(gateway, &locked_route) ||
        !haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .name = "fault", .version = "1",
                                         .tools = tools, .routes = "get_*", .policies = "limit")))
        return fail("the gateway could not be made", NULL, gateway);
    status = haft_gateway_serve(gateway, &options, &reason);
    if (status)
        return fail(reason.text, NULL, gateway);
    haft_gateway_free(gateway);
    return 0;
}

/* With everything from the settings. */
static int run_configured(int argc, char **argv)
{
    static const haft_tool *const tools[] = {&echo_tool, NULL};
    static const haft_mcp_options endpoint =
        HAFT_INIT(haft_mcp_options, .name = "fault", .tools = tools, .routes = "get_*");
    haft_gateway *gateway = haft_gateway_new(NULL);

    if (!gateway || haft_route_add(gateway, &get_item_route) ||
        haft_gateway_configure(gateway, &endpoint))
        return fail("the gateway could not be made", NULL, gateway);
    return haft_gateway_main(gateway, argc, argv);
}

/* With what the settings name loaded before it begins. */
static int run_plugins(struct world *world, int argc, char **argv)
{
    int status = haft_add(world->server, &exchange_tool);

    world->plugins = status ? NULL : haft_plugins_new(world->server);
    if (!world->plugins)
        return fail("there can be no plugins", world->server, NULL);
    if (haft_section_add(world->server, haft_plugins_section(world->plugins)))
        status = fail("plugins cannot be configured", world->server, NULL);
    else
        status = haft_main(world->server, argc, argv);
    haft_plugins_free(world->plugins);
    return status;
}

/* What outlives a call is kept in a store that answers from another thread. */
static int run_with_store(int argc, char **argv)
{
    haft_store *memory = haft_store_memory_new(NULL);
    struct late_store *late = memory ? late_store_new(memory, LATE_DELAYED, 2) : NULL;
    haft_server *server =
        late ? haft_server_new_with("fault", "1",
                                    HAFT_WITH(haft_server_options, .store = late_store_of(late),
                                              .client_rate = {1000, 60000}))
             : NULL;
    int status = 1;

    if (!server || offer(server))
        fail("the server could not be made", server, NULL);
    else
        status = haft_main(server, argc, argv);
    late_store_free(late);
    haft_store_free(memory);
    return status;
}

int site_run(int argc, char **argv, const haft_allocator *allocator)
{
    struct world world = {0};
    haft_server *server;
    int status;

    if (!strcmp(argv[0], "gateway"))
        return run_gateway(argv);
    if (!strcmp(argv[0], "configured"))
        return run_configured(argc, argv);
    if (!strcmp(argv[0], "store"))
        return run_with_store(argc, argv);
    server = haft_server_new_with("fault", "1",
                                  HAFT_WITH(haft_server_options, .resource_subscriptions = true,
                                            .data = &world, .allocator = allocator));
    world.server = server;
    if (!server)
        return haft_main(NULL, argc, argv);
    status = offer(server);
    if (!status && !strcmp(argv[0], "isolated"))
        status = haft_add(server, &apart_tool);
    if (!status && !strcmp(argv[0], "isolated"))
        status = haft_add(server, &crash_tool);
    if (status)
        return fail(haft_strerror(status), server, NULL);
    return !strcmp(argv[0], "plugins") ? run_plugins(&world, argc, argv)
                                       : haft_main(server, argc, argv);
}
