/* pipeline_driver.c - a server with a tool for everything that can happen to a call on its way, and
 * stages that say what they have seen.
 *
 * As every haft program it serves standard input and output, or HTTP.  With --inside FILE it is its
 * own client: each line of standard input is the parameters of a tools/call, each line of standard
 * output its result or error, and FILE gets the audit. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <haft/testing.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

static void sleep_ms(int64_t milliseconds)
{
    struct timespec t = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000 * 1000000)};

    nanosleep(&t, NULL);
}

/* ---- tools ---- */

HAFT_STRUCT(add_args, HAFT_INTEGER(a, "One"), HAFT_INTEGER(b, "The other"));
HAFT_STRUCT(add_sum, HAFT_INTEGER(sum, "Both"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers");

static int complain(haft_call *call)
{
    return haft_error(call, "I would rather not");
}
HAFT_TOOL_BARE(complain, "Answers with an error");

static int give_up(haft_call *call)
{
    haft_log(call, HAFT_ERROR, "for the log alone");
    return HAFT_ENOTFOUND;
}
HAFT_TOOL_BARE(give_up, "Fails");

HAFT_STRUCT(short_word, HAFT_STRING(word, "A short word", .max = 3));

static int misfit(haft_call *call, short_word *out)
{
    (void)call;
    out->word = "too long";
    return 0;
}
HAFT_TOOL_OUT(misfit, short_word, "Gives what does not fit");

static int limited(haft_call *call)
{
    return haft_text(call, "within the limit");
}
HAFT_TOOL_BARE(limited, "May be called five times a minute", .rate = {.calls = 5, .per_ms = 60000});

static int soon_again(haft_call *call)
{
    return limited(call);
}
HAFT_TOOL_BARE(soon_again, "May be called five times in four seconds",
               .rate = {.calls = 5, .per_ms = 4000});

static int text_to_speech(haft_call *call)
{
    return haft_audio(call, "audio/wav", "RIFF", 4);
}
HAFT_TOOL_BARE(text_to_speech, "Speaks");

HAFT_STRUCT(doze_args, HAFT_INTEGER(ms, "How long", .min = 0, .max = 60000));

static int doze(haft_call *call, const doze_args *in)
{
    if (in->ms > 30000)
        haft_log(call, HAFT_WARNING, "dozes");
    sleep_ms(in->ms);
    if (haft_call_cancelled(call))
        haft_log(call, HAFT_WARNING, "nobody waits any more");
    return haft_text(call, "slept %lld ms", (long long)in->ms);
}
HAFT_TOOL_IN(doze, doze_args, "Sleeps, at most as long as any call may take");

HAFT_ENUMERATION(harm_kind, nothing, crash, spin, hold);
HAFT_STRUCT(harm_args, HAFT_ENUM(how, harm_kind, "What it does to itself"));

static int harm(haft_call *call, const harm_args *in)
{
    static volatile bool done;

    if (in->how == harm_kind_crash)
        raise(SIGSEGV);
    while (in->how == harm_kind_spin && !done)
        continue;
    if (in->how == harm_kind_hold)
        sleep_ms(60000);
    return haft_text(call, "unharmed");
}
HAFT_TOOL_IN(harm, harm_args, "Harms itself", .isolate = true, .timeout_ms = 2000);

static int harm_slowly(haft_call *call, const harm_args *in)
{
    return harm(call, in);
}
HAFT_TOOL_IN(harm_slowly, harm_args, "Harms itself, and has time for it", .isolate = true);

static int one_by_one(haft_call *call)
{
    sleep_ms(50);
    return haft_text(call, "alone");
}
HAFT_TOOL_BARE(one_by_one, "One at a time", .max_running = 1, .max_waiting = 4);

/* ---- stages ---- */

/* What the stages saw of the latest call; all on the thread of its session. */
struct seen {
    char text[256], latest[256];
    haft_server *server;
};

static bool is_about_itself(const haft_call *call)
{
    const char *name = haft_call_name(call);

    return name && (!strcmp(name, "seen") || !strcmp(name, "counted"));
}

static void note(struct seen *seen, const char *what, const char *detail)
{
    size_t at = strlen(seen->text);

    snprintf(seen->text + at, sizeof seen->text - at, "%s%s%s", at ? " " : "", what, detail);
}

static int before(haft_call *call, void *data)
{
    if (is_about_itself(call))
        return 0;
    note(data, "before", "");
    if (yyjson_obj_get(haft_request_meta(call), "test/refuse"))
        return haft_refuse(call, "Not today.");
    return 0;
}

static int ready(haft_call *call, void *data)
{
    if (is_about_itself(call))
        return 0;
    note(data, "ready", "");
    if (yyjson_obj_get(haft_request_meta(call), "test/answer"))
        return haft_text(call, "answered by a stage") ? HAFT_ENOMEM : HAFT_STOP;
    return 0;
}

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    struct seen *seen = data;

    if (is_about_itself(call))
        return;
    note(seen, "after:", haft_outcome_name(outcome));
    snprintf(seen->latest, sizeof seen->latest, "%s", seen->text);
    seen->text[0] = '\0';
    if (outcome == HAFT_OUTCOME_OK)
        haft_result_meta(call, "test/after", "true");
}

static int seen(haft_call *call)
{
    struct seen *what = haft_server_data(call);

    return haft_text(call, "%s", what->latest);
}
HAFT_TOOL_BARE(seen, "What the stages saw of the latest call", .quick = true);

static int counted(haft_call *call)
{
    const struct seen *what = haft_server_data(call);
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, 1 << 20);
    status = haft_metrics_write(what->server, &text);
    if (!status)
        status = haft_text_bytes(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}
HAFT_TOOL_BARE(counted, "How many calls there were", .quick = true);

/* ---- its own client ---- */

static void write_line(void *context, const char *line, size_t size)
{
    fprintf(context, "%.*s\n", (int)size, line);
    fflush(context);
}

static void on_message(void *context, bool sent, const char *text, size_t size)
{
    (void)context;
    if (!sent) {
        printf("%.*s\n", (int)size, text);
        fflush(stdout);
    }
}

static int be_client(haft_server *server, const char *file)
{
    FILE *audit = fopen(file, "a");
    char line[4096];
    haft_client *client;

    if (!audit || haft_audit_add(server, write_line, audit) ||
        haft_server_set_visibility(server,
                                   HAFT_WITH(haft_visibility, .tools = getenv("HAFT_TOOLS"))))
        return 1;
    client = haft_client_new(server,
                             HAFT_WITH(haft_client_options, .name = "inside", .watch = on_message));
    while (client && fgets(line, sizeof line, stdin)) {
        haft_result result;

        if (haft_client_request(client, "tools/call", line, &result))
            return 1;
        haft_client_advance(client, 10);
    }
    haft_client_free(client);
    haft_server_free(server);
    fclose(audit);
    return 0;
}

/* ---- all of it ---- */

int main(int argc, char **argv)
{
    static struct seen what;
    static const haft_stage watch = HAFT_INIT(haft_stage, .name = "watch", .before = before,
                                              .ready = ready, .after = after, .data = &what);
    static const haft_tool *const tools[] = {
        &add_tool,  &complain_tool, &give_up_tool,     &misfit_tool,     &limited_tool,
        &doze_tool, &harm_tool,     &harm_slowly_tool, &one_by_one_tool, &text_to_speech_tool,
        &seen_tool, &counted_tool,  &soon_again_tool};
    haft_server *server =
        haft_server_new_with("pipeline", "1.0.0", HAFT_WITH(haft_server_options, .data = &what));

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (haft_add(server, tools[i]))
            return 1;
    what.server = server;
    if (haft_stage_add(server, &watch) || haft_metrics_enable(server))
        return 1;
    if (argc == 3 && !strcmp(argv[1], "--inside"))
        return be_client(server, argv[2]);
    return haft_main(server, argc, argv);
}
