/* shorter.c - a program that was compiled before the structs that it fills in had their last members (shorten.sh): each
 * lies at the very end of readable memory, so that a library which reads on crashes.
 *
 * shorter PLUGIN GATEWAY_PLUGIN prints the names of the structs that it has tried. */
#define _GNU_SOURCE
#include <haft.h>
#include <haft/store.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *plugin, *gateway_plugin;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A copy behind which there is nothing. */
static void *at_end(const void *from, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED && size <= page);
    CHECK(!mprotect(memory + page, page, PROT_NONE));
    return memcpy(memory + page - size, from, size);
}

#define AT_END(type, ...) ((type *)at_end(HAFT_WITH(type, __VA_ARGS__), sizeof(type)))

/* ---- the tools of the server ---- */

HAFT_STRUCT(base_args, HAFT_STRING(name, "Whom to greet", .min = 1, .starts = "A"));
HAFT_ENUMERATION(tone, kind, gruff);
HAFT_STRUCT(greet_args, HAFT_EXTENDS(base_args), HAFT_OPTIONAL(HAFT_ENUM(tone, tone, "How")),
            HAFT_OPTIONAL(HAFT_ARRAY(others, HAFT_STRING(other, "A name", .max = 3), "Others")));
HAFT_OPTIONS(greet_args, .extra = HAFT_EXTRA_IGNORE, .title = "Greeting");

static int greet(haft_call *call, const greet_args *in)
{
    return haft_text(call, "Hello, %s!", in->base.name);
}
HAFT_TOOL_IN(greet, greet_args, "Greets somebody");

static const char *ask(haft_server *server, const char *tool, const char *arguments)
{
    static char text[512];
    haft_client *client = haft_client_new(server, AT_END(haft_client_options, .name = "short"));
    haft_result result;

    CHECK(client);
    CHECK(haft_client_call(client, tool, arguments, &result) == 0);
    snprintf(text, sizeof text, "%s", result.text);
    haft_client_free(client);
    return text;
}

static haft_server *serve(void)
{
    haft_server *server =
        haft_server_new_with("short", "1", AT_END(haft_server_options, .page_size = 5));

    CHECK(server);
    CHECK(haft_add(server, at_end(&greet_tool, sizeof greet_tool)) == 0);
    return server;
}

/* ---- one function for each struct, or for some that belong together ---- */

static void tool(void)
{
    haft_server *server = serve();

    CHECK(!strcmp(ask(server, "greet", "{\"name\":\"Ann\"}"), "Hello, Ann!"));
    CHECK(haft_tool_replace(server, "greet", at_end(&greet_tool, sizeof greet_tool)) == 0);
    haft_server_free(server);
}

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "text"});
}

static int say_it(haft_call *call, const void *arguments)
{
    (void)arguments;
    haft_prompt_say(call, "user");
    return haft_text(call, "text");
}

static void offers(void)
{
    haft_server *server = serve();
    haft_client *client;
    haft_result result;

    CHECK(haft_resource_add(
              server, AT_END(haft_resource, .uri = "a:b", .name = "b", .read = read_it)) == 0);
    CHECK(haft_template_add(
              server, AT_END(haft_resource, .uri = "c:{d}", .name = "d", .read = read_it)) == 0);
    CHECK(haft_prompt_add(server, AT_END(haft_prompt, .name = "p", .get = say_it)) == 0);
    client = haft_client_new(server, NULL);
    CHECK(haft_client_read(client, "c:1", &result) == 0 && !result.is_error);
    CHECK(haft_client_get(client, "p", NULL, &result) == 0 && !result.is_error);
    haft_client_free(client);
    CHECK(haft_server_set_visibility(server, AT_END(haft_visibility, .tools = "-greet")) == 0);
    CHECK(haft_server_set_search(server, AT_END(haft_search, .pinned = "-greet")) == 0);
    haft_server_free(server);
}

static int look(haft_call *call, void *data)
{
    (void)data;
    return haft_refuse(call, "stopped");
}

