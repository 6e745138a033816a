/* show_result.c - prints a tool's result: text as it is, other blocks as summaries, binary data to
 * a file. */
#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

int show_json(yyjson_val *value)
{
    struct page page;

    page_init(&page);
    page_json(&page, value);
    haft_buffer_puts(&page.text, "\n");
    return page_print(&page);
}

/* A terminal gets no control characters except tab and line end; a file gets every byte. */
static void show_result_put_text(struct page *page, yyjson_val *value)
{
    const char *text = yyjson_get_str(value);
    size_t size = yyjson_get_len(value), start = 0;

    if (isatty(STDOUT_FILENO)) {
        for (size_t i = 0; i <= size; i++) {
            if (i < size && text[i] != '\n' && text[i] != '\t')
                continue;
            page_line(page, text + start, i - start);
            haft_buffer_add(&page->text, text + i, i < size);
            start = i + 1;
        }
    } else {
        haft_buffer_add(&page->text, text, size);
    }
    if (!size || text[size - 1] != '\n')
        haft_buffer_puts(&page->text, "\n");
}

/* The base64 data of a binary block; NULL if it is not one. */
static yyjson_val *data_of(yyjson_val *block)
{
    yyjson_val *data = yyjson_obj_get(block, "data");

    if (!data)
        data = yyjson_obj_get(yyjson_obj_get(block, "resource"), "blob");
    return yyjson_is_str(data) ? data : NULL;
}

static yyjson_val *shown_text(yyjson_val *block)
{
    yyjson_val *text = yyjson_obj_get(block, "text");

    if (!text)
        text = yyjson_obj_get(yyjson_obj_get(block, "resource"), "text");
    return yyjson_is_str(text) ? text : NULL;
}

/* ", 68 bytes", of base64. */
static void put_size(struct page *page, yyjson_val *data)
{
    size_t size = yyjson_get_len(data), padding = 0;

    while (padding < 2 && padding < size && yyjson_get_str(data)[size - 1 - padding] == '=')
        padding++;
    haft_buffer_printf(&page->text, ", %zu bytes",
                       (size - padding) / 4 * 3 + (size - padding) % 4 * 3 / 4);
}

/* [image image/png, 68 bytes] */
static void put_summary(struct page *page, yyjson_val *block)
{
    yyjson_val *resource = yyjson_obj_get(block, "resource"), *data = data_of(block);
    const char *members[] = {"uri", "mimeType"};
    const char *type = yyjson_get_str(yyjson_obj_get(block, "type"));

    haft_buffer_puts(&page->text, "[");
    page_line(page, type ? type : "?", strlen(type ? type : "?"));
    for (size_t i = 0; i < 2; i++) {
        yyjson_val *value = yyjson_obj_get(resource ? resource : block, members[i]);

        if (!yyjson_is_str(value))
            continue;
        haft_buffer_puts(&page->text, " ");
        page_line(page, yyjson_get_str(value), yyjson_get_len(value));
    }
    if (data)
        put_size(page, data);
    haft_buffer_puts(&page->text, "]\n");
}

/* [file:///a.png image/png, 68 bytes] */
static void put_blob(struct page *page, yyjson_val *contents, yyjson_val *blob)
{
    yyjson_val *uri = yyjson_obj_get(contents, "uri"), *type = yyjson_obj_get(contents, "mimeType");

    haft_buffer_puts(&page->text, "[");
    page_line(page, yyjson_get_str(uri), yyjson_get_len(uri));
    haft_buffer_puts(&page->text, yyjson_is_str(type) ? " " : "");
    page_line(page, yyjson_get_str(type), yyjson_get_len(type));
    if (yyjson_is_str(blob))
        put_size(page, blob);
    haft_buffer_puts(&page->text, "]\n");
}

static int write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool bad = !file;

    if (file) {
        bad = fwrite(bytes, 1, size, file) != size;
        bad = fclose(file) || bad;
    }
    if (bad)
        return complain(EXIT_LOCAL, "cannot write %s: %s", path, strerror(errno));
    fprintf(stderr, "%zu bytes written to %s\n", size, path);
    return EXIT_DONE;
}

/* `data` is base64, or NULL: then the text. */
static int write_file(const char *path, yyjson_val *data, yyjson_val *text)
{
    char *bytes;
    size_t size;
    int status;

    if (!data)
        return write_bytes(path, yyjson_get_str(text), yyjson_get_len(text));
    bytes = malloc(yyjson_get_len(data) + 1);
    if (!bytes)
        return complain(EXIT_LOCAL, "out of memory");
    status = haft_base64_decode(yyjson_get_str(data), yyjson_get_len(data), bytes, &size)
                 ? complain(EXIT_PROTOCOL, "the file in the result is not valid base64")
                 : write_bytes(path, bytes, size);
    free(bytes);
    return status;
}

static bool is_file(yyjson_val *block)
{
    return data_of(block) || (yyjson_obj_get(block, "resource") && shown_text(block));
}

int show_result(yyjson_val *result, const char *out)
{
    yyjson_val *content = yyjson_obj_get(result, "content"), *block, *file = NULL;
    yyjson_val *structured = yyjson_obj_get(result, "structuredContent");
    struct page page;
    size_t i, n;
    int status;

    page_init(&page);
    yyjson_arr_foreach(content, i, n, block) {
        if (out && !file && is_file(block)) {
            file = block;
            continue;
        }
        if (shown_text(block))
            show_result_put_text(&page, shown_text(block));
        else
            put_summary(&page, block);
    }
    if (!yyjson_arr_size(content) && structured) {
        page_json(&page, structured);
        haft_buffer_puts(&page.text, "\n");
    }
    status = page_print(&page);
    if (out && file && !status)
        status = write_file(out, data_of(file), shown_text(file));
    else if (out && !file && !status)
        status = complain(EXIT_LOCAL, "the result has no file to write to %s", out);
    return status;
}

int show_contents(yyjson_val *result, const char *out)
{
    yyjson_val *contents = yyjson_obj_get(result, "contents"), *one, *file = NULL;
    struct page page;
    size_t i, n;
    int status;

    page_init(&page);
    yyjson_arr_foreach(contents, i, n, one) {
        yyjson_val *text = yyjson_obj_get(one, "text"), *blob = yyjson_obj_get(one, "blob");

        if (out && !file)
            file = one;
        else if (yyjson_is_str(text))
            show_result_put_text(&page, text);
        else
            put_blob(&page, one, blob);
    }
    status = page_print(&page);
    if (out && file && !status)
        status = write_file(out, yyjson_obj_get(file, "blob"), yyjson_obj_get(file, "text"));
    else if (out && !file && !status)
        status = complain(EXIT_LOCAL, "the resource is empty: nothing to write to %s", out);
    return status;
}

int show_messages(yyjson_val *result)
{
    struct page page;
    yyjson_val *message;
    size_t i, n;

    page_init(&page);
    yyjson_arr_foreach(yyjson_obj_get(result, "messages"), i, n, message) {
        yyjson_val *role = yyjson_obj_get(message, "role");
        yyjson_val *block = yyjson_obj_get(message, "content");

        page_line(&page, yyjson_get_str(role), yyjson_get_len(role));
        haft_buffer_puts(&page.text, ": ");
        if (shown_text(block))
            show_result_put_text(&page, shown_text(block));
        else
            put_summary(&page, block);
    }
    return page_print(&page);
}
