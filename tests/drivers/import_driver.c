/* import_driver.c - requests of the operations of an OpenAPI document, for tests in node.
 *
 *     import-driver FILE
 *
 * reads lines of {"operation": "POST /pets", "arguments": {...}} and writes for each a line: the request, its body in
 * base64, or {"error": ...}.  The first line lists the operations and what was refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "json/writer.h"

enum { IMPORT_LIMIT = 1 << 28, IMPORT_LINE = 1 << 16 };

static char *driver_read(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file)
        return NULL;
    if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
        text = malloc((size_t)size + 1);
        *ret_size = text ? fread(text, 1, (size_t)size, file) : 0;
    }
    fclose(file);
    return text;
}

static void driver_flush(haft_buffer *out)
{
    haft_buffer_add(out, "\n", 1);
    if (out->status)
        exit(1);
    fwrite(out->data, 1, out->size, stdout);
    fflush(stdout);
    haft_buffer_clear(out);
}

static void driver_list(const struct import *import, haft_buffer *out)
{
    struct json_writer json = {.out = out};

    hf_json_begin_object(&json);
    hf_json_begin_array(json_key(&json, "operations"));
    for (size_t i = 0; i < import->n_operations; i++) {
        const struct import_operation *operation = &import->operations[i];

        hf_json_begin_object(&json);
        json_text_member(&json, "method", operation->method);
        json_text_member(&json, "path", operation->path);
        hf_json_raw(json_key(&json, "input"), operation->input, operation->input_size);
        if (operation->output)
            hf_json_raw(json_key(&json, "output"), operation->output, operation->output_size);
        hf_json_begin_array(json_key(&json, "requirements"));
        for (size_t j = 0; j < operation->n_requirements; j++) {
            hf_json_begin_array(&json);
            for (size_t k = 0; k < operation->requirements[j].n; k++)
                hf_json_text(&json, operation->requirements[j].schemes[k]->name);
            hf_json_end_array(&json);
        }
        hf_json_end_array(&json);
        hf_json_end_object(&json);
    }
    hf_json_end_array(&json);
    hf_json_begin_array(json_key(&json, "refusals"));
    for (size_t i = 0; i < import->n_refusals; i++) {
        hf_json_begin_object(&json);
        json_text_member(&json, "place", import->refusals[i].place);
        json_text_member(&json, "reason", import->refusals[i].reason);
        hf_json_end_object(&json);
    }
    hf_json_end_array(&json);
    hf_json_end_object(&json);
    driver_flush(out);
}

static void driver_write(const struct import_request *request, haft_arena *arena, haft_buffer *out)
{
    struct json_writer json = {.out = out};
    char *body = haft_arena_alloc(arena, HAFT_BASE64_SIZE(request->body_size) + 1);

    hf_json_begin_object(&json);
    json_text_member(&json, "method", request->method);
    json_text_member(&json, "target", request->target);
    hf_json_begin_array(json_key(&json, "headers"));
    for (size_t i = 0; i < request->n_headers; i++) {
        hf_json_begin_array(&json);
        hf_json_text(&json, request->headers[i].name);
        hf_json_text(&json, request->headers[i].value);
        hf_json_end_array(&json);
    }
    hf_json_end_array(&json);
    if (request->body && body)
        hf_json_string(json_key(&json, "body"), body,
                       haft_base64_encode(request->body, request->body_size, body));
    hf_json_end_object(&json);
    driver_flush(out);
}

static const struct import_operation *driver_find(const struct import *import, const char *place)
{
    for (size_t i = 0; place && i < import->n_operations; i++) {
        const struct import_operation *operation = &import->operations[i];
        size_t size = strlen(operation->method);

        if (!strncmp(place, operation->method, size) && place[size] == ' ' &&
            !strcmp(place + size + 1, operation->path))
            return operation;
    }
    return NULL;
}

static void driver_answer(const struct import *import, const char *line, haft_buffer *out)
{
    haft_arena *arena = haft_arena_new(NULL, IMPORT_LIMIT);
    haft_value *asked = haft_json_read(line, strlen(line), 0, arena, NULL);
    const struct import_operation *operation =
        driver_find(import, yyjson_get_str(yyjson_obj_get(asked, "operation")));
    struct json_writer json = {.out = out};
    struct import_request request;
    haft_reason reason = {.text = "no such operation"};

    if (operation && !hf_import_request(operation, yyjson_obj_get(asked, "arguments"), arena,
                                        &request, &reason)) {
        driver_write(&request, arena, out);
    } else {
        hf_json_begin_object(&json);
        json_text_member(&json, "argument", reason.path);
        json_text_member(&json, "error", reason.text);
        hf_json_end_object(&json);
        driver_flush(out);
    }
    haft_arena_free(arena);
}

int main(int argc, char **argv)
{
    static char line[IMPORT_LINE];
    haft_arena *arena = haft_arena_new(NULL, IMPORT_LIMIT);
    size_t size = 0;
    char *text = argc > 1 ? driver_read(argv[1], &size) : NULL;
    haft_value *document = text && arena ? haft_json_read(text, size, 512, arena, NULL) : NULL;
    struct import *import = NULL;
    haft_reason reason = {.text = "the document cannot be read"};
    haft_buffer out;

    if (!document || hf_import_document(document, &(struct import_options){0}, &import, &reason)) {
        fprintf(stderr, "%s\n", reason.text);
        return 1;
    }
    haft_buffer_init(&out, NULL, IMPORT_LIMIT);
    driver_list(import, &out);
    while (fgets(line, sizeof line, stdin))
        driver_answer(import, line, &out);
    haft_buffer_finish(&out);
    hf_import_free(import);
    haft_arena_free(arena);
    free(text);
    return 0;
}
