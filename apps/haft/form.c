/* form.c - prompts for a form line by line: the field's name, its type, and its default. */
#include "form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "arguments_schema.h"
#include "cli/manifest.h"
#include "show.h"

enum { FORM_LINE_LIMIT = 1 << 16 };

/* The result of a prompt. */
enum reply { FILLED, SKIPPED, DECLINED, CANCELLED };

struct haft_form {
    struct peer *peer;
    yyjson_val *schema;
    yyjson_mut_doc *doc;
    yyjson_mut_val *content;
};

static void say_text(const char *before, const char *text, size_t size, const char *after)
{
    struct page line;

    page_init(&line);
    page_line(&line, text, size);
    fprintf(stderr, "%s%.*s%s", before, (int)line.text.size, line.text.size ? line.text.data : "",
            after);
    haft_buffer_finish(&line.text);
}

static void say(const char *before, yyjson_val *text, const char *after)
{
    say_text(before, yyjson_get_str(text), yyjson_get_len(text), after);
}

/* name (string, "default"): */
static void say_field(yyjson_val *key, yyjson_val *property, bool required)
{
    yyjson_val *title = yyjson_obj_get(property, "title");
    yyjson_val *description = yyjson_obj_get(property, "description");
    yyjson_val *fallback = yyjson_obj_get(property, "default");
    haft_buffer note;

    if (yyjson_get_len(description))
        say("  ", description, "\n");
    haft_buffer_init(&note, NULL, FORM_LINE_LIMIT);
    argument_type(property, property, &note);
    if (fallback) {
        haft_buffer_puts(&note, ", else ");
        haft_json_write(fallback, &note);
    } else if (!required) {
        haft_buffer_puts(&note, ", optional");
    }
    say("  ", yyjson_get_len(title) ? title : key, "");
    say_text(" (", note.data, note.size, "): ");
    haft_buffer_finish(&note);
}

/* Multiple choices are separated by commas. */
static yyjson_mut_val *read_array(struct haft_form *form, yyjson_val *property, char *text,
                                  haft_reason *reason)
{
    yyjson_val *items = yyjson_obj_get(property, "items");
    yyjson_mut_val *array = yyjson_mut_arr(form->doc);

    while (*text) {
        size_t size;
        bool more;
        yyjson_mut_val *item;

        text += strspn(text, " ");
        size = strcspn(text, ",");
        more = text[size] == ',';
        text[size] = '\0';
        item = argument_value(form->doc, items, items, text, strlen(text), reason);
        if (!item || !yyjson_mut_arr_append(array, item))
            return NULL;
        text += size + more;
    }
    return array;
}

static enum reply take_line(struct haft_form *form, yyjson_val *key, yyjson_val *property,
                            char *text)
{
    haft_reason reason = {0};
    yyjson_val *fallback = yyjson_obj_get(property, "default");
    yyjson_mut_val *value;

    if (!*text && fallback)
        value = yyjson_val_mut_copy(form->doc, fallback);
    else if (!*text && hf_manifest_requires(form->schema, yyjson_get_str(key)))
        return SKIPPED;
    else if (!*text)
        return FILLED;
    else if (schema_types(property, property) == TAKES_ARRAY)
        value = read_array(form, property, text, &reason);
    else
        value = argument_value(form->doc, property, property, text, strlen(text), &reason);
    if (!value) {
        say_text("  it ", reason.code ? reason.text : "does not fit",
                 reason.code ? strlen(reason.text) : 12, "\n");
        return SKIPPED;
    }
    yyjson_mut_obj_add(form->content,
                       yyjson_mut_strncpy(form->doc, yyjson_get_str(key), yyjson_get_len(key)),
                       value);
    return FILLED;
}

static enum reply read_reply(struct haft_form *form, haft_buffer *line)
{
    int got;

    fflush(stderr);
    haft_buffer_clear(line);
    got = peer_read_line(form->peer, line);
    haft_buffer_add(line, "", 1);
    if (got > 0 && !line->status)
        return FILLED;
    fputc('\n', stderr);
    return CANCELLED;
}

static enum reply ask_field(struct haft_form *form, yyjson_val *key, yyjson_val *property,
                            haft_buffer *line)
{
    bool required = hf_manifest_requires(form->schema, yyjson_get_str(key));
    enum reply reply;

    do {
        say_field(key, property, required);
        reply = read_reply(form, line);
        if (reply == FILLED)
            reply = take_line(form, key, property, line->data);
    } while (reply == SKIPPED);
    return reply;
}

static enum reply ask_fields(struct haft_form *form, yyjson_val *message)
{
    yyjson_obj_iter fields = yyjson_obj_iter_with(yyjson_obj_get(form->schema, "properties"));
    yyjson_val *key;
    enum reply reply;
    haft_buffer line;

    haft_buffer_init(&line, NULL, FORM_LINE_LIMIT);
    say("The server asks: ", message, "\n");
    fputs("  answer? (y/n) ", stderr);
    reply = read_reply(form, &line);
    if (reply == FILLED && *line.data != 'y' && *line.data != 'Y' && *line.data)
        reply = DECLINED;
    while (reply == FILLED && (key = yyjson_obj_iter_next(&fields)))
        reply = ask_field(form, key, yyjson_obj_iter_get_val(key), &line);
    haft_buffer_finish(&line);
    return reply;
}

/* Whether a question is still open after an answer with that status. */
static bool form_is_open(int status)
{
    return status == HAFT_EINVAL || status == HAFT_ENOMEM;
}

/* Prompts for the fields, and answers. */
static void form_fill_in(struct haft_form *form, haft_question *question, yyjson_val *message)
{
    enum reply reply = ask_fields(form, message);
    char *content = reply == FILLED ? yyjson_mut_val_write(form->content, 0, NULL) : NULL;

    int status = content ? haft_question_accept(question, content) : HAFT_ENOMEM;

    if (content && status == HAFT_EINVAL)
        say_text("haft: declined, because the answer does not match the form\n", "", 0, "");
    else if (content && !form_is_open(status))
        question = NULL;
    free(content);
    if (question && reply == CANCELLED) {
        if (!peer_keep_question(form->peer, question))
            haft_question_cancel(question);
    } else if (question) {
        haft_question_decline(question);
    }
}

/* A question that nobody can be asked. */
static void form_decline(haft_question *question, const char *why, yyjson_val *message)
{
    fprintf(stderr, "haft: declined because %s", why);
    say(": ", message, "\n");
    haft_question_decline(question);
}

void form_ask(struct peer *peer, haft_question *question, bool accept_defaults)
{
    yyjson_val *params = haft_question_params(question);
    yyjson_val *message = yyjson_obj_get(params, "message");
    struct haft_form form = {.peer = peer, .schema = yyjson_obj_get(params, "requestedSchema")};

    if (accept_defaults) {
        int status = haft_question_accept(question, NULL);

        if (form_is_open(status))
            form_decline(question,
                         status == HAFT_EINVAL ? "the form has a field without a default"
                                               : haft_strerror(status),
                         message);
    } else if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !form.schema) {
        form_decline(question, "there is no terminal to prompt on", message);
    } else {
        form.doc = yyjson_mut_doc_new(NULL);
        form.content = form.doc ? yyjson_mut_obj(form.doc) : NULL;
        if (form.content)
            form_fill_in(&form, question, message);
        else
            haft_question_decline(question);
        yyjson_mut_doc_free(form.doc);
    }
}
