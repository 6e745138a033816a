/* read.c - the commands that read a resource, get a prompt, and complete an argument. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "json/writer.h"
#include "show.h"

enum { READ_TEXT_LIMIT = 64 << 20 };

/* The command line of these commands: the server, a subject, and words after it. */
struct read_line {
    const char *url;
    const char *subject;
    char **words;
    size_t n_words;
};

/* Splits the operands. Returns an exit code, after reporting the error. */
static int read_split(struct invocation *call, const char *subject, size_t most,
                      struct read_line *ret_line)
{
    size_t at = call->child ? 0 : 1;

    *ret_line = (struct read_line){0};
    if (!call->child && !(ret_line->url = ask_url(call)))
        return EXIT_USAGE;
    if (call->n_operands <= at)
        return complain(EXIT_USAGE, "%s needs %s%s", call->command->name, subject,
                        call->child ? " before the --" : " after the URL");
    ret_line->subject = call->operands[at];
    ret_line->words = call->operands + at + 1;
    ret_line->n_words = call->n_operands - at - 1;
    if (ret_line->n_words > most)
        return complain(EXIT_USAGE, "unexpected argument %s for %s", ret_line->words[most],
                        call->command->name);
    return EXIT_DONE;
}

/* Connects, sends the request, and shows the result. */
static int read_ask(struct invocation *call, const struct read_line *line, const char *method,
                    haft_buffer *params, int (*show)(const struct invocation *, yyjson_val *))
{
    struct peer *peer = NULL;
    yyjson_val *result;
    int status;

    haft_buffer_add(params, "", 1);
    if (params->status)
        return complain(EXIT_USAGE, "the arguments cannot be sent: %s",
                        haft_strerror(params->status));
    status = ask_open(call, line->url, &peer);
    if (!status)
        status = peer_ask(
            peer,
            &(struct peer_request){.method = method, .params = params->data, .with_progress = true},
            &result);
    if (!status) {
        clear_progress();
        status = -(call->json ? show_json(result) : show(call, result));
    }
    return ask_end(peer, status);
}

/* ---- read ---- */

static int read_show_contents(const struct invocation *call, yyjson_val *result)
{
    return show_contents(result, call->out);
}

int act_read(struct invocation *call)
{
    struct read_line line;
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int status = read_split(call, "the URI of a resource", 0, &line);

    if (status)
        return status;
    haft_buffer_init(&params, NULL, READ_TEXT_LIMIT);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "uri"), line.subject);
    hf_json_end_object(&w);
    status = read_ask(call, &line, "resources/read", &params, read_show_contents);
    haft_buffer_finish(&params);
    return status;
}

/* ---- prompt ---- */

/* Writes KEY=VALUE words as members; returns false after reporting the error. */
static bool read_put_words(struct json_writer *w, char **words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(words[i], '=');

        if (!equals || equals == words[i]) {
            complain(EXIT_USAGE, "%s is not KEY=VALUE", words[i]);
            return false;
        }
        hf_json_text(hf_json_name(w, words[i], (size_t)(equals - words[i])), equals + 1);
    }
    return true;
}

static int read_show_messages(const struct invocation *call, yyjson_val *result)
{
    (void)call;
    return show_messages(result);
}

int act_prompt(struct invocation *call)
{
    struct read_line line;
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int status = read_split(call, "the name of a prompt", SIZE_MAX, &line);

    if (status)
        return status;
    haft_buffer_init(&params, NULL, READ_TEXT_LIMIT);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "name"), line.subject);
    hf_json_begin_object(json_key(&w, "arguments"));
    status = read_put_words(&w, line.words, line.n_words) ? EXIT_DONE : EXIT_USAGE;
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    if (!status)
        status = read_ask(call, &line, "prompts/get", &params, read_show_messages);
    haft_buffer_finish(&params);
    return status;
}

/* ---- complete ---- */

static int read_show_values(const struct invocation *call, yyjson_val *result)
{
    struct page page;
    size_t i, n;
    yyjson_val *value, *values = yyjson_obj_get(yyjson_obj_get(result, "completion"), "values");

    (void)call;
    page_init(&page);
    yyjson_arr_foreach(values, i, n, value) {
        page_line(&page, yyjson_get_str(value), yyjson_get_len(value));
        haft_buffer_puts(&page.text, "\n");
    }
    return page_print(&page);
}

int act_complete(struct invocation *call)
{
    struct read_line line;
    haft_buffer params;
    struct json_writer w = {.out = &params};
    const char *equals;
    bool template;
    int status = read_split(call, "the name of a prompt, or a template of URIs", SIZE_MAX, &line);

    if (status)
        return status;
    equals = line.n_words ? strchr(line.words[line.n_words - 1], '=') : NULL;
    if (!equals || equals == line.words[line.n_words - 1])
        return complain(EXIT_USAGE, "complete needs the argument to complete as KEY=VALUE; the "
                                    "value may be empty");
    template = strstr(line.subject, "://") || strchr(line.subject, '{');
    haft_buffer_init(&params, NULL, READ_TEXT_LIMIT);
    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "ref"));
    hf_json_text(json_key(&w, "type"), template ? "ref/resource" : "ref/prompt");
    hf_json_text(template ? json_key(&w, "uri") : json_key(&w, "name"), line.subject);
    hf_json_end_object(&w);
    hf_json_begin_object(json_key(&w, "argument"));
    hf_json_string(json_key(&w, "name"), line.words[line.n_words - 1],
                   (size_t)(equals - line.words[line.n_words - 1]));
    hf_json_text(json_key(&w, "value"), equals + 1);
    hf_json_end_object(&w);
    if (line.n_words > 1) {
        hf_json_begin_object(json_key(&w, "context"));
        hf_json_begin_object(json_key(&w, "arguments"));
        status = read_put_words(&w, line.words, line.n_words - 1) ? EXIT_DONE : EXIT_USAGE;
        hf_json_end_object(&w);
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    if (!status)
        status = read_ask(call, &line, "completion/complete", &params, read_show_values);
    haft_buffer_finish(&params);
    return status;
}
