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

static const char *const actions[] = {
    [FILLED] = "accept", [SKIPPED] = "decline", [DECLINED] = "decline", [CANCELLED] = "cancel"};

struct haft_form {
    struct remote *remote;
    yyjson_val *schema;
    yyjson_mut_doc *doc;
    yyjson_mut_val *content;
    int status; /* exit code */
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
    got = remote_read_line(form->remote, line);
    haft_buffer_add(line, "", 1);
    if (got > 0 && !line->status)
        return FILLED;
    form->status = got < 0 ? -got : 0;
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

/* `content` is JSON, or NULL. */
static void form_put_result(haft_buffer *out, enum reply reply, const char *content)
{
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "action"), actions[reply]);
    if (content)
        hf_json_raw(json_key(&w, "content"), content, strlen(content));
    hf_json_end_object(&w);
}

int form_ask(void *context, struct remote *remote, yyjson_val *params, haft_buffer *ret_result)
{
    yyjson_val *message = yyjson_obj_get(params, "message");
    struct haft_form form = {.remote = remote, .schema = yyjson_obj_get(params, "requestedSchema")};
    enum reply reply = DECLINED;
    char *content;

    (void)context;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !form.schema) {
        say("haft: declined because there is no terminal to prompt on: ", message, "\n");
        form_put_result(ret_result, DECLINED, NULL);
        return 0;
    }
    form.doc = yyjson_mut_doc_new(NULL);
    form.content = form.doc ? yyjson_mut_obj(form.doc) : NULL;
    if (form.content)
        reply = ask_fields(&form, message);
    content = reply == FILLED ? yyjson_mut_val_write(form.content, 0, NULL) : NULL;
    form_put_result(ret_result, reply == FILLED && !content ? DECLINED : reply, content);
    free(content);
    yyjson_mut_doc_free(form.doc);
    return form.status;
}