static void stages(void)
{
    haft_server *server =
        haft_server_new_with("short", "1", AT_END(haft_server_options, .client_rate = {5, 1000}));

    CHECK(server && haft_add(server, &greet_tool) == 0);
    CHECK(!strcmp(ask(server, "greet", "{\"name\":\"Ann\"}"), "Hello, Ann!"));
    CHECK(haft_stage_add(server, AT_END(haft_stage, .name = "look", .before = look)) == 0);
    CHECK(!strcmp(ask(server, "greet", "{\"name\":\"Ann\"}"), "stopped"));
    haft_server_free(server);
}

static int prepare(void *context, haft_value *value, void **ret_prepared, haft_reason *reason)
{
    (void)context, (void)value, (void)ret_prepared, (void)reason;
    return 0;
}

static void commit(void *context, void *prepared)
{
    (void)context, (void)prepared;
}

static void running(void)
{
    haft_server *server = serve();
    int fds[2];

    CHECK(haft_section_add(server, AT_END(haft_section, .name = "own", .prepare = prepare,
                                          .commit = commit)) == 0);
    CHECK(!pipe(fds));
    close(fds[1]);
    CHECK(haft_stdio_serve(server, AT_END(haft_stdio_options, .in = fds[0])) == 0);
    haft_server_free(server);
}

HAFT_OPTION_STRUCT(reader, HAFT_OPTION_STRING(user, "--user", "who", .initial = "ada"),
                   HAFT_OPTION_ENUM(tone, tone, "--tone", "how", .initial = "gruff"));

static void options(void)
{
    haft_server *server = serve();
    char name[] = "reader", user[] = "--user=eve", *argv[] = {name, user, NULL};
    const haft_option_table *table = &reader_table;
    reader values = {0};

    CHECK(haft_options_add(
              server,
              AT_END(haft_option_table, .size = sizeof values,
                     .options = at_end(table->options, table->n_options * sizeof(haft_option)),
                     .n_options = table->n_options),
              &values) == 0);
    CHECK(haft_options_read(server, 2, argv) == 0);
    CHECK(!strcmp(values.user, "eve") && values.tone == tone_gruff);
    haft_server_free(server);
}

static void schemas(void)
{
    const char text[] = "{\"type\":\"object\"}";
    haft_type type = greet_args_type;
    haft_schema *schema;
    haft_reason reason;
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_issues issues;
    haft_buffer out;

    haft_buffer_init(&out, NULL, 1 << 16);
    CHECK(haft_schema_parse(text, sizeof text - 1, AT_END(haft_schema_options, .max_depth = 9),
                            &schema, &reason) == 0);
    CHECK(haft_schema_emit(schema, AT_END(haft_emit_options, .with_dialect = true), &out) == 0);
    haft_schema_free(schema);

    /* The types as they are in a program: its fields one after the other, and shorter. */
    type.fields = at_end(type.fields, type.n_fields * sizeof *type.fields);
    type.options = at_end(type.options, sizeof *type.options);
    haft_buffer_clear(&out);
    CHECK(haft_schema_compile(at_end(&type, sizeof type),
                              AT_END(haft_schema_options, .max_depth = 9), &schema, &reason) == 0);
    CHECK(haft_schema_emit(schema, NULL, &out) == 0);
    haft_buffer_add(&out, "", 1);
    CHECK(strstr(out.data, "\"title\":\"Greeting\"") && strstr(out.data, "\"maxLength\":3"));
    CHECK(haft_schema_validate_text(schema, "{\"name\":\"\"}", 11, arena, &issues) == HAFT_EISSUES);
    CHECK(haft_schema_validate_text(schema, "{\"name\":\"A\",\"x\":1}", 18, arena, &issues) == 0);
    haft_schema_free(schema);
    haft_buffer_finish(&out);
    haft_arena_free(arena);
}

static size_t sent;

static void send_it(void *context, const haft_outgoing *message)
{
    (void)context;
    sent += message->size;
}

static void wake(void *context)
{
    (void)context;
}

