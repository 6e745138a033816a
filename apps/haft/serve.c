/* serve.c - the command serve: a gateway defined by its configuration and plugins. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "gateway/command.h"
#include "gateway/configure.h"
#include "program.h"

static const char default_address[] = "127.0.0.1:8808";

/* ---- the demo ---- */

static const char demo_instructions[] =
    "A small shop to try things with. Customers are cust-1 to cust-3, products sku-1 to sku-5; prices are in "
    "cents. process_order places an order, get_weather knows a few cities, and the list of things to do "
    "begins empty.";

static const haft_mcp_options demo_endpoint =
    HAFT_INIT(haft_mcp_options, .name = "shop", .version = "1.0.0", .routes = "*_todo*");

/* The plugin is beside the program, wherever both are installed. */
static int add_demo(haft_gateway *gateway)
{
    static const char beside[] = "/" HAFT_DEMO "/shop.so";
    char path[PATH_MAX];
    size_t size = sizeof path - sizeof beside;
    char *slash;

    if (uv_exepath(path, &size))
        return HAFT_EINVAL;
    path[size] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return HAFT_EINVAL;
    memcpy(slash, beside, sizeof beside);
    return haft_gateway_plugin(gateway, path);
}

/* ---- the command line ---- */

/* Removes --demo from the words; returns whether it was there. */
static bool take_demo(struct invocation *call)
{
    size_t n = 0;

    for (size_t i = 0; i < call->n_words; i++)
        if (strcmp(call->words[i], "--demo") != 0)
            call->words[n++] = call->words[i];
    if (n == call->n_words)
        return false;
    call->words[n] = NULL;
    call->n_words = n;
    return true;
}

static int add_plugin(void *context, const char *word)
{
    return haft_gateway_plugin(context, word);
}

static haft_gateway *make_gateway(const haft_server_options *options, bool demo, bool *ret_empty)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = options));
    int status;

    if (!gateway)
        return NULL;
    status = haft_gateway_configure(gateway, demo ? &demo_endpoint : NULL);
    if (!status)
        gateway->configuration->ret_empty = ret_empty;
    if (!status && demo)
        status = add_demo(gateway);
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
        "  haft serve --demo                 serve a small demonstration shop\n",
        stderr);
}

/* Passes the program's name and the words after the command's name. */
int act_serve(struct invocation *call)
{
    char name[] = "haft";
    bool demo = take_demo(call), empty = false;
    haft_server_options options =
        HAFT_INIT(haft_server_options, .instructions = demo ? demo_instructions : NULL);
    haft_gateway *gateway = make_gateway(&options, demo, &empty);
    const struct gateway_program program = {.address = default_address,
                                            .unable = EXIT_LOCAL,
                                            .operand = add_plugin,
                                            .context = gateway};
    int status;

    call->words[0] = name;
    status = hf_gateway_command(gateway, &program, (int)call->n_words, call->words);
    if (empty)
        explain();
    return status;
}
