/* serve.c - the command serve: a gateway defined by its configuration and plugins. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "cli/verb.h"
#include "gateway/command.h"
#include "gateway/configure.h"
#include "program.h"

static const char default_address[] = "127.0.0.1:8808";

/* ---- demonstrations ---- */

static const haft_mcp_options shop_endpoint =
    HAFT_INIT(haft_mcp_options, .name = "shop", .version = "1.0.0", .routes = "*_todo*");

/* What --demo=NAME serves. Its files are beside the program, wherever both are installed. */
struct demo {
    const char *name;
    const char *plugin;
    const char *config; /* configuration, unless the command line names another; NULL for none */
    const haft_mcp_options *endpoint; /* endpoint without a configuration; NULL for the default */
    const char *instructions;
    const char *hints; /* commands to try; NULL for none */
};

static const struct demo demos[] = {
    {"shop", "shop.so", NULL, &shop_endpoint,
     "A small shop to try things with. Customers are cust-1 to cust-3, products sku-1 to sku-5; prices are in "
     "cents. process_order places an order, get_weather knows a few cities, and the list of things to do "
     "begins empty.",
     NULL},
    {"upstreams", "bikes.so", "upstreams.json", NULL,
     "Tools of several upstreams to try things with. Those of bikes are the operations of an HTTP API that rents "
     "bikes in Utrecht and Lisbon; those of programs run programs of this machine; those of shop belong to another MCP server, a "
     "small shop.",
     "The upstreams are an HTTP API (bikes), programs of this machine (programs) and an MCP server (shop). In another terminal, try:\n"
     "\n"
     "  haft tools URL\n"
     "  haft call URL bikes__listStations city=Utrecht\n"
     "  haft call URL bikes__rentBike stationId=ut-2 hours=3\n"
     "  haft call URL programs__date when='next friday'\n"
     "  haft call URL shop__add_numbers a=5 b=3\n"
     "\n"
     "URL is that of the endpoint, http://127.0.0.1:8808/mcp unless --http says otherwise."},
};
enum { DEMOS = sizeof demos / sizeof *demos };

/* Writes the path of the program, or of a file of the demonstrations if there is a name: "" for their
 * directory. Returns false if it does not fit. */
static bool demo_path(const char *name, char *path, size_t room)
{
    size_t size = room - 1;
    char *slash;
    int written;

    if (uv_exepath(path, &size))
        return false;
    path[size] = '\0';
    if (!name)
        return true;
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    room -= (size_t)(slash - path);
    written = snprintf(slash, room, "/" HAFT_DEMO "%s%s", *name ? "/" : "", name);
    return written > 0 && (size_t)written < room;
}

/* The configurations of demonstrations use these variables. */
static bool demo_set_variables(void)
{
    char path[PATH_MAX];

    return demo_path(NULL, path, sizeof path) && !setenv("DEMO_PROGRAM", path, 1) &&
           demo_path("", path, sizeof path) && !setenv("DEMO_FILES", path, 1);
}

static int demo_add(const struct demo *demo, haft_gateway *gateway)
{
    char path[PATH_MAX];

    if (!demo_set_variables() || !demo_path(demo->plugin, path, sizeof path))
        return HAFT_EINVAL;
    return haft_gateway_plugin(gateway, path);
}

/* ---- the command line ---- */

/* The value of an option in a word, "" if it has none; NULL if the word is another option. */
static const char *option_value(const char *word, const char *option)
{
    size_t size = strlen(option);

    if (strncmp(word, option, size) != 0)
        return NULL;
    return word[size] == '=' ? word + size + 1 : word[size] ? NULL : word + size;
}

static const struct demo *demo_named(const char *name)
{
    for (size_t i = 0; i < DEMOS; i++)
        if (!strcmp(demos[i].name, *name ? name : demos[0].name))
            return &demos[i];
    return NULL;
}

/* Removes --demo from the words, and sets *ret_demo, which stays NULL if it was not there. Returns
 * false after reporting an unknown name. */