static void sessions(void)
{
    haft_server *server = serve();
    haft_transport *transport = AT_END(haft_transport, .send = send_it);
    haft_loop *loop = AT_END(haft_loop, .wake = wake);
    haft_session *session = haft_session_new(
        server, AT_END(haft_session_options, .transport = transport, .loop = loop));
    haft_endpoint *endpoint =
        haft_endpoint_new(server, AT_END(haft_endpoint_options, .path = "/short"));
    const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    CHECK(session && endpoint);
    CHECK(haft_session_receive(session, ping, sizeof ping - 1, NULL, 1) == 0 && sent);
    haft_session_free(session);
    haft_endpoint_free(endpoint);
    haft_server_free(server);
}

static int say_who(haft_call *call, const void *in, void *out)
{
    (void)in, (void)out;
    return haft_text(call, "%s", haft_call_identity(call)->scopes);
}

static void access_rules(void)
{
    static const char *const rules[] = {"deny tools greet", NULL};
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"who\"}}";
    haft_server *server = serve();
    haft_session *session = haft_session_new(
        server, AT_END(haft_session_options, .transport = AT_END(haft_transport, .send = send_it),
                       .loop = AT_END(haft_loop, .wake = wake)));
    haft_headers headers = {.identity =
                                AT_END(haft_identity, .principal = "p", .scopes = "read write")};

    CHECK(haft_add(server, HAFT_WITH(haft_tool, .name = "who", .description = "Says who",
                                     .call = say_who)) == 0);
    CHECK(haft_server_set_access(server, AT_END(haft_access, .rules = rules)) == 0);
    sent = 0;
    CHECK(haft_session_receive_http(session, call, sizeof call - 1, &headers, NULL, 1) == 1);
    CHECK(sent);
    haft_session_free(session);
    haft_server_free(server);
}

static int nothing_here;

static void *app_open(void *data, const haft_http_loop *loop, haft_reason *reason)
{
    (void)data, (void)loop, (void)reason;
    return &nothing_here;
}

static void *app_handle(void *app, const haft_request *request, const haft_responder *responder,
                        void *context, haft_time now)
{
    (void)app, (void)request, (void)responder, (void)context, (void)now;
    return NULL;
}

static void on_ready(void *context, const char *url)
{
    (void)context, (void)url;
    raise(SIGTERM);
}

static void http(void)
{
    haft_server *server = serve(), *other = serve();
    haft_http_mount mounts[] = {
        HAFT_INIT(haft_http_mount, .path = "/other", .server = other),
        HAFT_INIT(haft_http_mount, .path = "/app",
                  .app = AT_END(haft_app, .open = app_open, .handle = app_handle))};
    haft_http_options *options = AT_END(haft_http_options, .address = "127.0.0.1:0", .n_mounts = 2,
                                        .mounts = at_end(mounts, sizeof mounts), .ready = on_ready);
    haft_reason reason;
    int status = haft_http_serve(server, options, &reason);

    if (status)
        fprintf(stderr, "%s: %s\n", reason.path, reason.text);
    CHECK(status == 0);
    haft_server_free(server);
    haft_server_free(other);
}

static int inbound(haft_call *call, void *data)
{
    (void)data;
    return haft_call_set_principal(call, "somebody");
}

static int make(haft_gateway *gateway, const void *options, haft_arena *arena,
                haft_policy *ret_policy, haft_reason *reason)
{
    (void)gateway, (void)options, (void)arena, (void)reason;
    ret_policy->inbound = inbound;
    return 0;
}

HAFT_ROUTE_IN(greet, "GET", "/greet", greet_args, "Greets somebody", .policies = "known, made");

static void gateway(void)
{
    static const haft_tool *const tools[] = {&greet_tool, NULL};
    haft_gateway *gateway =
        haft_gateway_new(AT_END(haft_gateway_options, .one_thread = true,
                                .server = AT_END(haft_server_options, .page_size = 5)));
    haft_server *server;

    CHECK(gateway);
    CHECK(haft_policy_add(gateway, AT_END(haft_policy, .name = "known", .inbound = inbound)) == 0);
    CHECK(haft_policy_kind_add(gateway, AT_END(haft_policy_kind, .name = "own", .make = make)) ==
          0);
    CHECK(haft_policy_make(gateway, "made", "own", NULL) == 0);
    CHECK(haft_route_add(gateway, at_end(&greet_route, sizeof greet_route)) == 0);
    server = haft_mcp_add(gateway, AT_END(haft_mcp_options, .tools = tools));
    CHECK(server);
    CHECK(!strcmp(ask(server, "greet", "{\"name\":\"Ann\"}"), "Hello, Ann!"));
    haft_gateway_free(gateway);
}

