/* client.c - the client that the protocol's conformance suite runs, one process for each scenario.
 *
 *     conformance-client URL
 *
 * The suite starts a server for a scenario and says in the environment which one it is; the table
 * at the end says what the client does there.  Nothing but the public functions is used: what the
 * scenarios check is what every program on the library does.  The exit status is 0 if all of it
 * worked, and 1, with a line on standard error, if the library or the server refused: in some
 * scenarios that is right. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <yyjson.h>

#define MODERN "2026-07-28"
#define REDIRECT_URI "http://localhost:3000/callback"
#define METADATA_URL "https://conformance-test.local/client-metadata.json"

enum { TEXT_LIMIT = 1 << 20, TIMEOUT_MS = 20000, URL_LIMIT = 8192 };

struct run {
    const char *url, *scenario, *revision;
    haft_arena *arena;   /* of what outlives a request */
    haft_value *context; /* of the scenario; NULL for none */
    haft_authorizer *authorizer;
    haft_client *client;
};

struct scenario {
    const char *name; /* or how the name begins, with a * at the end */
    int (*steps)(struct run *run);
    bool listen; /* the server sends on a stream that belongs to no request */
};

static int complain(const struct run *run, const char *what, const char *why)
{
    fprintf(stderr, "conformance-client: %s: %s: %s\n", run->scenario, what, why);
    return -1;
}

/* A string of the scenario's context; NULL if it is not there. */
static const char *context_text(const struct run *run, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(run->context, name));
}

/* ---- a person who agrees to everything ---- */

/* Splits http://HOST:PORT/REST; the REST keeps its slash. */
static bool split_url(const char *url, char host[256], char port[8], const char **ret_rest)
{
    int used = 0;

    if (sscanf(url, "http://%255[^:/?]:%7[0-9]%n", host, port, &used) != 2 || url[used] != '/')
        return false;
    *ret_rest = url + used;
    return true;
}

static int dial(const char *host, const char *port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found, *at;
    int fd = -1;

    if (getaddrinfo(host, port, &hints, &found))
        return -1;
    for (at = found; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen)) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

/* Sends a GET and reads the head of the answer, or as much of it as there is room for. */
static size_t get_head(const char *url, char *ret_head, size_t room)
{
    char host[256], port[8];
    const char *rest;
    size_t size = 0;
    int fd;

    if (!split_url(url, host, port, &rest))
        return 0;
    fd = dial(host, port);
    if (fd < 0)
        return 0;
    if (dprintf(fd, "GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n", rest, host,
                port) > 0)
        for (ssize_t n = 1; n > 0 && size + 1 < room && !strstr(ret_head, "\r\n\r\n");) {
            n = read(fd, ret_head + size, room - 1 - size);
            size += n > 0 ? (size_t)n : 0;
            ret_head[size] = '\0';
        }
    close(fd);
    return size;
}

/* Visits the page of a login, which redirects at once, and does not follow. */
static int agree(void *context, const char *url)
{
    struct run *run = context;
    char head[URL_LIMIT] = "", *line, *end;

    get_head(url, head, sizeof head);
    for (line = head; (line = strstr(line, "\r\n")) != NULL;) {
        line += 2;
        if (strncasecmp(line, "location:", 9))
            continue;
        line += 9 + strspn(line + 9, " ");
        end = strstr(line, "\r\n");
        if (end)
            *end = '\0';
        return haft_oauth_redirected(run->authorizer, line);
    }
    return HAFT_EPROTOCOL;
}

/* Which grant a scenario is about, and with what. */
static void choose_grant(const struct run *run, haft_oauth_options *options)
{
    const char *name = run->scenario + strlen("auth/");

    options->client_id = context_text(run, "client_id");
    options->client_secret = context_text(run, "client_secret");
    options->issuer = context_text(run, "issuer");
    options->dpop = !strncmp(name, "dpop", 4);
    options->trust_origin = !strncmp(name, "2025-03-26", 10);
    if (!strncmp(name, "client-credentials", 18)) {
        options->grant = HAFT_GRANT_CREDENTIALS;
        options->private_key = context_text(run, "private_key_pem");
    } else if (!strcmp(name, "enterprise-managed-authorization")) {
        options->grant = HAFT_GRANT_ID_JAG;
        options->assertion = context_text(run, "idp_id_token");
        options->idp_token_endpoint = context_text(run, "idp_token_endpoint");
        options->idp_client_id = context_text(run, "idp_client_id");
    } else if (!strcmp(name, "wif-jwt-bearer")) {
        options->grant = HAFT_GRANT_JWT_BEARER;
        options->assertion = context_text(run, "valid_jwt");
    }
}

static int make_authorizer(struct run *run)
{
    haft_oauth_options options =
        HAFT_INIT(haft_oauth_options, .client_name = "conformance-client",
                  .client_metadata_url = METADATA_URL, .redirect_uri = REDIRECT_URI,
                  .manual_redirect = true, .open_url = agree, .context = run);
    haft_reason reason = {0};

    choose_grant(run, &options);
    run->authorizer = haft_oauth_new(&options, &reason);
    return run->authorizer ? 0 : complain(run, "authorizer", reason.text);
}

