/* memory.c - the demo's memory: the allocator that it was given, and the scratch arena of a request. */
#include "demo/model.h"

void *demo_alloc(struct demo *demo, size_t size)
{
    return demo->allocator.alloc(demo->allocator.context, size);
}

void demo_release(struct demo *demo, void *memory, size_t size)
{
    if (memory)
        demo->allocator.release(demo->allocator.context, memory, size);
}

char *demo_dup(struct demo *demo, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = demo_alloc(demo, size);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void demo_drop(struct demo *demo, char *text)
{
    if (text)
        demo_release(demo, text, strlen(text) + 1);
}

bool demo_grow(struct demo *demo, void **array, size_t n, size_t *capacity, size_t size)
{
    size_t more = *capacity ? *capacity * 2 : 8;
    void *memory;

    if (n < *capacity)
        return true;
    memory = demo->allocator.resize(demo->allocator.context, *array, *capacity * size, more * size);
    if (!memory)
        return false;
    *array = memory;
    *capacity = more;
    return true;
}

haft_buffer demo_buffer(struct demo *demo)
{
    haft_buffer buffer;

    haft_buffer_init(&buffer, &demo->allocator, DEMO_BODY);
    return buffer;
}

char *demo_take(struct demo *demo, haft_buffer *buffer)
{
    char *text = NULL;

    if (!buffer->status)
        text = haft_arena_copy(demo->scratch, buffer->data ? buffer->data : "", buffer->size);
    haft_buffer_finish(buffer);
    return text;
}

const char *demo_complain(struct demo *demo, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = haft_arena_vprintf(demo->scratch, format, args);
    va_end(args);
    return text ? text : "";
}

char *demo_format(struct demo *demo, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = haft_arena_vprintf(demo->scratch, format, args);
    va_end(args);
    return text;
}