static void spans(void)
{
    haft_server *server = serve();
    haft_reason reason = {0};
    haft_otlp *otlp =
        haft_otlp_new(server, AT_END(haft_otlp_options, .url = "http://127.0.0.1:9/x"), &reason);

    CHECK(otlp || reason.code != HAFT_EINVAL); /* there may be no libcurl */
    haft_otlp_free(otlp);
    haft_server_free(server);
}

static void on_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    (void)context, (void)client, (void)kind, (void)uri;
}

static void clients(void)
{
    haft_server *server = haft_server_new("short", "1");
    haft_client *client = haft_client_new(server, NULL);
    haft_result result;
    int64_t id;

    CHECK(haft_add(server, &greet_tool) == 0);
    id = haft_client_begin(
        client, AT_END(haft_client_exchange, .tool = "greet", .arguments = "{\"name\":\"Ann\"}"));
    CHECK(id > 0 && haft_client_wait(client, id, 0, &result) == 0);
    CHECK(!strcmp(result.text, "Hello, Ann!"));
    CHECK(haft_client_subscribe(client, AT_END(haft_topics, .tools = true), on_changed, NULL));
    haft_client_free(client);
    haft_server_free(server);
}

static void connections(void)
{
    haft_server *server = haft_server_new("connections", "1.0.0");
    haft_reason reason;
    haft_authorizer *authorizer = haft_oauth_new(
        AT_END(haft_oauth_options, .client_id = "c", .issuer = "https://example.com"), &reason);
    haft_client *client;
    haft_result result;

    CHECK(haft_add(server, &greet_tool) == 0);
    CHECK(authorizer);
    client = haft_client_connect(AT_END(haft_target, .server = server), NULL, &reason);
    CHECK(client && !haft_client_call(client, "greet", "{\"name\":\"Ann\"}", &result));
    CHECK(!strcmp(result.text, "Hello, Ann!"));
    haft_client_free(client);
    haft_authorizer_free(authorizer);
    haft_server_free(server);
}

/* The parts that issuers need may not be installed. */
static void authenticators(void)
{
    haft_reason reason = {0};
    haft_authenticator *authenticator = haft_authenticator_new(
        AT_END(haft_authenticator_options, .resource = "https://tools.example.org/mcp",
               .issuers = AT_END(haft_issuer, .url = "https://login.example.org"), .n_issuers = 1),
        &reason);

    CHECK(authenticator || reason.code == HAFT_ENOTFOUND);
    haft_authenticator_free(authenticator);
}

static int submit(haft_store *store, haft_store_request *request)
{
    (void)store, (void)request;
    return 0;
}

static void stores(void)
{
    haft_store *memory = haft_store_memory_new(AT_END(
        haft_store_memory_options, .spaces = &(haft_store_space){.name = "x"}, .n_spaces = 1));
    haft_store own = {AT_END(haft_store_methods, .name = "own", .submit = submit)};
    haft_store_op op = {.kind = HAFT_STORE_DELETE, .key = HAFT_SLICE("k")};
    haft_store_request request = {.space = "x", .group = HAFT_SLICE("g"), .ops = &op, .n_ops = 1};
    haft_reason reason = {0};

    /* neither the directory nor, perhaps, the part is there */
    CHECK(!haft_sqlite_store_new("/nowhere/at/all.db", AT_END(haft_sqlite_options, .max_queue = 1),
                                 &reason));
    CHECK(reason.code == HAFT_ENOTFOUND);
    CHECK(memory && haft_store_submit(memory, &request) == 0);
    CHECK(haft_store_submit(&own, &request) == 0);
    /* an invalid URL, or no part */
    CHECK(!haft_redis_store_new("redis://", AT_END(haft_redis_options, .prefix = "x"), &reason));
    CHECK(reason.code == HAFT_EINVAL || reason.code == HAFT_ENOTFOUND);
    CHECK(haft_store_get_status(memory, AT_END(haft_store_status, .reconnects = 0)) == 0);
    haft_store_free(memory);
    haft_store_free(&own);
}