/* ---- questions ---- */

static int asked(void *context, haft_question *question)
{
    const char *method = haft_question_method(question);
    haft_value *mode = yyjson_obj_get(haft_question_params(question), "mode");

    (void)context;
    if (!strcmp(method, "elicitation/create"))
        return yyjson_equals_str(mode, "url") ? haft_question_decline(question)
                                              : haft_question_accept(question, NULL);
    if (!strcmp(method, "sampling/createMessage"))
        return haft_question_answer(
            question, "{\"role\":\"assistant\",\"model\":\"stand-in\",\"stopReason\":\"endTurn\","
                      "\"content\":{\"type\":\"text\",\"text\":\"A test response\"}}");
    return haft_question_answer(question,
                                "{\"roots\":[{\"uri\":\"file:///home/test\",\"name\":\"home\"}]}");
}

/* ---- steps ---- */

static int check_result(const struct run *run, const char *what, int status,
                        const haft_result *result)
{
    if (status)
        return complain(run, what, haft_client_error(run->client, NULL));
    return result->is_error ? complain(run, what, result->text) : 0;
}

static int list(const struct run *run, haft_offer kind, haft_result *ret_result)
{
    return check_result(run, "list", haft_client_list(run->client, kind, ret_result), ret_result);
}

static int list_tools(struct run *run)
{
    haft_result result;

    return list(run, HAFT_OFFER_TOOL, &result);
}

static int call(const struct run *run, const char *tool, const char *arguments)
{
    haft_result result;
    int status = haft_client_call(run->client, tool, arguments, &result);

    return check_result(run, tool, status, &result);
}

/* A copy of a value as text, which lives as long as the run. */
static const char *text_of(const struct run *run, const haft_value *value)
{
    haft_buffer text;
    const char *copy;

    haft_buffer_init(&text, NULL, TEXT_LIMIT);
    haft_json_write(value, &text);
    copy = text.status ? NULL : haft_arena_copy(run->arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

/* A copy of a member of the first item in a list that has it. */
static const char *first(const struct run *run, const haft_result *result, const char *member)
{
    const char *text = yyjson_get_str(yyjson_obj_get(yyjson_arr_get(result->content, 0), member));

    return text ? haft_arena_copy(run->arena, text, strlen(text)) : NULL;
}

static int use_tools(struct run *run)
{
    return list_tools(run) || call(run, "add_numbers", "{\"a\":5,\"b\":3}");
}

static int answer_form(struct run *run)
{
    return list_tools(run) || call(run, "test_client_elicitation_defaults", "{}");
}

static int reconnect(struct run *run)
{
    return list_tools(run) || call(run, "test_reconnection", "{}");
}

/* One request of each method. */
static int send_methods(struct run *run)
{
    const char *uri, *prompt;
    haft_result result;

    if (list_tools(run) || call(run, "test_headers", "{}") ||
        list(run, HAFT_OFFER_RESOURCE, &result))
        return -1;
    uri = first(run, &result, "uri");
    if (!uri)
        return complain(run, "resources/list", "there is no resource");
    if (check_result(run, uri, haft_client_read(run->client, uri, &result), &result) ||
        list(run, HAFT_OFFER_PROMPT, &result))
        return -1;
    prompt = first(run, &result, "name");
    if (!prompt)
        return complain(run, "prompts/list", "there is no prompt");
    return check_result(run, prompt, haft_client_get(run->client, prompt, NULL, &result), &result);
}

/* The calls that the context has. */
static int mirror_arguments(struct run *run)
{
    haft_value *calls = yyjson_obj_get(run->context, "toolCalls"), *at;
    size_t i, n;

    if (list_tools(run))
        return -1;
    if (!yyjson_arr_size(calls))
        return complain(run, "toolCalls", "the context has none");
    yyjson_arr_foreach(calls, i, n, at) {
        const char *name = yyjson_get_str(yyjson_obj_get(at, "name"));
        const char *arguments = text_of(run, yyjson_obj_get(at, "arguments"));

        if (!name || !arguments || call(run, name, arguments))
            return -1;
    }
    return 0;
}

/* Every tool that the library has not dropped. */
static int call_all(struct run *run)
{
    haft_result result;
    const char *names;
    haft_value *all, *at;
    size_t i, n;

    if (list(run, HAFT_OFFER_TOOL, &result))
        return -1;
    names = text_of(run, result.content);
    all = names ? haft_json_read(names, strlen(names), 0, run->arena, NULL) : NULL;
    if (!all)
        return complain(run, "tools/list", "out of memory");
    yyjson_arr_foreach(all, i, n, at)
        if (call(run, yyjson_get_str(yyjson_obj_get(at, "name")), "{\"region\":\"x\"}"))
            return -1;
    return 0;
}

static int keep_state(struct run *run)
{
    return list_tools(run) || call(run, "test_mrtr_echo_state", "{}") ||
           call(run, "test_mrtr_unrelated", "{}") || call(run, "test_mrtr_no_state", "{}") ||
           call(run, "test_mrtr_no_result_type", "{}");
}

/* Sends a tool's schema back as it came. */
static int echo_schema(struct run *run)
{
    haft_result result;
    haft_value *at;
    const char *schema = NULL, *arguments;
    size_t i, n;

    if (list(run, HAFT_OFFER_TOOL, &result))
        return -1;
    yyjson_arr_foreach(result.content, i, n, at)
        if (yyjson_equals_str(yyjson_obj_get(at, "name"), "json_schema_2020_12_tool"))
            schema = text_of(run, yyjson_obj_get(at, "inputSchema"));
    arguments = schema ? haft_arena_printf(run->arena, "{\"schema\":%s}", schema) : NULL;
    return arguments ? call(run, "json_schema_echo", arguments)
                     : complain(run, "tools/list", "the tool is missing");
}

static int authorized_call(struct run *run)
{
    return list_tools(run) || call(run, "test-tool", "{}");
}

/* ---- skills ---- */

static int list_skills(struct run *run)
{
    haft_reason reason = {0};
    haft_skills *skills = haft_client_skills(run->client, &reason);

    if (!skills)
        return complain(run, "skills/list", reason.text);
    haft_skills_free(skills);
    return 0;
}

/* Reads all files of a skill, until one is not what the skill says. */
static int load_skill(struct run *run, const haft_skill *skill)
{
    haft_reason reason = {0};
    haft_buffer text;
    int status = 0;

    haft_buffer_init(&text, NULL, TEXT_LIMIT);
    status = haft_client_read_skill(run->client, skill, "SKILL.md", &text, &reason);
    for (size_t i = 0; i < skill->n_files && !status; i++)
        status = haft_client_read_skill(run->client, skill, skill->files[i].path, &text, &reason);
    haft_buffer_finish(&text);
    return status ? complain(run, reason.path, reason.text) : 0;
}

static int load_skills(struct run *run)
{
    haft_reason reason = {0};
    haft_skills *skills = haft_client_skills(run->client, &reason);
    int status = skills ? 0 : complain(run, "skills/list", reason.text);

    for (size_t i = 0; i < haft_skills_count(skills) && !status; i++)
        status = load_skill(run, haft_skills_at(skills, i));
    haft_skills_free(skills);
    return status;
}

static const struct scenario scenarios[] = {
    {"initialize", list_tools, false},
    {"request-metadata", list_tools, false},
    {"json-schema-ref-no-deref", list_tools, false},
    {"tools_call", use_tools, false},
    {"elicitation-sep1034-client-defaults", answer_form, true},
    {"sse-retry", reconnect, false},
    {"http-standard-headers", send_methods, false},
    {"http-custom-headers", mirror_arguments, false},
    {"http-invalid-tool-headers", call_all, false},
    {"sep-2322-client-request-state", keep_state, false},
    {"json-schema-2020-12-preservation", echo_schema, false},
    {"sep-2640-client-no-prefetch", list_skills, false},
    {"sep-2640-client-verify-*", load_skills, false},
    {"auth/*", authorized_call, false},
};

static const struct scenario *scenario_find(const char *name)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const char *known = scenarios[i].name, *star = strchr(known, '*');

        if (star ? !strncmp(name, known, (size_t)(star - known)) : !strcmp(name, known))
            return &scenarios[i];
    }
    return NULL;
}

