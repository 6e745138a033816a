/* template_driver.c - renders templates for a test that compares them with Handlebars.
 *
 * Each line is {"template": ..., "context": {...}}; the answer is {"text": ...} or {"error": ...}. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "template/template.h"

static struct template_value shout(void *context, const struct template_value *arguments, size_t n)
{
    (void)context;
    (void)n;
    return arguments[0];
}

static struct template_value is_equal(void *context, const struct template_value *arguments,
                                      size_t n)
{
    const struct template_value *a = &arguments[0], *b = &arguments[1];
    bool same = a->kind == b->kind && a->boolean == b->boolean && a->number == b->number &&
                a->size == b->size && (!a->size || !memcmp(a->text, b->text, a->size));

    (void)context;
    (void)n;
    return (struct template_value){.kind = TEMPLATE_BOOLEAN, .boolean = same};
}

static const struct template_helper helpers[] = {
    {"same", 1, 1, shout}, {"eq", 2, 2, is_equal}, {NULL, 0, 0, NULL}};

static void answer(const char *key, const char *text, size_t size)
{
    haft_buffer line;

    haft_buffer_init(&line, NULL, 1 << 20);
    haft_buffer_json_string(&line, text, size);
    printf("{\"%s\":%.*s}\n", key, (int)line.size, line.data);
    haft_buffer_finish(&line);
}

static void render(const char *line, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    haft_value *row = haft_json_read(line, size, 0, arena, NULL);
    haft_value *template = yyjson_obj_get(row, "template");
    const struct template_options options = {.helpers = helpers};
    haft_reason reason = {0};
    haft_buffer out;

    haft_buffer_init(&out, NULL, 1 << 20);
    if (template_render(yyjson_get_str(template), yyjson_get_len(template),
                        yyjson_obj_get(row, "context"), &options, arena, &out, &reason))
        answer("error", reason.text, strlen(reason.text));
    else
        answer("text", out.size ? out.data : "", out.size);
    haft_buffer_finish(&out);
    haft_arena_free(arena);
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n;

    while ((n = getline(&line, &capacity, stdin)) > 0) {
        render(line, (size_t)n);
        fflush(stdout);
    }
    free(line);
    return 0;
}
