/* test_install_edit.c - an entry in the text of a client's configuration. */
#include "install_edit.h"

#include "support/test.h"

static char first_arg[] = "-x", second_arg[] = "\"a\" b";
static char *const no_args[] = {NULL}, *const two_args[] = {first_arg, second_arg, NULL};

static const struct install_entry plain = {"mcpServers", "s", NULL, NULL, "/bin/s", no_args};
static const struct install_entry typed = {"servers", "s", "stdio", NULL, "/bin/s", two_args};
static const struct install_entry url = {"servers", "s", "http", "http://h/mcp", NULL, NULL};
static const struct install_entry gone = {"mcpServers", "s", NULL, NULL, NULL, NULL};

static const struct {
    const struct install_entry *entry;
    const char *text;
    const char *edited; /* NULL: nothing is changed, or it is refused with */
    const char *reason; /* part of it */
} rows[] = {
    /* files without anything */
    {&plain, "",
     "{\n  \"mcpServers\": {\n    \"s\": {\n      \"command\": \"/bin/s\",\n      \"args\": []\n    }\n  }\n}\n",
     NULL},
    {&plain, " \n",
     "{\n  \"mcpServers\": {\n    \"s\": {\n      \"command\": \"/bin/s\",\n      \"args\": []\n    }\n  }\n}\n",
     NULL},
    {&typed, "{}",
     "{\n  \"servers\": {\n    \"s\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/s\",\n"
     "      \"args\": [\"-x\", \"\\\"a\\\" b\"]\n    }\n  }\n}",
     NULL},
    {&url, "{}\n",
     "{\n  \"servers\": {\n    \"s\": {\n      \"type\": \"http\",\n      \"url\": \"http://h/mcp\"\n    }\n  }\n}\n",
     NULL},
    /* with tabs, and numbers and escapes that stay as they are */
    {&plain, "{\n\t\"a\": 1.50e+2,\n\t\"\\u0062\": \"\\/\"\n}\n",
     "{\n\t\"a\": 1.50e+2,\n\t\"\\u0062\": \"\\/\",\n\t\"mcpServers\": {\n\t\t\"s\": {\n"
     "\t\t\t\"command\": \"/bin/s\",\n\t\t\t\"args\": []\n\t\t}\n\t}\n}\n",
     NULL},
    /* with other line ends, and four spaces */
    {&plain, "{\r\n    \"mcpServers\": {}\r\n}",
     "{\r\n    \"mcpServers\": {\r\n        \"s\": {\r\n            \"command\": \"/bin/s\",\r\n"
     "            \"args\": []\r\n        }\r\n    }\r\n}",
     NULL},
    /* beside another entry, in the middle of the file */
    {&plain, "{\n  \"mcpServers\": {\n    \"t\": {\"command\": \"t\"}\n  },\n  \"z\": [ ]\n}",
     "{\n  \"mcpServers\": {\n    \"t\": {\"command\": \"t\"},\n    \"s\": {\n      \"command\": \"/bin/s\",\n"
     "      \"args\": []\n    }\n  },\n  \"z\": [ ]\n}",
     NULL},
    /* on one line */
    {&plain, "{\"a\":{},\"mcpServers\":{\"t\":1}}",
     "{\"a\":{},\"mcpServers\":{\"t\":1, \"s\": {\"command\": \"/bin/s\", \"args\": []}}}", NULL},
    {&plain, "{\"a\":1}",
     "{\"a\":1, \"mcpServers\": {\"s\": {\"command\": \"/bin/s\", \"args\": []}}}", NULL},
    {&plain, "{\n  \"mcpServers\": {\"t\": 1}\n}",
     "{\n  \"mcpServers\": {\"t\": 1, \"s\": {\"command\": \"/bin/s\", \"args\": []}}\n}", NULL},
    /* in the place of another of that name, though it is written with escapes */
    {&plain,
     "{\n  \"mcp\\u0053ervers\": {\n    \"\\u0073\": {\"command\": \"old\"},\n    \"t\": 1\n  }\n}",
     "{\n  \"mcp\\u0053ervers\": {\n    \"\\u0073\": {\n      \"command\": \"/bin/s\",\n      \"args\": []\n"
     "    },\n    \"t\": 1\n  }\n}",
     NULL},
    {&plain, "{\"mcpServers\": {\"s\": 7}}",
     "{\"mcpServers\": {\"s\": {\"command\": \"/bin/s\", \"args\": []}}}", NULL},
    /* there already, in whatever order */
    {&plain, "{\"mcpServers\": {\"s\": {\"args\": [ ], \"command\": \"\\/bin/s\"}}}", NULL, NULL},
    /* refused */
    {&plain, "[]", NULL, "it is not a JSON object"},
    {&plain, "{\"mcpServers\": []}", NULL, "its member \"mcpServers\" is not an object"},
    {&plain, "{\"mcpServers\": {}, \"mcpServers\": {}}", NULL,
     "it has the key \"mcpServers\" twice"},
    {&plain, "{\n  \"a\": 1, // one\n}", NULL, "invalid JSON at line 2, column 11: "},
    {&plain, "{\"a\": 1", NULL, "invalid JSON at line 1, column 8: "},
    {&plain, "\xEF\xBB\xBF{}", NULL, "invalid JSON at line 1, column 1: "},
    /* taken out: first, in the middle, last, the only one, none */
    {&gone, "{\n  \"mcpServers\": {\n    \"s\": {\"x\": [1, 2]},\n    \"t\": 1\n  }\n}",
     "{\n  \"mcpServers\": {\n    \"t\": 1\n  }\n}", NULL},
    {&gone, "{\"mcpServers\": {\"r\":0, \"s\":1, \"t\":2}}", "{\"mcpServers\": {\"r\":0, \"t\":2}}",
     NULL},
    {&gone, "{\n  \"mcpServers\": {\n    \"r\": 0,\n    \"s\": {}\n  }\n}",
     "{\n  \"mcpServers\": {\n    \"r\": 0\n  }\n}", NULL},
    {&gone, "{\n  \"mcpServers\": {\n    \"s\": {}\n  }\n}", "{\n  \"mcpServers\": {}\n}", NULL},
    {&gone, "{\"mcpServers\": {\"ss\": 1}, \"s\": 2}", NULL, NULL},
    {&gone, "{}", NULL, NULL},
    {&gone, "", NULL, NULL},
    {&gone, "{\"mcpServers\": {\"s\": }}", NULL, "invalid JSON at line 1, column 22: "},
};

