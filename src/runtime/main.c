/* main.c - the command line that every server has.
 *
 * An option is a row: its name, what it takes, what it sets and what --help says of it. */
#include <haft/http.h>
#include <haft/run.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/audit_file.h"
#include "runtime/channel.h"
#include "runtime/environment.h"
#include "runtime/local.h"
#include "runtime/log.h"
#include "runtime/manifest.h"

enum {
    OK = 0,
    FAILED = 1,
    MISUSED = 2,
    MAX_WORKERS = 1024,
    MAX_THREADS = 64,
    MAX_NAMES = 32,
    ARENA_LIMIT = 256 << 20
};

struct command {
    int (*act)(struct command *command, haft_server *server);
    const char *program;
    const char *tool, *arguments;
    bool json;
    haft_level level;
    unsigned workers;
    const char *tools; /* that are offered */
    bool read_only;
    const char *audit; /* the file for a line a call */
    haft_http_options http;
    const char *hosts[MAX_NAMES + 1], *origins[MAX_NAMES + 1]; /* that may ask, by HTTP */
    struct logger logger;
};

static int act_serve(struct command *command, haft_server *server);
static int act_http(struct command *command, haft_server *server);
static int act_list(struct command *command, haft_server *server);
static int act_check(struct command *command, haft_server *server);
static int act_call(struct command *command, haft_server *server);
static int act_help(struct command *command, haft_server *server);
static int act_version(struct command *command, haft_server *server);

/* ---- options ---- */

static bool set_json(struct command *command, const char *value)
{
    (void)value;
    command->json = true;
    return true;
}

static bool set_tool(struct command *command, const char *value)
{
    command->tool = value;
    return true;
}

static bool set_level(struct command *command, const char *value)
{
    int level = level_of(value);

    command->level = (haft_level)level;
    return level >= 0;
}

static bool set_workers(struct command *command, const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);

    command->workers = (unsigned)n;
    return *value && !*end && n >= 1 && n <= MAX_WORKERS;
}

static bool set_tools(struct command *command, const char *value)
{
    command->tools = value;
    return *value;
}

static bool set_read_only(struct command *command, const char *value)
{
    (void)value;
    command->read_only = true;
    return true;
}

static bool set_threads(struct command *command, const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);

    command->http.threads = (unsigned)n;
    return *value && !*end && n >= 1 && n <= MAX_THREADS;
}

static bool set_audit(struct command *command, const char *value)
{
    command->audit = value;
    return *value;
}

static bool set_address(struct command *command, const char *value)
{
    command->http.address = value;
    return *value;
}

static bool set_path(struct command *command, const char *value)
{
    command->http.path = value;
    return *value == '/';
}

static bool set_insecure(struct command *command, const char *value)
{
    (void)value;
    command->http.insecure = true;
    return true;
}

static bool set_legacy_sse(struct command *command, const char *value)
{
    (void)value;
    command->http.legacy_sse = true;
    return true;
}

static bool set_cors(struct command *command, const char *value)
{
    command->http.cors_origin = value;
    return *value;
}

static bool add_name(const char **names, const char *value)
{
    size_t n = 0;

    while (names[n])
        n++;
    if (n < MAX_NAMES)
        names[n] = value;
    return n < MAX_NAMES && *value;
}

static bool add_host(struct command *command, const char *value)
{
    return add_name(command->hosts, value);
}

static bool add_origin(struct command *command, const char *value)
{
    return add_name(command->origins, value);
}

