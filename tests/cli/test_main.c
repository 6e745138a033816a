/* test_main.c - the command line: what each option prints, and the status it ends with. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "support/tools.h"
#include "support/test.h"

HAFT_STRUCT(greet_args, HAFT_STRING(name, "Who to greet"),
            HAFT_OPTIONAL(HAFT_INTEGER(times, "How often", .min = 1, .max = 3)));

static int greet(haft_call *call, const greet_args *in)
{
    printf("stray\n");
    return haft_text(call, "Hello, %s!", in->name);
}
HAFT_TOOL_IN(greet, greet_args, "Greets\nsomebody",
             .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

static int refuse(haft_call *call)
{
    return haft_error(call, "not today");
}
HAFT_TOOL_BARE(refuse, "Always fails", .annotations = {.destructive = HAFT_YES});

static int picture(haft_call *call)
{
    haft_image(call, "image/png", "\x89PNG", 4);
    return haft_text(call, "a picture");
}
HAFT_TOOL_BARE(picture, "Answers with a picture");

static int careful(haft_call *call)
{
    printf("from afar\n");
    return haft_text(call, "careful");
}
HAFT_TOOL_BARE(careful, "Harms only itself", .isolate = true, .max_running = 2, .max_waiting = 3,
               .lenient = HAFT_YES);

static int embed(haft_call *call)
{
    haft_message(call, HAFT_INFO, NULL, "not the answer");
    poll(NULL, 0, 20); /* so that it is there before the answer */
    return haft_embed(call, &(haft_contents){.uri = "a:b", .text = "inside"});
}
HAFT_TOOL_BARE(embed, "Says something first, and answers with a resource");

static const haft_tool nameless_tool =
    HAFT_INIT(haft_tool, .name = "no spaces please", .description = "Refused");

struct line {
    const char *arguments[6];
    bool refused; /* a tool is */
    int status;
    const char *out;   /* all of it; of --help, the beginning */
    const char *error; /* part of it; NULL for none at all */
};

static int run(void *context)
{
    const struct line *line = context;
    haft_server *server = haft_server_new("greeter", "2.1");
    char name[] = "greeter", *argv[8] = {name};
    int argc = 1;

    haft_add(server, &greet_tool);
    if (line->refused)
        haft_add(server, &nameless_tool);
    haft_add(server, &refuse_tool);
    haft_add(server, &picture_tool);
    haft_add(server, &later_tool);
    haft_add(server, &brief_tool);
    if (line->arguments[1] &&
        (!strcmp(line->arguments[1], "--verbose") || !strcmp(line->arguments[1], "careful")))
        haft_add(server, &careful_tool);
    if (line->arguments[1] && !strcmp(line->arguments[1], "embed"))
        haft_add(server, &embed_tool);
    for (; line->arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)line->arguments[argc - 1];
    return haft_main(server, argc, argv);
}

static const char usage[] = "usage: greeter [OPTION ...]\n"
                            "greeter 2.1, a Model Context Protocol (MCP) server.\n"
                            "\n"
                            "  --stdio ";

static const char table[] =
    "NAME     ARGUMENTS                      HINTS                    DESCRIPTION\n"
    "greet    name: string, times?: integer  read-only, closed-world  Greets\n"
    "refuse                                  destructive              Always fails\n"
    "picture                                                          Answers with a picture\n"
    "later                                                            Is finished by another thread\n"
    "brief                                                            Is too slow for its deadline\n";

static const char details[] = "greet: Greets\n"
                              "  arguments  name: string, times?: integer\n"
                              "  hints      read-only, closed-world\n"
                              "  runs       on a worker\n"
                              "  timeout    30 s\n  rate       9 calls per 60 s, over all tools\n"
                              "  stages     deadline (before); visibility (before); "
                              "rate limit (before); validation (before)\n"
                              "\n"
                              "brief: Is too slow for its deadline\n"
                              "  runs       on a worker\n"
                              "  timeout    50 ms\n  rate       9 calls per 60 s, over all tools\n"
                              "  stages     deadline (before); visibility (before); "
                              "rate limit (before); validation (before)\n"
                              "\n"
                              "careful: Harms only itself\n"
                              "  runs       in a separate process, at most 2 running and 3 queued\n"
                              "  timeout    30 s\n  rate       9 calls per 60 s, over all tools\n"
                              "  lenient    yes\n"
                              "  stages     deadline (before); visibility (before); "
                              "rate limit (before); validation (before)\n";

