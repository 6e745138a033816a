/* write.c - writes a value as compact JSON, in one pass over yyjson's array of values. */
#include "json/json.h"

static void write_number(const yyjson_val *value, haft_buffer *buffer)
{
    yyjson_val *number = (yyjson_val *)(uintptr_t)value;

    if (unsafe_yyjson_is_real(number))
        haft_buffer_json_number(buffer, number->uni.f64);
    else if (unsafe_yyjson_is_uint(number) && number->uni.u64 > INT64_MAX)
        haft_buffer_printf(buffer, "%llu", (unsigned long long)number->uni.u64);
    else
        haft_buffer_json_integer(buffer, number->uni.i64);
}

static void write_scalar(yyjson_val *value, haft_buffer *buffer)
{
    switch (yyjson_get_type(value)) {
    case YYJSON_TYPE_BOOL:
        haft_buffer_puts(buffer, yyjson_get_bool(value) ? "true" : "false");
        break;
    case YYJSON_TYPE_NUM:
        write_number(value, buffer);
        break;
    case YYJSON_TYPE_STR:
        haft_buffer_json_string(buffer, yyjson_get_str(value), yyjson_get_len(value));
        break;
    default:
        buffer_literal(buffer, "null");
        break;
    }
}

struct open {
    yyjson_val *end;
    bool object;
    bool value_next; /* in an object: the key is written, its value follows */
    bool empty;
};

/* Closes the containers that end here, then writes the separator before the next value. */
static size_t separate(struct open *stack, size_t depth, const yyjson_val *at, haft_buffer *buffer)
{
    struct open *top;

    while (depth && at >= stack[depth - 1].end) {
        depth--;
        buffer_add(buffer, stack[depth].object ? "}" : "]", 1);
    }
    if (!depth)
        return 0;
    top = &stack[depth - 1];
    if (top->value_next)
        buffer_literal(buffer, ":");
    else if (!top->empty)
        buffer_literal(buffer, ",");
    top->value_next = top->object && !top->value_next;
    top->empty = false;
    return depth;
}

void haft_json_write(const haft_value *value, haft_buffer *buffer)
{
    struct open stack[JSON_MAX_DEPTH];
    yyjson_val *at = (yyjson_val *)(uintptr_t)value, *end;
    size_t depth = 0;

    if (!value) {
        if (!buffer->status)
            buffer->status = HAFT_EINVAL;
        return;
    }
    for (end = unsafe_yyjson_get_next(at); at < end; at++) {
        depth = separate(stack, depth, at, buffer);
        if (!yyjson_is_ctn(at)) {
            write_scalar(at, buffer);
            continue;
        }
        if (depth == JSON_MAX_DEPTH) {
            if (!buffer->status)
                buffer->status = HAFT_EDEPTH;
            return;
        }
        buffer_add(buffer, yyjson_is_obj(at) ? "{" : "[", 1);
        stack[depth++] = (struct open){unsafe_yyjson_get_next(at), yyjson_is_obj(at), false, true};
    }
    while (depth)
        buffer_add(buffer, stack[--depth].object ? "}" : "]", 1);
}

/* ---- the size without writing ---- */

static size_t size_of_number(const yyjson_val *value)
{
    char room[NUMBER_TEXT];
    haft_buffer text = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};

    write_number(value, &text);
    return text.size;
}

size_t hf_json_size(const yyjson_val *value)
{
    yyjson_val *at = (yyjson_val *)(uintptr_t)value, *end = unsafe_yyjson_get_next(at);
    size_t size = 0, n;

    for (; at < end; at++) {
        switch (yyjson_get_type(at)) {
        case YYJSON_TYPE_ARR:
            n = unsafe_yyjson_get_len(at);
            size += n ? n + 1 : 2;
            break;
        case YYJSON_TYPE_OBJ:
            n = unsafe_yyjson_get_len(at);
            size += n ? 2 * n + 1 : 2;
            break;
        case YYJSON_TYPE_STR:
            size += hf_json_string_size(yyjson_get_str(at), yyjson_get_len(at));
            break;
        case YYJSON_TYPE_NUM:
            size += size_of_number(at);
            break;
        case YYJSON_TYPE_BOOL:
            size += yyjson_get_bool(at) ? 4 : 5;
            break;
        default:
            size += 4;
            break;
        }
    }
    return size;
}