static const struct option {
    const char *name;
    const char *takes; /* what --help calls its value; NULL when it takes none */
    bool (*set)(struct command *command, const char *value); /* false: not a good value */
    int (*act)(struct command *command, haft_server *server);
    const char *help;
} options[] = {
    {"--stdio", NULL, NULL, act_serve, "serve on standard input and output (the default)"},
    {"--http", "HOST:PORT", set_address, act_http,
     "serve HTTP there, or on unix:PATH; port 0 takes a free one"},
    {"--path", "PATH", set_path, NULL, "of the HTTP endpoint (/mcp)"},
    {"--allow-host", "NAME", add_host, NULL,
     "a name that HTTP may be asked by, besides this machine's"},
    {"--allow-origin", "ORIGIN", add_origin, NULL, "a web page that may ask"},
    {"--cors", "ORIGIN", set_cors, NULL, "send CORS headers for it; * for any"},
    {"--legacy-sse", NULL, set_legacy_sse, NULL, "also serve /sse and /messages of 2024-11-05"},
    {"--insecure", NULL, set_insecure, NULL, "listen off this machine without authentication"},
    {"--list", NULL, NULL, act_list, "print the tools as a table"},
    {"--check", NULL, NULL, act_check,
     "print what clients would stumble over; 1 if a tool is refused"},
    {"--call", "TOOL [JSON]", set_tool, act_call, "call a tool and print its text; 1 if it fails"},
    {"--json", NULL, set_json, NULL,
     "with --list or --call: print the result as it is on the wire"},
    {"--log-level", "LEVEL", set_level, NULL,
     "debug, info, notice, warning (the default), error, ..."},
    {"--tools", "NAMES", set_tools, NULL, "offer those that match: list_*,-*_delete (HAFT_TOOLS)"},
    {"--read-only", NULL, set_read_only, NULL, "offer only read-only tools (HAFT_READ_ONLY=1)"},
    {"--audit", "FILE", set_audit, NULL, "append a line of JSON for every call"},
    {"--workers", "N", set_workers, NULL, "threads that run handlers (4)"},
    {"--threads", "N", set_threads, NULL, "loops that serve HTTP (1)"},
    {"--help", NULL, NULL, act_help, "print this"},
    {"--version", NULL, NULL, act_version, "print the versions"},
};
enum { OPTIONS = sizeof options / sizeof *options };

static int refuse_option(const struct command *command, const char *given)
{
    const char *nearest = options[0].name;

    for (size_t i = 1; i < OPTIONS; i++)
        if (edit_distance(given, options[i].name) < edit_distance(given, nearest))
            nearest = options[i].name;
    fprintf(stderr, "%s: there is no option %s; did you mean %s?\n", command->program, given,
            nearest);
    return MISUSED;
}

static const struct option *find_option(const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (!strcmp(options[i].name, name))
            return &options[i];
    return NULL;
}

static int read_options(struct command *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const struct option *option = find_option(argv[i]);

        if (!option)
            return refuse_option(command, argv[i]);
        if (option->takes && i + 1 >= argc) {
            fprintf(stderr, "%s: %s needs %s\n", command->program, argv[i], option->takes);
            return MISUSED;
        }
        if (option->set && !option->set(command, option->takes ? argv[++i] : NULL)) {
            fprintf(stderr, "%s: %s: %s is not a good value\n", command->program, option->name,
                    argv[i]);
            return MISUSED;
        }
        if (option->act)
            command->act = option->act;
        if (option->act == act_call && i + 1 < argc && argv[i + 1][0] != '-')
            command->arguments = argv[++i];
    }
    return OK;
}

/* ---- what they do ---- */

static int act_help(struct command *command, haft_server *server)
{
    printf("usage: %s [OPTION ...]\n%s %s, a server of the Model Context Protocol.\n\n",
           command->program, server->name, server->version);
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *takes = options[i].takes ? options[i].takes : "";

        printf("  %s %-*s %s\n", options[i].name, (int)(20 - strlen(options[i].name)), takes,
               options[i].help);
    }
    return OK;
}

static int act_version(struct command *command, haft_server *server)
{
    (void)command;
    printf("%s %s (haft %s)\n", server->name, server->version, HAFT_VERSION);
    return OK;
}

static int act_serve(struct command *command, haft_server *server)
{
    haft_stdio_options stdio = {.workers = command->workers};
    int status = haft_serve_stdio(server, &stdio);

    if (status < 0)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    return status < 0 ? FAILED : status;
}

