/* Templates: limits, errors and memory.  tests/e2e/home-template.test.mjs compares texts with Handlebars. */
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "template/template.h"

static const char context[] =
    "{\"name\":\"Ann\",\"list\":[1,2,3],\"o\":{\"k\":\"v\"},\"yes\":true}";

struct outcome {
    int status;
    haft_reason reason;
    haft_buffer out;
};

static bool stops(void *stop)
{
    return *(bool *)stop;
}

static void render_with(struct outcome *ret, const char *text, size_t size,
                        const struct template_options *options, const haft_allocator *allocator)
{
    haft_arena *arena = haft_arena_new(allocator, 4 << 20);
    haft_value *root = arena ? haft_json_read(context, sizeof context - 1, 0, arena, NULL) : NULL;

    *ret = (struct outcome){.status = HAFT_ENOMEM};
    haft_buffer_init(&ret->out, allocator, 1 << 20);
    if (root)
        ret->status = template_render(text, size, root, options, arena, &ret->out, &ret->reason);
    haft_arena_free(arena);
}

static void renders(void **state)
{
    static const struct {
        const char *text, *result, *fault;
    } rows[] = {
        {"Hello {{name}}", "Hello Ann", NULL},
        {"{{#each list}}{{.}}{{#unless @last}}, {{/unless}}{{/each}}", "1, 2, 3", NULL},
        {"{{#each o}}{{@key}}={{this}}{{/each}}", "k=v", NULL},
        {"a\n{{#if yes}}", NULL, "line 2: the block {{#if yes}} is not closed"},
        {"{{#if yes}}{{/each}}", NULL, "line 1: {{/each}} does not close {{#if yes}}"},
        {"{{/if}}", NULL, "line 1: {{/if}} closes no block"},
        {"{{else}}", NULL, "line 1: {{else}} is outside of a block"},
        {"{{frobnicate 1}}", NULL, "line 1: unknown helper \"frobnicate\""},
        {"{{lookup list}}", NULL, "line 1: wrong number of arguments for the helper \"lookup\""},
        {"{{> header}}", NULL, "line 1: partials and decorators are not supported"},
        {"{{#*inline \"x\"}}{{/inline}}", NULL,
         "line 1: decorators and partials are not supported"},
        {"{{{{raw}}}}", NULL, "line 1: raw blocks are not supported"},
        {"\n\n{{name", NULL, "line 3: a tag is not closed: \"{{name\""},
        {"{{}}", NULL, "line 1: a tag is empty"},
        {"{{name \"x}}", NULL, "line 1: a tag is not closed: \"{{name \"x}}\""},
        {"{{#if}}x{{/if}}", NULL, "line 1: #if requires exactly one argument"},
    };
    static const struct template_options options = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome got;

        render_with(&got, rows[i].text, strlen(rows[i].text), &options, NULL);
        if (rows[i].fault) {
            assert_int_equal(got.status, HAFT_EINVAL);
            assert_string_equal(got.reason.text, rows[i].fault);
        } else {
            assert_int_equal(got.status, 0);
            assert_int_equal(got.out.size, strlen(rows[i].result));
            assert_memory_equal(got.out.data, rows[i].result, got.out.size);
        }
        haft_buffer_finish(&got.out);
    }
}

/* A template repeated n times. */
static char *repeated(const char *text, size_t n)
{
    size_t size = strlen(text);
    char *all = malloc(size * n + 1);

    assert_non_null(all);
    for (size_t i = 0; i < n; i++)
        memcpy(all + i * size, text, size);
    all[size * n] = '\0';
    return all;
}

static void is_limited(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        struct template_options options;
        int status;
    } rows[] = {
        {"0123456789", 6554, {0}, HAFT_ETOOBIG}, /* 65,540 bytes */
        {"0123456789", 6553, {0}, 0},
        {"0123456789", 2, {.max_output = 20}, 0},
        {"0123456789", 2, {.max_output = 19}, HAFT_ETOOBIG},
        {"{{name}}", 10, {.max_steps = 10}, 0},
        {"{{name}}", 10, {.max_steps = 9}, HAFT_ESTEPS},
        {"{{#if yes}}", 33, {0}, HAFT_EINVAL},
        {"{{#each list}}{{#each ../list}}{{.}}{{/each}}{{/each}}",
         1,
         {.max_steps = 12},
         HAFT_ESTEPS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = repeated(rows[i].text, rows[i].n);
        struct outcome got;

        render_with(&got, text, strlen(text), &rows[i].options, NULL);
        assert_int_equal(got.status, rows[i].status);
        assert_true(!rows[i].status || *got.reason.text);
        haft_buffer_finish(&got.out);
        free(text);
    }
}

static void stops_when_asked(void **state)
{
    char *text = repeated("{{name}}", 1000);
    bool stop = false;
    struct template_options options = {.stop = stops, .context = &stop};

    (void)state;
    for (int i = 0; i < 2; i++, stop = true) {
        struct outcome got;

        render_with(&got, text, strlen(text), &options, NULL);
        assert_int_equal(got.status, stop ? HAFT_ECLOSED : 0);
        haft_buffer_finish(&got.out);
    }
    free(text);
}

static void survives_without_memory(void **state)
{
    static const char text[] =
        "{{#each list}}{{#if (lookup ../o \"k\")}}{{.}}{{else}}x{{/if}}{{/each}}";
    static const struct template_options options = {0};

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct outcome got;

        failing_init(&failing, nth);
        render_with(&got, text, sizeof text - 1, &options, &failing.allocator);
        assert_true(!got.status || got.status == HAFT_ENOMEM);
        haft_buffer_finish(&got.out);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renders),
        cmocka_unit_test(is_limited),
        cmocka_unit_test(stops_when_asked),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