static const struct line lines[] = {
    {{"--help"}, false, 0, usage, NULL},
    {{"-h"}, false, 0, usage, NULL},
    {{"--stdio", "-h"}, false, 0, usage, NULL},
    {{"--workers=0", "--help"}, false, 0, usage, NULL},
    {{"-V"}, false, 0, "greeter 2.1 (haft " HAFT_VERSION ")\n", NULL},
    {{"--version"}, false, 0, "greeter 2.1 (haft " HAFT_VERSION ")\n", NULL},
    {{"--list"}, false, 0, table, NULL},
    {{"--list", "--page-size", "1"}, false, 0, table, NULL},
    {{"--call", "embed"}, false, 0, "inside\n", NULL},
    {{"--call", "careful"}, false, 0, "careful\n", "from afar\n"},
    {{"--list", "--verbose", "--tools", "brief,greet,careful", "--client-rate=9/m"},
     false,
     0,
     details,
     NULL},
    {{"--list", "--verbose", "--tools=none"},
     false,
     0,
     "",
     "warning tools.offer: no tool matches none\n"},
    {{"--check", "--tools", "nope*"},
     false,
     0,
     "0 tools are offered, 5 are hidden\n",
     "warning tools.offer: no tool matches nope*\n"},
    {{"--disable", "greet"}, false, 0, "", "warning 1 of 5 tools is disabled: greet\n"},
    {{"--read-only"},
     false,
     0,
     "",
     "warning 4 of 5 tools are disabled: refuse, picture, later, brief\n"},
    {{"--log-level", "info"}, false, 0, "", "info 5 tools are registered\n"},
    {{"--list", "--call", "greet"},
     false,
     2,
     "",
     "greeter: --list and --call exclude each other\n"},
    {{"--list", "--help"}, false, 0, usage, NULL},
    {{"--call", "greet", "--sandbox"},
     false,
     2,
     "",
     "greeter: --call does not run in the sandbox; leave out --sandbox\n"},
    {{"--sandbox=best-effort", "--list"},
     false,
     2,
     "",
     "greeter: --list does not run in the sandbox; leave out --sandbox\n"},
    {{"--check"}, false, 0, "5 tools are offered\n", NULL},
    {{"--check"},
     true,
     1,
     "5 tools are offered, some were rejected (see the log)\n",
     "error no spaces please: a name may contain"},
    {{"--check", "--tools", "brief,later"}, false, 0, "2 tools are offered, 3 are hidden\n", NULL},
    {{"--check", "--disable", "greet", "--disable", "none_*"},
     false,
     0,
     "4 tools are offered, 1 is hidden\n",
     NULL},
    {{"--check", "--disable", "gret"},
     false,
     0,
     "5 tools are offered\n",
     "warning tools.disabled: unknown tool gret; did you mean greet?\n"},
    {{"--check", "--disable", "entirely"},
     false,
     0,
     "5 tools are offered\n",
     "warning tools.disabled: unknown tool entirely\n"},
    {{"--call", "greet", "{\"name\":\"Ada\"}"}, false, 0, "Hello, Ada!\n", "stray\n"},
    {{"--call", "greet", "{\"name\":\"Ada\"}", "--json"},
     false,
     0,
     "{\"content\":[{\"type\":\"text\",\"text\":\"Hello, Ada!\"}]}\n",
     "stray\n"},
    {{"--json", "--call", "refuse"},
     false,
     1,
     "{\"content\":[{\"type\":\"text\",\"text\":\"not today\"}],\"isError\":true}\n",
     NULL},
    {{"--call", "refuse"}, false, 1, "not today\n", NULL},
    {{"--call", "picture", "{}", "--workers", "1"},
     false,
     0,
     "[image image/png]\na picture\n",
     NULL},
    {{"--call", "later"}, false, 0, "finished elsewhere\n", NULL},
    {{"--call", "brief", "--log-level", "critical"}, false, 1, "timed out after 50 ms\n", NULL},
    {{"--call", "gret"},
     false,
     2,
     "",
     "greeter: Tool gret not found (-32602); did you mean greet?\n"},
    {{"--call", "greet", "{"}, false, 2, "", "greeter: the arguments are not valid JSON: "},
    {{"--call"}, false, 2, "", "greeter: --call needs TOOL [JSON]\n"},
    {{"--lst"}, false, 2, "", "greeter: unknown option --lst; did you mean --list?\n"},
    {{"--wrkrs", "3"}, false, 2, "", "did you mean --workers?\n"},
    {{"greet"}, false, 2, "", "greeter: unexpected argument greet; --help shows the usage\n"},
    {{"--nope"}, false, 2, "", "greeter: unknown option --nope; --help lists the options\n"},
    {{"--log-level", "--call", "greet"},
     false,
     2,
     "",
     "greeter: --log-level needs LEVEL; write --log-level=--call if that is its value\n"},
    {{"--quite-different"},
     false,
     2,
     "",
     "greeter: unknown option --quite-different; --help lists the options\n"},
    {{"--workers", "0"},
     false,
     2,
     "",
     "greeter: --workers: expected a whole number from 1 to 1024, not 0\n"},
    {{"--workers", "x"},
     false,
     2,
     "",
     "--workers: expected a whole number from 1 to 1024, not x\n"},
    {{"--workers"}, false, 2, "", "--workers needs N\n"},
    {{"--log-level", "loud"}, false, 2, "", "--log-level: expected one of debug, "},
    {{"--log-level", "warnin"}, false, 2, "", "not warnin; did you mean warning?\n"},
    {{"--read-only=maybe"}, false, 2, "", "--read-only: expected true or false, not maybe\n"},
    {{"--read-only", "--read-only=false", "--check"}, false, 0, "5 tools are offered\n", NULL},
    {{"--config", "-"},
     false,
     2,
     "",
     "--config: cannot read the configuration from standard input\n"},
    {{"--config", "/nowhere/at all"}, false, 2, "", "/nowhere/at all: No such file or directory\n"},
    {{"--config", "/"}, false, 2, "", "/: Is a directory\n"},
    {{"--workers=0", "--max-queue", "0"},
     false,
     2,
     "",
     "greeter: --workers: expected a whole number from 1 to 1024, not 0\n"
     "greeter: --max-queue: expected a whole number from 1 to 1000000, not 0\n"},
    {{"--stdio", "--log-level", "critical"}, true, 0, "", NULL},
    {{"--stdio", "--sandbox-read", "/"}, false, 0, "", "warning --sandbox-read, "},
    {{"--stdio", "--sandbox-connect"}, false, 0, "", "warning --sandbox-read, "},
#if HAFT_HTTP
    {{"--stdio", "--http", "127.0.0.1:0"}, false, 2, "", "--stdio and --http exclude each other"},
    {{"--keys", "/k"},
     false,
     2,
     "",
     "greeter: --keys requires --http: on standard input and output, the only client is the "
     "program that starts this one\n"},
    {{"--stdio", "--access", "deny tools x"}, false, 2, "", "greeter: --access requires --http: "},
    {{"--http", "127.0.0.1:0", "--tls-cert", "/c"},
     false,
     2,
     "",
     "greeter: --tls-cert requires --tls-key\n"},
    {{"--http", "0", "--oauth-issuer=login.example.org", "--oauth-resource=https://a"},
     false,
     2,
     "",
     "greeter: --oauth-issuer login.example.org: expected the issuer's URL first"},
    {{"--http", "0", "--sandbox=best-effort", "--oauth-issuer=https://a",
      "--oauth-resource=https://a"},
     false,
     1,
     "",
     "with --sandbox, --oauth-issuer requires --sandbox-connect"},
#else
    {{"--http", "127.0.0.1:0"},
     false,
     2,
     "",
     "greeter: --http: this program was built without HTTP\n"},
    {{"--http=a:1"}, false, 2, "", "greeter: --http: this program was built without HTTP\n"},
#endif
    {{NULL}, true, 0, "", "error no spaces please: "},
};

