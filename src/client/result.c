/* result.c - parses responses: the parts that most tests need, and the whole for others. */
#include <string.h>

#include "client/client.h"

/* The array member of each kind of result. */
static const char *const arrays[] = {"content",           "messages", "contents", "tools",
                                     "resourceTemplates", "prompts",  "resources"};

static haft_value *content_of(haft_value *result)
{
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        haft_value *array = yyjson_obj_get(result, arrays[i]);

        if (yyjson_is_arr(array))
            return array;
    }
    return yyjson_obj_get(yyjson_obj_get(result, "completion"), "values");
}

/* The text of a block, a message, a resource's contents, or a completion value. */
static const char *text_in(haft_value *item, size_t *ret_size)
{
    haft_value *text;

    if (yyjson_is_obj(yyjson_obj_get(item, "content")))
        item = yyjson_obj_get(item, "content");
    text = yyjson_is_str(item) ? item : yyjson_obj_get(item, "text");
    *ret_size = yyjson_get_len(text);
    return yyjson_get_str(text);
}

/* Joins the text of all items, in the arena of the document. */
static const char *result_join(struct document *document, haft_value *content)
{
    haft_value *item;
    size_t i, n, size, total = 0;
    char *joined, *end;

    yyjson_arr_foreach(content, i, n, item)
        total += text_in(item, &size) ? size + 1 : 0;
    if (!total)
        return "";
    joined = end = haft_arena_alloc(document->arena, total);
    if (!joined)
        return NULL;
    yyjson_arr_foreach(content, i, n, item) {
        const char *part = text_in(item, &size);

        if (!part)
            continue;
        memcpy(end, part, size);
        end += size;
        *end++ = '\n';
    }
    end[-1] = '\0';
    return joined;
}

static int read_error(haft_value *error, haft_result *ret_result)
{
    const char *message = yyjson_get_str(yyjson_obj_get(error, "message"));

    ret_result->is_error = true;
    ret_result->error_code = yyjson_get_int(yyjson_obj_get(error, "code"));
    ret_result->error_message = ret_result->text = message ? message : "";
    ret_result->error_data = yyjson_obj_get(error, "data");
    return 0;
}

/* The task of a result: the result itself, or a part of what a legacy server creates one with. */
static haft_value *result_task(const haft_result *result)
{
    haft_value *value = result ? result->value : NULL, *part = yyjson_obj_get(value, "task");
    haft_value *task = yyjson_is_obj(part) ? part : value;

    return yyjson_is_str(yyjson_obj_get(task, "taskId")) && !yyjson_obj_get(value, "content")
               ? task
               : NULL;
}

const char *haft_result_task(const haft_result *result)
{
    return yyjson_get_str(yyjson_obj_get(result_task(result), "taskId"));
}

const char *haft_result_task_status(const haft_result *result)
{
    return yyjson_get_str(yyjson_obj_get(result_task(result), "status"));
}

int hf_result_read(struct document *document, yyjson_val *message, haft_result *ret_result)
{
    haft_value *error = yyjson_obj_get(message, "error");

    *ret_result = (haft_result){.error_message = "", .text = ""};
    if (error)
        return read_error(error, ret_result);
    ret_result->value = yyjson_obj_get(message, "result");
    ret_result->is_error = yyjson_is_true(yyjson_obj_get(ret_result->value, "isError"));
    ret_result->content = content_of(ret_result->value);
    ret_result->structured = yyjson_obj_get(ret_result->value, "structuredContent");
    ret_result->text = result_join(document, ret_result->content);
    return ret_result->text ? 0 : HAFT_ENOMEM;
}