static void on_ready(void *context, const char *url)
{
    const struct command *command = context;

    fprintf(stderr, "%s: listening on %s\n", command->program, url);
}

/* The first socket that systemd has opened for this process; 0 when there is none. */
static int inherited_socket(void)
{
    const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");

    if (!pid || !n || strtol(pid, NULL, 10) != (long)getpid() || strtol(n, NULL, 10) < 1)
        return 0;
    return 3;
}

static int act_http(struct command *command, haft_server *server)
{
    haft_http_options *http = &command->http;
    haft_reason reason = {0};
    int status;

    http->workers = command->workers;
    http->allowed_hosts = command->hosts[0] ? command->hosts : NULL;
    http->allowed_origins = command->origins[0] ? command->origins : NULL;
    http->fd = inherited_socket();
    http->ready = on_ready;
    http->ready_context = command;
    status = haft_serve_http(server, http, &reason);
    if (status < 0)
        fprintf(stderr, "%s: %s: %s\n", command->program, reason.path, reason.text);
    return status < 0 ? FAILED : status;
}

/* What was wrong has been logged by now. */
static int act_check(struct command *command, haft_server *server)
{
    struct catalogue *catalogue = catalogue_take(server);
    size_t n = catalogue->shelves[HAFT_OFFER_TOOL].n;

    (void)command;
    catalogue_drop(catalogue);
    printf("%zu tool%s offered%s\n", n, n == 1 ? " is" : "s are",
           server->error.code ? ", and not everything that was added" : "");
    return server->error.code ? FAILED : OK;
}

static void print(const haft_buffer *buffer)
{
    fwrite(buffer->data, 1, buffer->size, stdout);
}

static void print_json(yyjson_val *value)
{
    haft_buffer buffer;

    haft_buffer_init(&buffer, NULL, ARENA_LIMIT);
    haft_json_write(value, &buffer);
    haft_buffer_puts(&buffer, "\n");
    print(&buffer);
    haft_buffer_finish(&buffer);
}

/* A block that is no text is said to be there. */
static void print_block(yyjson_val *block)
{
    const char *type = yyjson_get_str(yyjson_obj_get(block, "type"));
    yyjson_val *text = yyjson_obj_get(block, "text");
    yyjson_val *resource = yyjson_obj_get(block, "resource");
    const char *what = yyjson_get_str(yyjson_obj_get(block, "mimeType"));

    if (resource && !text)
        text = yyjson_obj_get(resource, "text");
    if (!what)
        what = yyjson_get_str(yyjson_obj_get(resource ? resource : block, "uri"));
    if (yyjson_is_str(text))
        printf("%s\n", yyjson_get_str(text));
    else
        printf("[%s%s%s]\n", type ? type : "?", what ? " " : "", what ? what : "");
}

static int show_list(struct command *command, yyjson_val *result, haft_arena *arena)
{
    haft_buffer buffer;
    int status;

    if (command->json) {
        print_json(result);
        return OK;
    }
    haft_buffer_init(&buffer, NULL, ARENA_LIMIT);
    status = manifest_write(yyjson_obj_get(result, "tools"), arena, &buffer);
    if (status)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    else
        print(&buffer);
    haft_buffer_finish(&buffer);
    return status ? FAILED : OK;
}

static int show_call(struct command *command, yyjson_val *result, haft_arena *arena)
{
    size_t i, n;
    yyjson_val *block;

    (void)arena;
    if (command->json)
        print_json(result);
    else
        yyjson_arr_foreach(yyjson_obj_get(result, "content"), i, n, block)
            print_block(block);
    return yyjson_get_bool(yyjson_obj_get(result, "isError")) ? FAILED : OK;
}

typedef int show_function(struct command *command, yyjson_val *result, haft_arena *arena);

