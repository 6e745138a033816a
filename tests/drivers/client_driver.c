/* client_driver.c - a client that does what lines of JSON on its standard input say, for tests against servers
 * in other languages.
 *
 *     {"do":"connect","url":"http://127.0.0.1:1/mcp"}
 *     {"do":"call","name":"add","arguments":{"a":2,"b":40}}
 *
 * It prints one line for each command, with the status of the library, and before it a line for each event:
 * notifications, questions, progress, changes.  It ends with 0 at the end of its input. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

enum { LINE_LIMIT = 1 << 22, PRINT_LIMIT = 1 << 27, MOST_WORDS = 32, MOST_SUBSCRIPTIONS = 8 };

struct driver {
    haft_client *client;
    haft_authorizer *authorizer;
    haft_arena *kept; /* memory of the connection */
    haft_arena *line; /* memory of a command */
    haft_value *command;
    haft_buffer out;
    haft_subscription *subscriptions[MOST_SUBSCRIPTIONS];
    size_t n_subscriptions;
    const char *answers; /* what questions are answered with: accept, decline, refuse */
};

/* ---- reading a command ---- */

static const char *text_of(const struct driver *driver, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(driver->command, name));
}

static unsigned number_of(const struct driver *driver, const char *name)
{
    return (unsigned)yyjson_get_uint(yyjson_obj_get(driver->command, name));
}

static bool flag_of(const struct driver *driver, const char *name)
{
    return yyjson_get_bool(yyjson_obj_get(driver->command, name));
}

static const struct {
    const char *name;
    haft_offer offer;
} kinds[] = {
    {"tools", HAFT_OFFER_TOOL},
    {"resources", HAFT_OFFER_RESOURCE},
    {"templates", HAFT_OFFER_TEMPLATE},
    {"prompts", HAFT_OFFER_PROMPT},
};

static const char *offer_name(haft_offer offer)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].offer == offer)
            return kinds[i].name;
    return "unknown";
}

static haft_offer kind_of(const struct driver *driver)
{
    const char *kind = text_of(driver, "kind");

    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i].name))
            return kinds[i].offer;
    return HAFT_OFFER_TOOL;
}

