/* serve.c - the command serve: a gateway behind the command line that every server has. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "gateway/command.h"
#include "program.h"

static const char default_address[] = "127.0.0.1:8808";

static const char instructions[] =
    "A small shop to try things with. Customers are cust-1 to cust-3, products sku-1 to sku-5; prices are in "
    "cents. process_order places an order, get_weather knows a few cities, and the list of things to do "
    "begins empty.";

/* There is room for every word of the command line. */
static int add_file(void *context, const char *word)
{
    struct serve *serve = context;

    serve->files[serve->n_files++] = word;
    return 0;
}

static int run(struct serve *serve, int argc, char **argv)
{
    haft_server_options options = {.instructions = instructions, .data = serve->shop};
    const struct gateway_program program = {
        .address = default_address, .unable = EXIT_LOCAL, .operand = add_file, .context = serve};

    serve->files = haft_arena_zalloc(serve->arena, (size_t)argc, sizeof *serve->files);
    if (serve->files)
        serve->gateway = haft_gateway_new(&(haft_gateway_options){.server = &options});
    if (serve->gateway && serve_configure(serve)) {
        haft_gateway_free(serve->gateway);
        serve->gateway = NULL;
    }
    return gateway_command(serve->gateway, &program, argc, argv);
}

/* The words after the command's name, behind the program's. */
int act_serve(struct invocation *call)
{
    struct serve serve = {.shop = shop_new(), .arena = haft_arena_new(NULL, 16 << 20)};
    char program[] = "haft";
    int status = EXIT_LOCAL;

    call->words[0] = program;
    if (serve.shop && serve.arena)
        status = run(&serve, (int)call->n_words, call->words);
    else
        complain(EXIT_LOCAL, "%s", haft_strerror(HAFT_ENOMEM));
    serve_finish(&serve);
    return status;
}
