/* tables.c - prints the tables that the reference has besides the headers, as one JSON object: options, commands, exit
 * codes, JSON-RPC errors, policy kinds and metrics.
 *
 * It is linked with the library's internals, so that the reference is made of the rows that the program uses. */
#include <stdio.h>
#include <string.h>

#include "cli/verb.h"
#include "config/option.h"
#include "gateway/policies.h"
#include "program.h"
#include "protocol/rpc.h"

enum { TABLES_LIMIT = 4 << 20 };

/* Of the program's main.c, which is not linked; the rows of commands point to them, and nothing calls them here. */
int act_help(struct invocation *call)
{
    (void)call;
    return EXIT_LOCAL;
}

int act_completion(struct invocation *call)
{
    return act_help(call);
}

static void put_member(haft_buffer *out, const char *name, const char *text)
{
    if (!text)
        return;
    if (out->size && out->data[out->size - 1] != '{')
        haft_buffer_puts(out, ",");
    haft_buffer_printf(out, "\"%s\":", name);
    haft_buffer_json_string(out, text, strlen(text));
}

static void begin_row(haft_buffer *out, size_t i)
{
    haft_buffer_puts(out, i ? ",\n{" : "\n{");
}

static void put_options(haft_buffer *out)
{
    haft_buffer_puts(out, "{\"options\":[");
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];
        char variable[OPTION_VARIABLE];
        haft_buffer expected;

        hf_option_variable(option, variable);
        haft_buffer_init(&expected, NULL, TABLES_LIMIT);
        hf_option_put_expected(option, &expected);
        haft_buffer_add(&expected, "", 1);
        begin_row(out, i);
        put_member(out, "flag", option->flag);
        put_member(out, "key", option->key);
        put_member(out, "variable", variable);
        put_member(out, "also", option->also);
        put_member(out, "takes", hf_option_takes(option));
        put_member(out, "expected", expected.status ? NULL : expected.data);
        put_member(out, "initial", option->type == OPTION_SWITCH ? "false" : option->initial);
        put_member(out, "doc", option->help);
        haft_buffer_printf(out, ",\"live\":%s}", option->live ? "true" : "false");
        haft_buffer_finish(&expected);
    }
    haft_buffer_puts(out, "]");
}

static void put_verbs(haft_buffer *out)
{
    struct verb_text verb;

    haft_buffer_puts(out, ",\"verbs\":[");
    for (size_t i = 0; hf_verb_at(i, &verb); i++) {
        begin_row(out, i);
        put_member(out, "flag", verb.name);
        put_member(out, "takes", verb.takes);
        put_member(out, "doc", verb.help);
        haft_buffer_puts(out, "}");
    }
    haft_buffer_puts(out, "]");
}

/* The options that a command declares as a server does; one that only a variable sets has no flag. */
static void put_own_options(haft_buffer *out, const haft_option_table *own)
{
    for (size_t i = 0; i < own->n_options; i++) {
        begin_row(out, i);
        put_member(out, "flag", own->options[i].name);
        put_member(out, "takes", own->options[i].takes);
        put_member(out, "variable", own->options[i].variable);
        put_member(out, "doc", own->options[i].help);
        haft_buffer_puts(out, "}");
    }
}

static void put_commands(haft_buffer *out)
{
    struct option_row option;

    haft_buffer_puts(out, ",\"commands\":[");
    for (size_t i = 0; command_rows[i].name; i++) {
        begin_row(out, i);
        put_member(out, "name", command_rows[i].name);
        put_member(out, "doc", command_rows[i].help);
        haft_buffer_puts(out, ",\"options\":[");
        if (command_rows[i].own)
            put_own_options(out, command_rows[i].own);
        /* Another command that serves has one more option, the first, and then those of every server. */
        for (size_t j = 0; !command_rows[i].own && option_at(&command_rows[i], j, &option) &&
                           !(command_rows[i].serves && j);
             j++) {
            begin_row(out, j);
            put_member(out, "flag", option.name);
            put_member(out, "takes", option.takes);
            put_member(out, "doc", option.help);
            haft_buffer_puts(out, "}");
        }
        haft_buffer_puts(out, "]}");
    }
    haft_buffer_puts(out, "],\"exits\":[");
    for (size_t i = 0; exit_rows[i].text; i++) {
        begin_row(out, i);
        put_member(out, "doc", exit_rows[i].text);
        haft_buffer_printf(out, ",\"code\":%d}", exit_rows[i].code);
    }
    haft_buffer_puts(out, "]");
}

static void put_rpc_errors(haft_buffer *out)
{
    static const struct {
        int code;
        const char *text;
    } errors[] = {
#define TABLES_ERROR_(name, code, text) {code, text},
        RPC_ERRORS(TABLES_ERROR_)
#undef TABLES_ERROR_
    };

    haft_buffer_puts(out, ",\"rpc\":[");
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        begin_row(out, i);
        put_member(out, "doc", errors[i].text);
        haft_buffer_printf(out, ",\"code\":%d}", errors[i].code);
    }
    haft_buffer_puts(out, "]");
}

static int put_policies(haft_buffer *out)
{
    int status = 0;

    haft_buffer_puts(out, ",\"policies\":[");
    for (size_t i = 0; hf_policy_built_in[i] && !status; i++) {
        haft_schema *schema = NULL;

        begin_row(out, i);
        put_member(out, "name", hf_policy_built_in[i]->name);
        haft_buffer_puts(out, ",\"schema\":");
        status = haft_schema_compile(hf_policy_built_in[i]->options, NULL, &schema, NULL);
        if (!status)
            status = haft_schema_emit(schema, NULL, out);
        haft_schema_free(schema);
        haft_buffer_puts(out, "}");
    }
    haft_buffer_puts(out, "]");
    return status;
}

/* The text that /metrics would have. */
static int put_metrics(haft_buffer *out)
{
    haft_server *server = haft_server_new("tables", "1.0.0");
    haft_buffer page;
    int status = server ? haft_metrics_enable(server) : HAFT_ENOMEM;

    haft_buffer_init(&page, NULL, TABLES_LIMIT);
    if (!status)
        status = haft_metrics_write(server, &page);
    haft_buffer_puts(out, ",\"metrics\":");
    haft_buffer_json_string(out, page.size ? page.data : "", page.size);
    haft_buffer_puts(out, "}\n");
    haft_buffer_finish(&page);
    haft_server_free(server);
    return status;
}

int main(void)
{
    haft_buffer out;
    int status;

    haft_buffer_init(&out, NULL, TABLES_LIMIT);
    put_options(&out);
    put_verbs(&out);
    put_commands(&out);
    put_rpc_errors(&out);
    status = put_policies(&out);
    if (!status)
        status = put_metrics(&out);
    if (!status)
        status = out.status;
    if (status)
        fprintf(stderr, "reference-tables: %s\n", haft_strerror(status));
    else
        fwrite(out.data, 1, out.size, stdout);
    haft_buffer_finish(&out);
    return status || fflush(stdout) ? 1 : 0;
}