/* A member as JSON text; NULL if it is not there. */
static const char *json_of(const struct driver *driver, const char *name, haft_arena *arena)
{
    haft_value *value = yyjson_obj_get(driver->command, name);
    haft_buffer text;
    const char *copy = NULL;

    if (!value)
        return NULL;
    haft_buffer_init(&text, NULL, LINE_LIMIT);
    haft_json_write(value, &text);
    if (!text.status)
        copy = haft_arena_copy(arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

/* An array of strings, NULL-terminated; NULL if it is not there. */
static const char *const *words_of(const struct driver *driver, const char *name, haft_arena *arena)
{
    haft_value *array = yyjson_obj_get(driver->command, name), *at;
    const char **words;
    size_t i, n;

    if (!array || yyjson_arr_size(array) > MOST_WORDS)
        return NULL;
    words = haft_arena_zalloc(arena, MOST_WORDS + 1, sizeof *words);
    yyjson_arr_foreach(array, i, n, at)
        words[i] = haft_arena_copy(arena, yyjson_get_str(at), yyjson_get_len(at));
    return words;
}

/* A string that outlives the command. */
static const char *kept_text(const struct driver *driver, const char *name)
{
    const char *text = text_of(driver, name);

    return text ? haft_arena_copy(driver->kept, text, strlen(text)) : NULL;
}

/* ---- printing ---- */

static void put_string(haft_buffer *out, const char *name, const char *text)
{
    haft_buffer_printf(out, ",\"%s\":", name);
    if (text)
        haft_buffer_json_string(out, text, strlen(text));
    else
        haft_buffer_puts(out, "null");
}

static void put_value(haft_buffer *out, const char *name, const haft_value *value)
{
    haft_buffer_printf(out, ",\"%s\":", name);
    if (value)
        haft_json_write(value, out);
    else
        haft_buffer_puts(out, "null");
}

static void print_line(haft_buffer *out)
{
    haft_buffer_puts(out, "}\n");
    if (out->status) {
        printf("{\"broken\":\"%s\"}\n", haft_strerror(out->status));
    } else {
        fwrite(out->data, 1, out->size, stdout);
    }
    fflush(stdout);
    haft_buffer_clear(out);
}

static void print_event(const char *event, const char *name, const char *text,
                        const haft_value *value)
{
    haft_buffer out;

    haft_buffer_init(&out, NULL, PRINT_LIMIT);
    haft_buffer_printf(&out, "{\"event\":\"%s\"", event);
    put_string(&out, name, text);
    put_value(&out, "params", value);
    print_line(&out);
    haft_buffer_finish(&out);
}

/* How a request ended. */
static void print_result(struct driver *driver, int status, const haft_result *result)
{
    haft_buffer *out = &driver->out;
    int http_status = 0;
    const char *why =
        status && driver->client ? haft_client_error(driver->client, &http_status) : NULL;

    haft_buffer_printf(out, "{\"status\":%d,\"http_status\":%d", status, http_status);
    put_string(out, "name", haft_strerror(status));
    put_string(out, "why", why);
    if (!status) {
        haft_buffer_printf(out, ",\"is_error\":%s,\"code\":%d", result->is_error ? "true" : "false",
                           result->error_code);
        put_string(out, "text", result->text);
        put_string(out, "error_message", result->error_message);
        put_value(out, "content", result->content);
        put_value(out, "structured", result->structured);
        put_value(out, "value", result->value);
    }
    print_line(out);
}

static void print_status(struct driver *driver, int64_t status)
{
    haft_buffer_printf(&driver->out, "{\"status\":%lld", (long long)status);
    put_string(&driver->out, "why",
               status < 0 && driver->client ? haft_client_error(driver->client, NULL) : NULL);
    print_line(&driver->out);
}

/* ---- callbacks ---- */

static void on_notification(void *context, const char *method, haft_value *params)
{
    (void)context;
    print_event("notification", "method", method, params);
}

static int on_question(void *context, haft_question *question)
{
    const struct driver *driver = context;
    const char *method = haft_question_method(question);

    print_event("question", "method", method, haft_question_params(question));
    if (!strcmp(driver->answers, "refuse"))
        return haft_question_refuse(question, -1, "not today");
    if (!strcmp(method, "elicitation/create"))
        return strcmp(driver->answers, "accept") ? haft_question_decline(question)
                                                 : haft_question_accept(question, NULL);
    if (!strcmp(method, "sampling/createMessage"))
        return haft_question_answer(
            question, "{\"role\":\"assistant\",\"model\":\"stand-in\",\"stopReason\":\"endTurn\","
                      "\"content\":{\"type\":\"text\",\"text\":\"sampled\"}}");
    return haft_question_answer(question,
                                "{\"roots\":[{\"uri\":\"file:///tmp\",\"name\":\"tmp\"}]}");
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    haft_buffer out;

    (void)context;
    haft_buffer_init(&out, NULL, LINE_LIMIT);
    haft_buffer_printf(&out, "{\"event\":\"progress\",\"progress\":%g,\"total\":%g", progress,
                       total);
    put_string(&out, "message", message);
    print_line(&out);
    haft_buffer_finish(&out);
}

static void on_change(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    haft_buffer out;

    (void)context;
    (void)client;
    haft_buffer_init(&out, NULL, LINE_LIMIT);
    haft_buffer_printf(&out, "{\"event\":\"change\",\"kind\":\"%s\"", offer_name(kind));
    put_string(&out, "uri", uri);
    print_line(&out);
    haft_buffer_finish(&out);
}

static void on_error_line(void *context, const char *line, size_t size)
{
    (void)context;
    fprintf(stderr, "%.*s\n", (int)size, line);
}

/* ---- commands ---- */

static void close_client(struct driver *driver)
{
    for (size_t i = 0; i < driver->n_subscriptions; i++)
        haft_subscription_free(driver->subscriptions[i]);
    driver->n_subscriptions = 0;
    haft_client_free(driver->client);
    haft_authorizer_free(driver->authorizer);
    driver->client = NULL;
    driver->authorizer = NULL;
    haft_arena_reset(driver->kept);
}

static void read_target(struct driver *driver, haft_target *target)
{
    const char *bearer = text_of(driver, "bearer");

    target->url = kept_text(driver, "url");
    target->command = words_of(driver, "command", driver->kept);
    target->environment = words_of(driver, "environment", driver->kept);
    target->directory = kept_text(driver, "directory");
    target->on_error_line = on_error_line;
    target->ca_file = kept_text(driver, "ca_file");
    target->legacy_sse = flag_of(driver, "legacy_sse");
    target->no_resume = flag_of(driver, "no_resume");
    target->listen = flag_of(driver, "listen");
    target->connect_ms = number_of(driver, "connect_ms");
    target->close_ms = number_of(driver, "close_ms");
    target->proxy = "";
    if (bearer)
        driver->authorizer = haft_bearer_new(bearer);
    target->authorizer = driver->authorizer;
}

static void read_options(struct driver *driver, haft_client_options *options)
{
    const char *answers = kept_text(driver, "answers");

    driver->answers = answers ? answers : "accept";
    options->revision = kept_text(driver, "revision");
    options->name = "client-driver";
    options->version = "1.0.0";
    options->log_level = kept_text(driver, "log_level");
    options->notify = on_notification;
    options->ask = strcmp(driver->answers, "none") ? on_question : NULL;
    options->context = driver;
    options->timeout_ms = number_of(driver, "timeout");
    options->max_ms = number_of(driver, "max_ms");
    options->max_in_flight = number_of(driver, "max_in_flight");
    options->max_rounds = number_of(driver, "max_rounds");
    options->max_pages = number_of(driver, "max_pages");
    options->max_message = number_of(driver, "max_message");
    options->no_cache = flag_of(driver, "no_cache");
    options->check_arguments = flag_of(driver, "check_arguments");
    options->check_results = flag_of(driver, "check_results");
    options->discovery = kept_text(driver, "discovery");
}

static void do_connect(struct driver *driver)
{
    haft_target target = HAFT_INIT(haft_target, 0);
    haft_client_options options = HAFT_INIT(haft_client_options, 0);
    haft_reason reason = {0};
    haft_buffer *out = &driver->out;

    close_client(driver);
    read_target(driver, &target);
    read_options(driver, &options);
    driver->client = haft_client_connect(&target, &options, &reason);
    haft_buffer_printf(out, "{\"status\":%d", driver->client ? 0 : reason.code);
    if (driver->client) {
        put_string(out, "revision", haft_client_revision(driver->client));
        put_value(out, "info", haft_client_server_info(driver->client));
        put_value(out, "capabilities", haft_client_capabilities(driver->client));
        put_string(out, "instructions", haft_client_instructions(driver->client));
    } else {
        put_string(out, "why", reason.text);
    }
    print_line(out);
}

static void do_call(struct driver *driver)
{
    haft_result result;

    print_result(driver,
                 haft_client_call(driver->client, text_of(driver, "name"),
                                  json_of(driver, "arguments", driver->line), &result),
                 &result);
}

static void do_read(struct driver *driver)
{
    haft_result result;

    print_result(driver, haft_client_read(driver->client, text_of(driver, "uri"), &result),
                 &result);
}

static void do_get(struct driver *driver)
{
    haft_result result;

    print_result(driver,
                 haft_client_get(driver->client, text_of(driver, "name"),
                                 json_of(driver, "arguments", driver->line), &result),
                 &result);
}

static void do_list(struct driver *driver)
{
    haft_result result;

    print_result(driver, haft_client_list(driver->client, kind_of(driver), &result), &result);
}

static void do_complete(struct driver *driver)
{
    haft_result result;

    print_result(driver,
                 haft_client_complete(driver->client, kind_of(driver), text_of(driver, "name"),
                                      text_of(driver, "argument"), text_of(driver, "value"),
                                      json_of(driver, "others", driver->line), &result),
                 &result);
}

static void do_request(struct driver *driver)
{
    haft_result result;

    print_result(driver,
                 haft_client_request(driver->client, text_of(driver, "method"),
                                     json_of(driver, "params", driver->line), &result),
                 &result);
}

/* Prints the id of a call, which `wait` and `cancel` take. */
static void do_begin(struct driver *driver)
{
    haft_client_exchange exchange = HAFT_INIT(haft_client_exchange, 0);

    exchange.tool = text_of(driver, "name");
    exchange.arguments = json_of(driver, "arguments", driver->line);
    exchange.timeout_ms = number_of(driver, "timeout");
    exchange.progress = flag_of(driver, "progress") ? on_progress : NULL;
    print_status(driver, haft_client_begin(driver->client, &exchange));
}

static void do_wait(struct driver *driver)
{
    haft_result result;

    print_result(
        driver,
        haft_client_wait(driver->client, number_of(driver, "id"), number_of(driver, "ms"), &result),
        &result);
}

static void do_cancel(struct driver *driver)
{
    print_status(driver, haft_client_cancel(driver->client, number_of(driver, "id")));
}

static void do_subscribe(struct driver *driver)
{
    haft_topics topics =
        HAFT_INIT(haft_topics, .tools = flag_of(driver, "tools"),
                  .resources = flag_of(driver, "resources"), .prompts = flag_of(driver, "prompts"));
    haft_subscription *made = NULL;

    topics.uris = words_of(driver, "uris", driver->kept);
    if (driver->n_subscriptions < MOST_SUBSCRIPTIONS)
        made = haft_client_subscribe(driver->client, &topics, on_change, driver);
    if (made)
        driver->subscriptions[driver->n_subscriptions++] = made;
    print_status(driver, made ? 0 : HAFT_EFAIL);
}

static void do_discovery(struct driver *driver)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, LINE_LIMIT);
    status = haft_client_discovery(driver->client, &text);
    haft_buffer_puts(&text, "");
    haft_buffer_add(&text, "", 1);
    haft_buffer_printf(&driver->out, "{\"status\":%d", status);
    put_string(&driver->out, "discovery", text.data);
    print_line(&driver->out);
    haft_buffer_finish(&text);
}