static void every_line_does_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct line line = lines[i];
        char error[4096] = "";
        struct child child;
        ssize_t n;
        int status;

        child_start(&child, run, &line);
        child_end(&child);
        child_is_silent(&child);
        haft_buffer_add(&child.seen, "", 1);
        n = read(child.error, error, sizeof error - 1);
        if (line.out == usage ? strncmp(child.seen.data, usage, strlen(usage))
                              : strcmp(child.seen.data, line.out))
            fail_msg("line %zu printed\n%s\nand not\n%s", i, child.seen.data, line.out);
        if (line.error ? !strstr(error, line.error) : n > 0)
            fail_msg("line %zu complained\n%s\nand not\n%s", i, error,
                     line.error ? line.error : "at all");
        status = child_wait(&child);
        if (status != line.status)
            fail_msg("line %zu ended with %d", i, status);
    }
}

/* A section that is prepared when the server turns out not to start, and needs the server to undo it. */
static int section_prepare(void *context, haft_value *value, void **ret_prepared,
                           haft_reason *reterr_reason)
{
    (void)value;
    (void)reterr_reason;
    *ret_prepared = context;
    return 0;
}

static void section_commit(void *context, void *prepared)
{
    (void)context;
    (void)prepared;
}

static void section_discard(void *context, void *prepared)
{
    assert_ptr_equal(prepared, context);
    fprintf(stderr, "discarded: %s\n", haft_server_error(context)->path);
}

