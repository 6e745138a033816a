/* gateway_driver.c - a gateway with handlers that misbehave, wait and tell what became of them, for
 * tests over HTTP.
 *
 * /wait runs until nobody waits for it, /fan and the tool `fan` call it three times at once,
 * /counts says how many have begun and how many were cancelled.  /hasty has little time.  The
 * tools, resources and prompts are those that a client can be fooled with. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct world {
    atomic_int begun, cancelled;
};

static void sleep_ms(long milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    nanosleep(&t, NULL);
}

/* ---- routes ---- */

static int wait_long(haft_call *call)
{
    struct world *world = haft_server_data(call);

    atomic_fetch_add(&world->begun, 1);
    while (!haft_call_cancelled(call))
        sleep_ms(2);
    atomic_fetch_add(&world->cancelled, 1);
    return haft_text(call, "Never heard");
}
HAFT_ROUTE_BARE(wait_long, "GET", "/wait", "Runs until nobody waits", .timeout_ms = 60000);

static int hasty(haft_call *call)
{
    return wait_long(call);
}
HAFT_ROUTE_BARE(hasty, "GET", "/hasty", "Has little time", .timeout_ms = 100);

static int fan_out(haft_call *call)
{
    haft_invocation all[] = {{.method = "GET", .target = "/wait"},
                             {.method = "GET", .target = "/wait"},
                             {.method = "GET", .target = "/wait"}};
    int status = haft_invoke_all(call, all, 3);

    return status ? status
                  : haft_text(call, "%d %d %d", all[0].response.status, all[1].response.status,
                              all[2].response.status);
}
HAFT_ROUTE_BARE(fan_out, "GET", "/fan", "Waits for three at once", .timeout_ms = 60000);
HAFT_TOOL_BARE(fan_out, "Waits for three at once", .name = "fan", .timeout_ms = 60000);

static int hasty_fan(haft_call *call)
{
    return fan_out(call);
}
HAFT_TOOL_BARE(hasty_fan, "Waits for three at once, for a moment", .timeout_ms = 100);

HAFT_STRUCT(counts, HAFT_INTEGER(begun, "That have begun"), HAFT_INTEGER(cancelled, "That ended"));

static int get_counts(haft_call *call, counts *out)
{
    struct world *world = haft_server_data(call);

    out->begun = atomic_load(&world->begun);
    out->cancelled = atomic_load(&world->cancelled);
    return 0;
}
HAFT_ROUTE_OUT(get_counts, "GET", "/counts", counts, "Says how many", .quick = true);

HAFT_STRUCT(part, HAFT_STRING(name, "Its name", .min = 1), HAFT_INTEGER(n, "How many", .min = 1));
HAFT_STRUCT(thing,
    HAFT_INTEGER(id, "Its number", .min = 1),
    HAFT_ARRAY(parts, HAFT_OBJECT(part, part, "A part"), "Of what it is"));

static int put_thing(haft_call *call, const thing *in)
{
    haft_response_set_header(call, "X-Parts", haft_call_printf(call, "%zu", in->n_parts));
    return haft_respond(call, 201, "text/plain", "made", 4);
}
HAFT_ROUTE_IN(put_thing, "PUT", "/things/{id}", thing, "Makes a thing");

HAFT_STRUCT(file_key, HAFT_STRING(name, "A name"));

static int get_file(haft_call *call, const file_key *in)
{
    return haft_text(call, "[%s]", in->name);
}
HAFT_ROUTE_IN(get_file, "GET", "/files/{name}", file_key, "Shows the name that it was asked for");

/* ---- tools that misbehave ---- */

HAFT_STRUCT(truth, HAFT_INTEGER(n, "A number", .max = 10));

static int lie(haft_call *call, truth *out)
{
    (void)call;
    out->n = 11;
    return 0;
}
HAFT_TOOL_OUT(lie, truth, "Says more than its schema allows");

static int break_down(haft_call *call)
{
    haft_log(call, HAFT_ERROR, "the password is hunter2");
    return HAFT_EINVAL;
}
HAFT_TOOL_BARE(break_down, "Fails, and tells the log why");

static int step(haft_call *call)
{
    haft_progress(call, 1, 2, NULL);
    haft_progress(call, 2, 2, NULL);
    return haft_text(call, "Both");
}
HAFT_TOOL_BARE(step, "Reports progress");

static int first(haft_call *call)
{
    return haft_text(call, "the first");
}
HAFT_TOOL_BARE(first, "Is there", .name = "twice");

static int second(haft_call *call)
{
    return haft_text(call, "the second");
}
HAFT_TOOL_BARE(second, "Comes too late", .name = "twice");

/* ---- resources and prompts ---- */

static int read_variable(haft_call *call, const char *uri)
{
    return haft_embed(
        call, &(haft_contents){.uri = uri,
                               .text = haft_call_printf(call, "id %s", haft_variable(call, "id"))});
}

static int read_exact(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "exact"});
}

static int read_nothing(haft_call *call, const char *uri)
{
    haft_log(call, HAFT_ERROR, "%s: the password is hunter2", uri);
    return HAFT_EINVAL;
}

static const haft_resource any =
    HAFT_INIT(haft_resource, .uri = "a.b://x/{id}", .name = "any", .read = read_variable);
static const haft_resource exact =
    HAFT_INIT(haft_resource, .uri = "a.b://x/9", .name = "exact", .read = read_exact);
static const haft_resource broken =
    HAFT_INIT(haft_resource, .uri = "broken://x", .name = "broken", .read = read_nothing);

HAFT_STRUCT(greet_args, HAFT_STRING(n, "A name"));

static int greet(haft_call *call, const void *arguments)
{
    const greet_args *in = arguments;

    haft_prompt_say(call, "user");
    return haft_text(call, "Hi %s", in->n);
}
static const haft_prompt greeting = HAFT_INIT(haft_prompt, .name = "greet", .description = "Greets",
                                              .arguments = &greet_args_type, .get = greet);

/* ---- all of it ---- */

static int fill(haft_gateway *gateway)
{
    static const haft_route *const routes[] = {&wait_long_route, &hasty_route,
                                               &fan_out_route,   &get_counts_route,
                                               &put_thing_route, &get_file_route};
    static const haft_tool *const tools[] = {
        &lie_tool, &break_down_tool, &step_tool, &first_tool, &fan_out_tool, &hasty_fan_tool, NULL};
    haft_server *server;
    int status = 0;

    for (size_t i = 0; i < sizeof routes / sizeof *routes && !status; i++)
        status = haft_route_add(gateway, routes[i]);
    server = haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .name = "driver", .tools = tools));
    if (status || !server)
        return HAFT_EINVAL;
    haft_add(server, &second_tool); /* refused, and said so in the log */
    haft_template_add(server, &any);
    haft_resource_add(server, &exact);
    haft_resource_add(server, &broken);
    return haft_prompt_add(server, &greeting);
}

int main(int argc, char **argv)
{
    struct world world = {0};
    haft_server_options options = HAFT_INIT(haft_server_options, .data = &world);
    haft_gateway *gateway =
        haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = &options, .workers = 4));

    if (gateway && fill(gateway))
        fprintf(stderr, "gateway-driver: %s\n", haft_gateway_error(gateway)->text);
    return haft_gateway_main(gateway, argc, argv);
}