static void entries_are_edited(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *text = rows[i].text;
        haft_reason reason = {.text = ""};
        haft_buffer out;
        int status;

        haft_buffer_init(&out, NULL, INSTALL_FILE_LIMIT);
        status = rows[i].entry == &gone
                     ? install_remove(text, strlen(text), rows[i].entry, &out, &reason)
                     : install_set(text, strlen(text), rows[i].entry, &out, &reason);
        if (rows[i].edited)
            haft_buffer_add(&out, "", 1);
        if ((status > 0) != !!rows[i].edited || (status < 0) != !!rows[i].reason ||
            (status > 0 && strcmp(out.data, rows[i].edited) != 0) ||
            (status < 0 && !strstr(reason.text, rows[i].reason)))
            fail_msg("%s: %d %s\n%s", text, status, reason.text, status > 0 ? out.data : "");
        haft_buffer_finish(&out);
    }
}

/* What was put in and is taken out again leaves the file as it was, if it had the section. */
static void edits_are_undone(void **state)
{
    static const char *const texts[] = {
        "{\n  \"mcpServers\": {\n    \"a\": 1\n  }\n}\n",
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {\n\t\t\t\"b\": []\n\t\t}\n\t},\n\t\"c\": 2\n}",
        "{\"mcpServers\":{\"a\":1}}",
        "{\n  \"mcpServers\": {}\n}\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        haft_buffer put, taken;
        haft_reason reason;

        haft_buffer_init(&put, NULL, INSTALL_FILE_LIMIT);
        haft_buffer_init(&taken, NULL, INSTALL_FILE_LIMIT);
        assert_int_equal(install_set(texts[i], strlen(texts[i]), &plain, &put, &reason), 1);
        assert_true(install_has(put.data, put.size, &plain));
        assert_int_equal(install_remove(put.data, put.size, &gone, &taken, &reason), 1);
        assert_false(install_has(taken.data, taken.size, &plain));
        haft_buffer_add(&taken, "", 1);
        assert_string_equal(taken.data, texts[i]);
        haft_buffer_finish(&put);
        haft_buffer_finish(&taken);
    }
}

static const struct {
    const char *before, *after, *diff;
} diff_rows[] = {
    {"", "a\nb\n", "+a\n+b\n"},
    {"a\n", "a\nb\n", " a\n+b\n"},
    {"1\n2\n3\n4\nx\n5\n6\n7\n8\n", "1\n2\n3\n4\ny\nz\n5\n6\n7\n8\n",
     " 2\n 3\n 4\n-x\n+y\n+z\n 5\n 6\n 7\n"},
    {"a\na\n", "a\n", " a\n-a\n"},
    {"a", "b", "-a\n+b\n"},
    {"a\r\n", "a\r\n\033[1mb\r\n", " a\n+ [1mb\n"}, /* nothing moves a terminal */
};

static void changes_are_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(diff_rows); i++) {
        haft_buffer out;

        haft_buffer_init(&out, NULL, 1000);
        install_diff(diff_rows[i].before, strlen(diff_rows[i].before), diff_rows[i].after,
                     strlen(diff_rows[i].after), &out);
        haft_buffer_add(&out, "", 1);
        assert_string_equal(out.data, diff_rows[i].diff);
        haft_buffer_finish(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_edited),
                                       cmocka_unit_test(edits_are_undone),
                                       cmocka_unit_test(changes_are_shown)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