static int run_section(void *context)
{
    haft_server *server = haft_server_new("greeter", "2.1");
    const haft_section section =
        HAFT_INIT(haft_section, .name = "own", .prepare = section_prepare, .commit = section_commit,
                  .discard = section_discard, .context = server);
    char name[] = "greeter", audit[] = "--audit", path[] = "/nowhere/audit";
    char *argv[] = {name, audit, path, NULL};

    (void)context;
    haft_section_add(server, &section);
    return haft_main(server, 3, argv);
}

static void sections_are_undone_before_the_server(void **state)
{
    struct child child;
    char error[1024] = "";

    (void)state;
    child_start(&child, run_section, NULL);
    child_end(&child);
    child_is_silent(&child);
    assert_true(read(child.error, error, sizeof error - 1) > 0);
    assert_int_equal(child_wait(&child), 1);
    assert_non_null(strstr(error, "discarded: /nowhere/audit\n"));
    assert_non_null(strstr(error, "greeter: /nowhere/audit: No such file or directory\n"));
    assert_null(strstr(strstr(error, "No such file") + 1, "No such file")); /* once */
}

/* So many complaints are printed, and how many more there are. */
static void many_complaints_have_an_end(void **state)
{
    char path[] = "/tmp/haft-main-XXXXXX", text[1024] = "{", error[8192] = "";
    struct line line = {.arguments = {"--check", "--config", path}};
    struct child child;
    int fd = mkstemp(path);

    (void)state;
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"quite%d\":1", i ? "," : "",
                 i);
    strncat(text, "}", 2);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    child_start(&child, run, &line);
    child_end(&child);
    child_is_silent(&child);
    assert_true(read(child.error, error, sizeof error - 1) > 0);
    assert_int_equal(child_wait(&child), 2);
    assert_non_null(strstr(error, "quite31: unknown key\n"));
    assert_null(strstr(error, "quite32"));
    assert_non_null(strstr(error, "greeter: and 8 more\n"));
    unlink(path);
}

/* A socket that is meant for another process is not taken. */
static int run_beside(void *context)
{
    setenv("LISTEN_PID", "1", 1);
    setenv("LISTEN_FDS", "1", 1);
    return run(context);
}