static void do_close(struct driver *driver)
{
    close_client(driver);
    print_status(driver, 0);
}

static const struct {
    const char *name;
    void (*act)(struct driver *driver);
} commands[] = {
    {"connect", do_connect}, {"call", do_call},           {"read", do_read},
    {"get", do_get},         {"list", do_list},           {"complete", do_complete},
    {"request", do_request}, {"begin", do_begin},         {"wait", do_wait},
    {"cancel", do_cancel},   {"subscribe", do_subscribe}, {"discovery", do_discovery},
    {"close", do_close},
};

static bool act(struct driver *driver, const char *text, size_t size)
{
    const char *name;

    haft_arena_reset(driver->line);
    driver->command = haft_json_read(text, size, 0, driver->line, NULL);
    name = text_of(driver, "do");
    for (size_t i = 0; name && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(name, commands[i].name)) {
            commands[i].act(driver);
            return true;
        }
    fprintf(stderr, "client-driver: not a command: %.*s\n", (int)size, text);
    return false;
}

int main(void)
{
    struct driver driver = {.kept = haft_arena_new(NULL, LINE_LIMIT),
                            .line = haft_arena_new(NULL, 8 * LINE_LIMIT)};
    char *text = NULL;
    size_t room = 0;
    ssize_t size;
    bool good = driver.kept && driver.line;

    haft_buffer_init(&driver.out, NULL, PRINT_LIMIT);
    while (good && (size = getline(&text, &room, stdin)) > 0)
        good = act(&driver, text, (size_t)size);
    if (driver.kept)
        close_client(&driver);
    free(text);
    haft_buffer_finish(&driver.out);
    haft_arena_free(driver.line);
    haft_arena_free(driver.kept);
    return good ? 0 : 2;
}