/* ---- the run ---- */

static int run_scenario(struct run *run, const struct scenario *scenario)
{
    haft_reason reason = {0};
    int status;

    if (!strncmp(run->scenario, "auth/", 5) && make_authorizer(run))
        return -1;
    run->client = haft_client_connect(
        HAFT_WITH(haft_target, .url = run->url, .authorizer = run->authorizer,
                  .listen = scenario->listen),
        HAFT_WITH(haft_client_options, .name = "conformance-client", .revision = run->revision,
                  .ask = asked, .timeout_ms = TIMEOUT_MS, .context = run),
        &reason);
    status = run->client ? scenario->steps(run) : complain(run, "connect", reason.text);
    haft_client_free(run->client);
    haft_authorizer_free(run->authorizer);
    return status;
}

int main(int argc, char **argv)
{
    const char *name = getenv("MCP_CONFORMANCE_SCENARIO");
    const char *context = getenv("MCP_CONFORMANCE_CONTEXT");
    const char *revision = getenv("MCP_CONFORMANCE_PROTOCOL_VERSION");
    const struct scenario *scenario = name ? scenario_find(name) : NULL;
    struct run run = {.scenario = name, .revision = revision ? revision : MODERN};
    int status;

    if (argc < 2 || !scenario) {
        fprintf(stderr, "conformance-client: %s\n",
                argc < 2 ? "the URL is missing" : "MCP_CONFORMANCE_SCENARIO is not a known name");
        return 2;
    }
    run.url = argv[argc - 1];
    run.arena = haft_arena_new(NULL, 16 * TEXT_LIMIT);
    if (context)
        run.context = haft_json_read(context, strlen(context), 0, run.arena, NULL);
    status = run.arena && (run.context || !context) ? run_scenario(&run, scenario)
                                                    : complain(&run, "context", "invalid");
    haft_arena_free(run.arena);
    return status ? 1 : 0;
}