static void takes_nobody_elses_socket(void **state)
{
    struct line line = {.arguments = {"--http", "127.0.0.1:0"}};
    char error[256] = "";
    struct child child;

    (void)state;
    if (!HAFT_HTTP)
        return;
    child_start(&child, run_beside, &line);
    child_end(&child);
    assert_int_equal(poll(&(struct pollfd){.fd = child.error, .events = POLLIN}, 1, 10000), 1);
    assert_true(read(child.error, error, sizeof error - 1) > 0);
    assert_non_null(strstr(error, "greeter: listening on http://127.0.0.1:"));
    kill(child.pid, SIGTERM);
    assert_int_equal(child_wait(&child), 0);
}

/* With a terminal for its standard input. */
static int run_on_terminal(void *context)
{
    const char *terminal = context;
    struct line line = {.out = NULL};
    int fd = open(terminal, O_RDWR | O_NOCTTY);

    return fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO ? run(&line) : 9;
}

static void a_terminal_is_told_what_to_do(void **state)
{
    static const char expected[] =
        "greeter: serving MCP on standard input and output, for a client that starts it\n"
        "greeter: to try it, run haft tools -- greeter, or greeter --list"
#if HAFT_HTTP
        ", or greeter --http 8808"
#endif
        "\n";
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    char error[1024] = "", *terminal;
    struct child child;

    (void)state;
    assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
    terminal = ptsname(master);
    assert_non_null(terminal);
    child_start(&child, run_on_terminal, terminal);
    while (strlen(error) < strlen(expected)) {
        assert_int_equal(poll(&(struct pollfd){.fd = child.error, .events = POLLIN}, 1, 20000), 1);
        assert_true(read(child.error, error + strlen(error), sizeof error - 1 - strlen(error)) > 0);
    }
    assert_string_equal(error, expected);
    assert_int_equal(write(master, "\4", 1), 1); /* the end of the input */
    assert_int_equal(child_wait(&child), 0);
    close(master);
}

/* ---- TOOL_<NAME>_DISABLED ---- */

struct hidden_line {
    const char *variable, *value, *out, *error; /* all of it but the date; NULL: nothing */
};

static int run_hidden(void *context)
{
    const struct hidden_line *row = context;
    struct line line = {{"--check"}, false, 0, NULL, NULL};

    setenv(row->variable, row->value, 1);
    return run(&line);
}

