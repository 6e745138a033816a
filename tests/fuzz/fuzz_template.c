/* fuzz_template.c - any bytes as a Handlebars template.
 *
 * Whatever they are, a text or a reason comes back, within the limits, and the same one twice. */
#include <stdlib.h>
#include <string.h>

#include "template/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OUTPUT = 10000, MOST_STEPS = 2000 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static struct template_value same(void *context, const struct template_value *arguments, size_t n)
{
    (void)context;
    return n ? arguments[0] : (struct template_value){.kind = TEMPLATE_NULL};
}

static int render(const uint8_t *data, size_t size, haft_arena *arena, haft_value *root,
                  haft_buffer *out, haft_reason *ret_reason)
{
    static const struct template_helper helpers[] = {{"same", 0, 3, same}, {NULL, 0, 0, NULL}};
    const struct template_options options = {
        .helpers = helpers, .max_output = MOST_OUTPUT, .max_steps = MOST_STEPS};

    return template_render((const char *)data, size, root, &options, arena, out, ret_reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char context[] =
        "{\"a\":1,\"b\":[1,[2],{\"c\":\"<x>\"}],\"o\":{\"p\":{\"q\":null}},\"t\":true,\"f\":false,\"s\":\"text\"}";
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    haft_value *root = arena ? haft_json_read(context, sizeof context - 1, 0, arena, NULL) : NULL;
    haft_reason reason = {0}, again = {0};
    haft_buffer out, out_again;
    int status;

    haft_buffer_init(&out, NULL, 1 << 20);
    haft_buffer_init(&out_again, NULL, 1 << 20);
    if (root) {
        status = render(data, size, arena, root, &out, &reason);
        require(out.size <= MOST_OUTPUT);
        require(!status || (status == reason.code && *reason.text));
        require(render(data, size, arena, root, &out_again, &again) == status ||
                again.code == HAFT_ENOMEM);
        require(status || (out.size == out_again.size &&
                           !memcmp(out.data ? out.data : "", out_again.data ? out_again.data : "",
                                   out.size)));
    }
    haft_buffer_finish(&out);
    haft_buffer_finish(&out_again);
    haft_arena_free(arena);
    return 0;
}
