/* test_docs.c - docs/home.md says what the registry says, and shows the file of a tool as it is.
 * HAFT_WRITE_DOCS=1 writes both into the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"
#include "support/test.h"

enum { DOCS_LIMIT = 256 * 1024 };
static const char docs_page[] = "docs/home.md";

static char *docs_read(const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = calloc(1, DOCS_LIMIT);

    if (!file)
        fail_msg("cannot open %s", name);
    assert_non_null(text);
    assert_true(fread(text, 1, DOCS_LIMIT - 1, file) > 0);
    fclose(file);
    return text;
}

/* What the page has between two marks must be this. */
static void docs_must_have(const char *begin_mark, const char *end_mark, const char *wanted,
                           size_t size)
{
    char *page = docs_read(docs_page), *begin = strstr(page, begin_mark), *end;

    assert_non_null(begin);
    begin += strlen(begin_mark);
    end = strstr(begin, end_mark);
    assert_non_null(end);
    if (getenv("HAFT_WRITE_DOCS")) {
        FILE *file = fopen(docs_page, "w");

        assert_non_null(file);
        fwrite(page, 1, (size_t)(begin - page), file);
        fwrite(wanted, 1, size, file);
        fputs(end, file);
        fclose(file);
    } else if ((size_t)(end - begin) != size || memcmp(begin, wanted, size) != 0) {
        fail_msg("%s: after \"%.40s\" it is not as in the sources; HAFT_WRITE_DOCS=1 makes it so",
                 docs_page, begin_mark);
    }
    free(page);
}

static void docs_put_arguments(haft_buffer *out, const haft_type *type)
{
    for (size_t i = 0; type && i < type->n_fields; i++) {
        const haft_field *field = &type->fields[i];
        bool required = field->presence == HAFT_PRESENCE_REQUIRED;

        haft_buffer_printf(out, required ? "%s`%s`" : "%s[`%s`]", i ? " " : "", field->name);
    }
}

static void docs_put_tool(haft_buffer *out, const struct tool_row *row)
{
    static const char *const notes[] = {"", " Speech: see below.",
                                        " Only with `--render-template`."};
    const haft_tool *tool = *row->tool;
    size_t size = strlen(tool->description);

    haft_buffer_printf(out, "| `%s` | ", tool->name);
    docs_put_arguments(out, tool->input);
    haft_buffer_printf(out, " | %s%s%s |", tool->description,
                       size && tool->description[size - 1] == '.' ? "" : ".", notes[row->offer]);
    if (tool->annotations.read_only == HAFT_YES)
        haft_buffer_puts(out, " R |\n");
    else
        haft_buffer_puts(out, tool->annotations.destructive == HAFT_NO ? " W |\n" : " W D |\n");
}

static void the_table_is_the_registry(void **state)
{
    haft_buffer rows;

    (void)state;
    haft_buffer_init(&rows, NULL, DOCS_LIMIT);
    haft_buffer_puts(&rows, "\n| tool | arguments | does | |\n|---|---|---|---|\n");
    for (size_t i = 0; home_tools[i].tool; i++)
        docs_put_tool(&rows, &home_tools[i]);
    assert_int_equal(rows.status, 0);
    docs_must_have("<!-- tools -->", "<!-- end -->", rows.data, rows.size);
    haft_buffer_finish(&rows);
}

static void the_file_of_a_tool_is_shown(void **state)
{
    char *source = docs_read("apps/home/tools/control_automation.c");
    char *registry = docs_read("apps/home/registry.c");

    (void)state;
    docs_must_have("```c from apps/home/tools/control_automation.c\n", "```", source,
                   strlen(source));
    assert_non_null(strstr(registry, "    X(control_automation, OFFER_ALWAYS) "));
    free(registry);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_the_registry),
        cmocka_unit_test(the_file_of_a_tool_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
