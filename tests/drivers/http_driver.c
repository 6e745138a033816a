/* http_driver.c - a server whose handlers tell afterwards what became of them, for tests over HTTP.
 *
 * `work` takes its time and reports; `counts` says how many of those have begun, were cancelled and
 * came to their end.  `routed` has arguments of every kind that is also sent as a header. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct world {
    atomic_int begun, cancelled, finished;
};

static void sleep_ms(int64_t milliseconds)
{
    struct timespec t = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000 * 1000000)};

    nanosleep(&t, NULL);
}

/* ---- work ---- */

HAFT_STRUCT(work_args,
    HAFT_DEFAULT(HAFT_INTEGER(steps, "How many", .min = 0, .max = 1000), 3),
    HAFT_DEFAULT(HAFT_INTEGER(ms, "Of each step", .min = 0, .max = 1000), 30));

static int work(haft_call *call, const work_args *in)
{
    struct world *world = haft_server_data(call);

    atomic_fetch_add(&world->begun, 1);
    for (int64_t step = 1; step <= in->steps; step++) {
        haft_progress(call, (double)step, (double)in->steps, NULL);
        sleep_ms(in->ms);
        if (haft_call_cancelled(call)) {
            atomic_fetch_add(&world->cancelled, 1);
            return haft_error(call, "Cancelled");
        }
    }
    atomic_fetch_add(&world->finished, 1);
    return haft_text(call, "%lld steps", (long long)in->steps);
}
HAFT_TOOL_IN(work, work_args, "Works step by step");

HAFT_STRUCT(work_counts,
    HAFT_INTEGER(begun, "Calls of work that were begun"),
    HAFT_INTEGER(cancelled, "Those that were cancelled"),
    HAFT_INTEGER(finished, "Those that came to their end"));

static int counts(haft_call *call, work_counts *out)
{
    struct world *world = haft_server_data(call);

    out->begun = atomic_load(&world->begun);
    out->cancelled = atomic_load(&world->cancelled);
    out->finished = atomic_load(&world->finished);
    return 0;
}
HAFT_TOOL_OUT(counts, work_counts, "What became of the calls of work", .quick = true);

/* ---- messages and progress that break the rules ---- */

static int chatter(haft_call *call)
{
    for (int level = HAFT_DEBUG; level <= HAFT_EMERGENCY; level++)
        haft_message(call, (haft_level)level, "chatter", "level %d", level);
    return haft_text(call, "said");
}
HAFT_TOOL_BARE(chatter, "Sends a message of every level");

static int stumble(haft_call *call)
{
    static const int steps[] = {1, 1, 3, 2, 3, 4};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        haft_progress(call, steps[i], 0, NULL);
    return haft_text(call, "stumbled");
}
HAFT_TOOL_BARE(stumble, "Reports progress that does not always go forward");

HAFT_STRUCT(failing_args,
    HAFT_BOOLEAN(fails, "Whether to fail"));

static int failing(haft_call *call, const failing_args *in, work_counts *out)
{
    out->begun = out->cancelled = out->finished = 1;
    return in->fails ? haft_error(call, "It was to fail") : 0;
}
HAFT_TOOL(failing, failing_args, work_counts, "Has structured output, and may fail");

HAFT_STRUCT(flood_args,
    HAFT_DEFAULT(HAFT_INTEGER(messages, "How many, of 4,000 bytes", .min = 0), 0),
    HAFT_DEFAULT(HAFT_INTEGER(bytes, "Of the result", .min = 0, .max = 1 << 24), 0));

static int flood(haft_call *call, const flood_args *in)
{
    struct world *world = haft_server_data(call);
    size_t size = (size_t)in->bytes;
    char *text = haft_call_alloc(call, size + 1);

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', size);
    atomic_fetch_add(&world->begun, 1);
    for (int64_t i = 0; i < in->messages && !haft_call_cancelled(call); i++) {
        haft_message(call, HAFT_INFO, NULL, "%04000d", (int)i);
        if (i % 64 == 63)
            sleep_ms(1);
    }
    atomic_fetch_add(haft_call_cancelled(call) ? &world->cancelled : &world->finished, 1);
    return haft_text_bytes(call, text, size);
}
HAFT_TOOL_IN(flood, flood_args, "Says more than anybody wants to hear");

/* ---- headers ---- */

HAFT_STRUCT(routed_place,
    HAFT_OPTIONAL(HAFT_HEADER("Zone", HAFT_STRING(zone, "Within the region"))));

HAFT_STRUCT(routed_args,
    HAFT_OPTIONAL(HAFT_HEADER("Region", HAFT_STRING(region, "Where to"))),
    HAFT_OPTIONAL(HAFT_HEADER("Count", HAFT_INTEGER(count, "How many"))),
    HAFT_OPTIONAL(HAFT_HEADER("Urgent", HAFT_BOOLEAN(urgent, "Now"))),
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_HEADER("Note", HAFT_STRING(note, "May be null")))),
    HAFT_OPTIONAL(HAFT_OBJECT(place, routed_place, "More exactly")));

static int routed(haft_call *call, const routed_args *in)
{
    return haft_text(call, "region=%s count=%lld zone=%s", in->has_region ? in->region : "",
                     in->has_count ? (long long)in->count : -1,
                     in->has_place && in->place.has_zone ? in->place.zone : "");
}
HAFT_TOOL_IN(routed, routed_args, "Has arguments that are sent as headers too", .quick = true);

/* ---- the plainest tool there is ---- */

HAFT_STRUCT(add_args,
    HAFT_NUMBER(a, "First number to add"),
    HAFT_NUMBER(b, "Second number to add"));

static int add_numbers(haft_call *call, const add_args *in)
{
    return haft_text(call, "%g + %g = %g", in->a, in->b, in->a + in->b);
}
HAFT_TOOL_IN(add_numbers, add_args, "Adds two numbers together", .quick = true);

/* ---- questions ---- */

HAFT_STRUCT(name_form,
    HAFT_STRING(name, "Your name"));

static int ask(haft_call *call)
{
    name_form form;
    int status = haft_elicit(call, "name", "What is your name?", &name_form_type, &form);

    if (status == HAFT_ACCEPTED)
        return haft_text(call, "Hello, %s!", form.name);
    return status == HAFT_DECLINED || status == HAFT_DISMISSED ? haft_text(call, "Hello!") : status;
}
HAFT_TOOL_BARE(ask, "Asks for a name");

int main(int argc, char **argv)
{
    static const haft_tool *const tools[] = {&work_tool,        &counts_tool,  &chatter_tool,
                                             &stumble_tool,     &failing_tool, &routed_tool,
                                             &add_numbers_tool, &flood_tool,   &ask_tool};
    static struct world world;
    haft_server_options options = HAFT_INIT(haft_server_options, .data = &world);
    haft_server *server = haft_server_new_with("http-driver", "1.0.0", &options);

    for (size_t i = 0; server && i < sizeof tools / sizeof *tools; i++)
        if (haft_add(server, tools[i]))
            return EXIT_FAILURE;
    return haft_main(server, argc, argv);
}