static void extensions(void)
{
    haft_server *server = haft_server_new("short", "1");
    haft_tool tool = greet_tool;

    CHECK(haft_resource_add(server, AT_END(haft_resource, .uri = "ui://a/b", .name = "b",
                                           .mime_type = HAFT_UI_TYPE, .read = read_it,
                                           .page = AT_END(haft_ui_page, .camera = true))) == 0);
    tool.ui = AT_END(haft_ui, .resource = "ui://a/b");
    CHECK(haft_add(server, &tool) == 0);
    CHECK(haft_server_set_tasks(server, AT_END(haft_task_options, .workers = 1)) == 0);
    CHECK(haft_server_add_skills(server, "/nowhere/at/all",
                                 AT_END(haft_skill_options, .max_bytes = 1)) == HAFT_ENOTFOUND);
    haft_server_free(server);
}

static void plugins(void)
{
    haft_server *server = haft_server_new("short", "1");
    haft_plugins *all = haft_plugins_new(server);
    haft_reason reason = {0};

    if (haft_plugins_load(all, plugin, &reason))
        fprintf(stderr, "%s: %s\n", reason.path, reason.text);
    CHECK(!reason.code);
    CHECK(!strcmp(ask(server, "greet", "{\"name\":\"Ann\"}"), "Hello, Ann!"));
    haft_server_free(server);
    haft_plugins_free(all);
}

/* The routes of a gateway may name the policies that a plugin brings. */
static void gateway_plugins(void)
{
    char *arguments[] = {"short", "--list", NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    CHECK(haft_gateway_configure(gateway, AT_END(haft_mcp_options, .policies = "known")) == 0);
    CHECK(haft_gateway_plugin(gateway, gateway_plugin) == 0);
    fflush(stdout);
    CHECK(dup2(2, 1) == 1); /* the list is of no interest */
    CHECK(haft_gateway_main(gateway, 2, arguments) == 0);
}

static const struct {
    void (*run)(void);
    const char *structs;
} all[] = {
    {tool, "haft_tool haft_client_options haft_server_options"},
    {offers, "haft_resource haft_prompt haft_visibility haft_search"},
    {stages, "haft_stage"},
    {running, "haft_section haft_stdio_options"},
    {options, "haft_option haft_option_table"},
    {schemas,
     "haft_schema_options haft_emit_options haft_type haft_type_options haft_string_rules"},
    {sessions, "haft_session_options haft_endpoint_options haft_transport haft_loop"},
    {access_rules, "haft_access haft_identity"},
    {http, "haft_http_options haft_http_mount haft_app"},
    {gateway, "haft_gateway_options haft_mcp_options haft_policy haft_policy_kind haft_route"},
    {spans, "haft_otlp_options"},
    {clients, "haft_client_exchange haft_topics"},
    {connections, "haft_oauth_options haft_target"},
    {authenticators, "haft_authenticator_options haft_issuer"},
    {stores, "haft_redis_options haft_sqlite_options haft_store_memory_options haft_store_methods "
             "haft_store_status"},
    {extensions, "haft_skill_options haft_task_options haft_ui haft_ui_page"},
    {plugins, "haft_plugin"},
    {gateway_plugins, "haft_gateway_part"},
};

int main(int argc, char **argv)
{
    int out = dup(1);

    if (argc != 3 || out < 0)
        return 2;
    plugin = argv[1];
    gateway_plugin = argv[2];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fprintf(stderr, "== %s\n", all[i].structs);
        all[i].run();
        dprintf(out, "%s\n", all[i].structs);
    }
    return 0;
}