static int ask_and_show(struct command *command, struct local *local, const char *method,
                        const char *params, haft_arena *arena, show_function *show)
{
    yyjson_val *result = NULL, *error = NULL;
    int diverted = stdout_divert();
    int status = local_ask(local, method, params, arena, &result, &error);

    stdout_restore(diverted);
    if (status) {
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
        return MISUSED;
    }
    if (error) {
        fprintf(stderr, "%s: %s (%d)\n", command->program,
                yyjson_get_str(yyjson_obj_get(error, "message")),
                yyjson_get_int(yyjson_obj_get(error, "code")));
        return MISUSED;
    }
    return show(command, result, arena);
}

static int ask(struct command *command, haft_server *server, const char *method, const char *params,
               show_function *show)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA_LIMIT);
    struct local local;
    int status = arena ? local_open(&local, server, command->workers) : HAFT_ENOMEM;

    if (status) {
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
        haft_arena_free(arena);
        return FAILED;
    }
    status = ask_and_show(command, &local, method, params, arena, show);
    if (!local_close(&local)) {
        fflush(stdout);
        _exit(status);
    }
    haft_arena_free(arena);
    return status;
}

static int act_list(struct command *command, haft_server *server)
{
    server->options.page_size = 0;
    return ask(command, server, "tools/list", NULL, show_list);
}

static int act_call(struct command *command, haft_server *server)
{
    const char *arguments = command->arguments ? command->arguments : "{}";
    haft_arena *arena = haft_arena_new(NULL, ARENA_LIMIT);
    haft_reason reason = {.text = "out of memory"};
    haft_buffer params;
    int status = MISUSED;

    haft_buffer_init(&params, NULL, ARENA_LIMIT);
    if (!arena || !haft_json_read(arguments, strlen(arguments), 0, arena, &reason)) {
        fprintf(stderr, "%s: the arguments are not JSON: %s\n", command->program, reason.text);
        goto out;
    }
    haft_buffer_puts(&params, "{\"name\":");
    haft_buffer_json_string(&params, command->tool, strlen(command->tool));
    haft_buffer_printf(&params, ",\"arguments\":%s}", arguments);
    haft_buffer_add(&params, "", 1);
    if (params.status)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(params.status));
    else
        status = ask(command, server, "tools/call", params.data, show_call);

out:
    haft_buffer_finish(&params);
    haft_arena_free(arena);
    return status;
}

/* ---- all of it ---- */

static uint64_t random_number(void)
{
    uint64_t number = 0;

    return uv_random(NULL, NULL, &number, sizeof number, 0, NULL) ? uv_hrtime() : number;
}

/* What the operator asks of the server, whatever it does then. */
static int prepare(struct command *command, haft_server *server, struct audit_file *audit)
{
    int status = environment_apply(server, command->tools, command->read_only);

    if (!server->options.clock)
        server->options.clock = uv_hrtime;
    if (!server->options.random)
        server->options.random = random_number;
    if (!status && command->audit)
        status = audit_file_open(audit, server, command->audit);
    if (status)
        fprintf(stderr, "%s: %s: %s\n", command->program, server->error.path, server->error.text);
    return status ? FAILED : OK;
}

static int run(struct command *command, haft_server *server)
{
    struct audit_file audit = {.fd = -1};
    int status;

    if (logger_init(&command->logger, command->level))
        return FAILED;
    if (!server_has_log(server))
        server_set_record(server, logger_record, &command->logger);
    status = prepare(command, server, &audit);
    if (status == OK)
        status = command->act(command, server);
    if (fflush(stdout) && status == OK)
        status = FAILED;
    haft_server_free(server);
    audit_file_close(&audit);
    logger_finish(&command->logger);
    return status;
}

int haft_main(haft_server *server, int argc, char **argv)
{
    struct command command = {.act = act_serve, .level = HAFT_WARNING, .workers = 4};
    int status;

    command.program = argc > 0 && argv[0] ? argv[0] : "haft";
    if (!server) {
        fprintf(stderr, "%s: the server could not be made\n", command.program);
        return FAILED;
    }
    status = read_options(&command, argc, argv);
    if (status == OK)
        return run(&command, server);
    haft_server_free(server);
    return status;
}