static void a_variable_hides_a_tool(void **state)
{
    static const char shown[] = "5 tools are offered\n";
    static const char hidden[] = "4 tools are offered, 1 is hidden\n";
    static const struct hidden_line rows[] = {
        {"TOOL_GREET_DISABLED", "true", hidden, NULL},
        {"TOOL_GREET_DISABLED", "1", hidden, NULL},
        {"TOOL_GREET_DISABLED", "false", shown, NULL},
        {"TOOL_GREET_DISABLED", "0", shown, NULL},
        {"TOOL_GREET_DISABLED", "", shown, NULL},
        {"TOOL_GREET_DISABLED", "yes", hidden,
         "TOOL_GREET_DISABLED: expected true or false, not yes; the tool is hidden\n"},
        {"TOOL_GREET_DISABLED", "TRUE", hidden,
         "TOOL_GREET_DISABLED: expected true or false, not TRUE; the tool is hidden\n"},
        {"TOOL_GREETING_DISABLED", "true", shown,
         "TOOL_GREETING_DISABLED: no tool has this name\n"},
        {"TOOL__DISABLED", "true", shown, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char error[1024] = "";
        struct child child;

        child_start(&child, run_hidden, (void *)(uintptr_t)&rows[i]);
        child_end(&child);
        child_is_silent(&child);
        haft_buffer_add(&child.seen, "", 1);
        assert_string_equal(child.seen.data, rows[i].out);
        if (read(child.error, error, sizeof error - 1) > 0 ? !rows[i].error : rows[i].error != NULL)
            fail_msg("line %zu complained\n%s", i, error);
        if (rows[i].error && !strstr(error, rows[i].error))
            fail_msg("line %zu complained\n%s", i, error);
        assert_int_equal(child_wait(&child), 0);
    }
}

/* ---- descriptors that are of no use ---- */

/* A line whose standard input or output is closed, or goes to a disk that is full. */
struct deaf_line {
    struct line line;
    bool without_input, without_output;
    const char *said; /* on standard input */
};

static int run_deaf(void *context)
{
    const struct deaf_line *deaf = context;

    if (deaf->without_input)
        close(STDIN_FILENO);
    if (deaf->without_output)
        close(STDOUT_FILENO);
    else if (!deaf->without_input)
        dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    return run((void *)(uintptr_t)&deaf->line);
}

static void what_cannot_be_written_is_a_failure(void **state)
{
    static const char full[] = "cannot write to standard output: No space left on device\n";
    static const struct deaf_line rows[] = {
        {{{"--help"}, .error = full}, .said = NULL},
        {{{"--version"}, .error = full}, .said = NULL},
        {{{"--list"}, .error = full}, .said = NULL},
        {{{"--list", "--json"}, .error = full}, .said = NULL},
        {{{"--print-config"}, .error = full}, .said = NULL},
        {{{"--call", "greet", "{\"name\":\"Ada\"}"}, .error = full}, .said = NULL},
        {{{NULL}, .error = full}, .said = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"},
        {{{NULL}, .error = "greeter: standard input is not open\n"}, .without_input = true},
        {{{NULL}, .error = "greeter: standard output is not open\n"}, .without_output = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char error[4096] = "";
        struct child child;
        int status;

        child_start(&child, run_deaf, (void *)(uintptr_t)&rows[i]);
        if (rows[i].said)
            child_puts(&child, rows[i].said);
        child_end(&child);
        do
            assert_int_equal(poll(&(struct pollfd){.fd = child.error, .events = POLLIN}, 1, 20000),
                             1);
        while (read(child.error, error + strlen(error), sizeof error - 1 - strlen(error)) > 0);
        if (!strstr(error, rows[i].line.error))
            fail_msg("line %zu complained\n%s", i, error);
        status = child_wait(&child);
        if (status != 1)
            fail_msg("line %zu ended with %d", i, status);
    }
}

static int run_nothing(void *context)
{
    char name[] = "nothing", *argv[] = {name, NULL};

    (void)context;
    return haft_main(NULL, 1, argv);
}

static void no_server_is_a_failure(void **state)
{
    struct child child;

    (void)state;
    child_start(&child, run_nothing, NULL);
    assert_int_equal(child_wait(&child), 1);
}

/* Somebody who asks for the settings to be read again does not know that it has ended by then. */
static int run_and_hear(void *context)
{
    int status = run(context);

    raise(SIGHUP);
    return status;
}

static void a_late_hangup_is_nothing(void **state)
{
    char path[] = "/tmp/haft-main-XXXXXX";
    const struct line rows[] = {{.arguments = {"--stdio", "--config", path}},
                                {.arguments = {"--http", "127.0.0.1:0", "--config", path}}};
    int fd = mkstemp(path);

    (void)state;
    assert_int_equal(write(fd, "{}", 2), 2);
    close(fd);
    for (size_t i = 0; i < (HAFT_HTTP ? 2 : 1); i++) {
        struct line line = rows[i];
        struct child child;

        child_start(&child, run_and_hear, &line);
        child_end(&child);
        if (i) {
            /* where it listens */
            assert_int_equal(poll(&(struct pollfd){.fd = child.error, .events = POLLIN}, 1, 10000),
                             1);
            kill(child.pid, SIGTERM);
        }
        assert_int_equal(child_wait(&child), 0);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_does_what_it_says),
        cmocka_unit_test(a_terminal_is_told_what_to_do),
        cmocka_unit_test(a_variable_hides_a_tool),
        cmocka_unit_test(what_cannot_be_written_is_a_failure),
        cmocka_unit_test(no_server_is_a_failure),
        cmocka_unit_test(sections_are_undone_before_the_server),
        cmocka_unit_test(many_complaints_have_an_end),
        cmocka_unit_test(takes_nobody_elses_socket),
        cmocka_unit_test(a_late_hangup_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