static bool take_demo(struct invocation *call, const struct demo **ret_demo)
{
    size_t n = 0;

    for (size_t i = 0; i < call->n_words; i++) {
        const char *name = option_value(call->words[i], "--demo");

        if (!name) {
            call->words[n++] = call->words[i];
            continue;
        }
        *ret_demo = demo_named(name);
        if (!*ret_demo) {
            complain(EXIT_USAGE, "--demo: expected shop or upstreams, not %s", name);
            return false;
        }
    }
    call->words[n] = NULL;
    call->n_words = n;
    return true;
}

static bool words_have(const struct invocation *call, const char *option)
{
    for (size_t i = 0; i < call->n_words; i++)
        if (option_value(call->words[i], option))
            return true;
    return false;
}

/* Adds the demonstration's configuration in place of the word --demo, unless there is another one. */
static bool demo_configure(const struct demo *demo, struct invocation *call, char *word,
                           size_t room)
{
    static const char option[] = "--config=";

    if (!demo || !demo->config || words_have(call, "--config"))
        return true;
    memcpy(word, option, sizeof option);
    if (!demo_path(demo->config, word + sizeof option - 1, room - sizeof option + 1))
        return false;
    call->words[call->n_words++] = word;
    call->words[call->n_words] = NULL;
    return true;
}

/* Says what can be tried if HTTP is about to be served. */
static void demo_explain(const struct demo *demo, const struct invocation *call, const char *config)
{
    struct verb_text verb;

    for (size_t i = 0; hf_verb_at(i, &verb); i++)
        if (words_have(call, verb.name))
            return;
    if (demo && demo->hints)
        fprintf(stderr, "%s\n%s%s\n", demo->hints, *config ? "The configuration is " : "",
                *config ? config : "");
}

static int add_plugin(void *context, const char *word)
{
    return haft_gateway_plugin(context, word);
}

static haft_gateway *make_gateway(const haft_server_options *options, const struct demo *demo,
                                  bool *ret_empty)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = options));
    int status;

    if (!gateway)
        return NULL;
    status = haft_gateway_configure(gateway, demo ? demo->endpoint : NULL);
    if (!status)
        gateway->configuration->ret_empty = ret_empty;
    if (!status && demo)
        status = demo_add(demo, gateway);
    if (!status)
        return gateway;
    haft_gateway_free(gateway);
    return NULL;
}

static void explain(void)
{
    fputs(
        "\n"
        "haft serve serves what a configuration file describes. Write one, for example serve.json:\n"
        "\n"
        "  {\n"
        "    \"plugins\": [\"./greet.so\"],\n"
        "    \"gateway\": {\n"
        "      \"policies\": [\n"
        "        {\"name\": \"limit\", \"policy\": \"rate-limit\", \"options\": {\"calls\": 60, \"seconds\": 60}}\n"
        "      ],\n"
        "      \"endpoints\": [\n"
        "        {\"endpoint\": \"/mcp\", \"name\": \"greet\", \"version\": \"1.0.0\", \"policies\": [\"limit\"]}\n"
        "      ]\n"
        "    }\n"
        "  }\n"
        "\n"
        "and start it:\n"
        "\n"
        "  haft serve --config serve.json    serve what the file describes\n"
        "  haft serve ./greet.so             serve the tools of a plugin\n"
        "  haft serve --demo                 serve a small demonstration shop\n"
        "  haft serve --demo=upstreams       serve an HTTP API, programs and an MCP server\n",
        stderr);
}

/* Passes the program's name and the words after the command's name. */
int act_serve(struct invocation *call)
{
    char name[] = "haft", config[PATH_MAX + sizeof "--config="] = "";
    const struct demo *demo = NULL;
    bool empty = false;
    haft_server_options options = HAFT_INIT(haft_server_options, .instructions = NULL);
    struct gateway_program program = {
        .address = default_address, .unable = EXIT_LOCAL, .operand = add_plugin};
    int status;

    if (!take_demo(call, &demo))
        return EXIT_USAGE;
    if (!demo_configure(demo, call, config, sizeof config))
        return complain(EXIT_LOCAL, "cannot find the files of the demonstration");
    options.instructions = demo ? demo->instructions : NULL;
    program.context = make_gateway(&options, demo, &empty);
    call->words[0] = name;
    demo_explain(demo, call, option_value(config, "--config") ? config + strlen("--config=") : "");
    status = hf_gateway_command(program.context, &program, (int)call->n_words, call->words);
    if (empty)
        explain();
    return status;
}
