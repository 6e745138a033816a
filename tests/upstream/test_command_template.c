/* test_command_template.c - argument vectors: what templates are refused, and what arguments become. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/failing.h"
#include "support/test.h"
#include "upstream/command_template.h"

enum { ARENA = 16 << 20 };

static const char properties[] =
    "{\"a\":{},\"b\":{},\"list\":{},\"other\":{},\"flag\":{},\"path\":{},\"n\":{},\"free\":{}}";
/* Arguments that always are words: text, one, kind, fixed and count; and others that are required or have defaults. */
static const char schema[] =
    "{\"properties\":{\"a\":{},\"b\":{},\"list\":{},\"other\":{},\"flag\":{},\"path\":{},\"n\":{},\"free\":{},"
    "\"text\":{\"type\":\"string\"},\"one\":{\"type\":\"array\",\"minItems\":1},\"kind\":{\"enum\":[\"x\",1]},"
    "\"fixed\":{\"const\":\"x\"},\"count\":{\"type\":\"integer\",\"default\":1},"
    "\"any\":{\"type\":\"array\"},\"maybe\":{\"type\":[\"string\",\"null\"]},\"null\":{\"enum\":[\"x\",null]},"
    "\"open\":{},\"optional\":{\"type\":\"string\"}},"
    "\"required\":[\"text\",\"one\",\"kind\",\"fixed\",\"any\",\"maybe\",\"null\",\"open\"]}";

static haft_value *read_json(haft_arena *arena, const char *text)
{
    haft_reason reason;
    haft_value *value = haft_json_read(text, strlen(text), 0, arena, &reason);

    if (!value)
        fail_msg("%s: %s", text, reason.text);
    return value;
}

/* Writes the words as JSON, or the error. */
static void expand(const char *run, const char *arguments, char *result, size_t room)
{
    static const char *const dashes[] = {"free"};
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    haft_value *input = read_json(arena, schema);
    struct command_names names = {.input = input,
                                  .properties = yyjson_obj_get(input, "properties"),
                                  .has_output = true,
                                  .allow_dash = dashes,
                                  .n_allow_dash = 1};
    struct command_template template;
    const char *const *words;
    haft_reason reason = {.code = 0};
    haft_buffer text;
    size_t n;
    int status = hf_command_template_read(arena, read_json(arena, run), &names, &template, &reason);

    if (!status)
        status = hf_command_expand(&template, read_json(arena, arguments), "/tmp/out", arena,
                                   &words, &n, &reason);
    if (status) {
        snprintf(result, room, "%s%s%s", reason.path, *reason.path ? ": " : "", reason.text);
    } else {
        haft_buffer_init(&text, NULL, room - 1);
        for (size_t i = 0; i < n; i++) {
            haft_buffer_puts(&text, i ? "|" : "");
            haft_buffer_puts(&text, words[i]);
        }
        assert_null(words[n]);
        assert_int_equal(text.status, 0);
        snprintf(result, room, "%.*s", (int)text.size, text.data);
        haft_buffer_finish(&text);
    }
    haft_arena_free(arena);
}

/* clang-format off */
static const struct row {
    const char *run, *arguments, *result;
} rows[] = {
    /* Words. */
    {"[\"p\",\"{a}\"]", "{\"a\":\"x\"}", "p|x"},
    {"[\"p\",\"{a}\"]", "{\"a\":\"x y; $(z) '\\\" * \\n\"}", "p|x y; $(z) '\" * \n"},
    {"[\"p\",\"{a}\"]", "{\"a\":\"\"}", "p|"},
    {"[\"p\",\"--x={a}\",\"{a}:{b}\"]", "{\"a\":\"1\",\"b\":\"2\"}", "p|--x=1|1:2"},
    {"[\"p\",\"{{a}}\",\"}}{{\"]", "{}", "p|{a}|}{"},
    {"[\"p\",\"\"]", "{}", "p|"},
    {"[\"p\",\"{n}\",\"{a}\",\"{b}\"]", "{\"n\":5,\"a\":true,\"b\":1.5}", "p|5|true|1.5"},
    {"[\"p\",\"{a}\"]", "{\"a\":{\"k\":[1,\"x\"]}}", "p|{\"k\":[1,\"x\"]}"},
    {"[\"p\",\"{*}\"]", "{\"a\":1}", "p|{\"a\":1}"},
    {"[\"p\",\"-o{output}\"]", "{}", "p|-o/tmp/out"},
    {"[\"p\",\"{a}\"]", "{\"a\":\"{b}\",\"b\":\"x\"}", "p|{b}"}, /* a value is not a template */
    /* Lists. */
    {"[\"p\",\"{list}\"]", "{\"list\":[\"x\",\"y z\",3]}", "p|x|y z|3"},
    {"[\"p\",\"{list}\"]", "{\"list\":[]}", "p"},
    {"[\"p\",\"-f={list}:{a}\"]", "{\"list\":[\"x\",\"y\"],\"a\":\"b\"}", "p|-f=x:b|-f=y:b"},
    {"[\"p\",\"{list}{other}\"]", "{\"list\":[1],\"other\":[2]}", "other: two lists in one argument of a program"},
    {"[\"p\",\"{list}\"]", "{\"list\":[[1,2]]}", "p|[1,2]"},
    /* Absent arguments. */
    {"[\"p\",\"{a}\",\"z\"]", "{}", "p|z"},
    {"[\"p\",\"{a}\",\"z\"]", "{\"a\":null}", "p|z"},
    {"[\"p\",[\"-x\",\"{a}\"],\"z\"]", "{}", "p|z"},
    {"[\"p\",[\"-x\",\"{a}\"],\"z\"]", "{\"a\":\"1\"}", "p|-x|1|z"},
    {"[\"p\",[\"-x\",\"{a}\",\"{b}\"]]", "{\"a\":\"1\"}", "p"},
    {"[\"p\",{\"if\":\"flag\",\"words\":[\"-v\"]}]", "{\"flag\":true}", "p|-v"},
    {"[\"p\",{\"if\":\"flag\",\"words\":[\"-v\"]}]", "{\"flag\":false}", "p"},
    {"[\"p\",{\"if\":\"flag\",\"words\":[\"-v\"]}]", "{}", "p"},
    {"[\"p\",{\"if\":\"n\",\"words\":[\"-n\",\"{n}\"]}]", "{\"n\":0}", "p|-n|0"},
    /* What looks like an option. */
    {"[\"p\",\"{a}\"]", "{\"a\":\"-x\"}", "a: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{a}\"]", "{\"a\":\"--\"}", "a: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{n}\"]", "{\"n\":-9}", "n: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{list}\"]", "{\"list\":[\"x\",\"-y\"]}", "list: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{a}{b}\"]", "{\"a\":\"\",\"b\":\"-x\"}", "a: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{free}{b}\"]", "{\"free\":\"\",\"b\":\"-x\"}", "free: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{a}-x\"]", "{\"a\":\"\"}", "a: must not begin with \"-\", which would make it an option"},
    {"[\"p\",\"{free}\"]", "{\"free\":\"-x\"}", "p|-x"},
    {"[\"p\",\"-{a}\"]", "{\"a\":\"-x\"}", "p|--x"},
    {"[\"p\",\"--\",\"{a}\"]", "{\"a\":\"-x\"}", "p|--|-x"},
    {"[\"p\",[\"--\",\"{a}\"],\"{b}\"]", "{\"a\":\"-x\",\"b\":\"-y\"}", "b: must not begin with \"-\", which would make it an option"},
    {"[\"p\",{\"if\":\"flag\",\"words\":[\"--\"]},\"{b}\"]", "{\"flag\":true,\"b\":\"-y\"}", "b: must not begin with \"-\", which would make it an option"},
    /* A "--" that an option may take is none. */
    {"[\"p\",[\"-e\",\"{list}\"],\"--\",\"{b}\"]", "{\"list\":[],\"b\":\"--help\"}", "p|--|--help"},
    {"[\"p\",[\"-e\",\"{list}\"],\"--\",\"{b}\"]", "{\"list\":[\"x\",\"y\"],\"b\":\"--help\"}", "p|-e|x|y|--|--help"},
    {"[\"p\",[\"-e\",\"{list}\",\"-f\",\"{a}\"],\"z\"]", "{\"list\":[],\"a\":\"x\"}", "p|z"},
    {"[\"p\",[\"-e\"],\"{list}\",\"--\",\"{b}\"]", "{\"list\":[],\"b\":\"--help\"}", "b: must not begin with \"-\", which would make it an option"},
    {"[\"p\",[\"-e\"],\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"--help\"}", "b: must not begin with \"-\", which would make it an option"},
    {"[\"p\",[\"-e\"],[\"{a}\"],[\"--\",\"{b}\"]]", "{\"b\":\"--help\"}", "b: must not begin with \"-\", which would make it an option"},
    {"[\"p\",[\"-e\"],\"{a}\",\"--\",\"{b}\"]", "{\"a\":\"x\",\"b\":\"--help\"}", "p|-e|x|--|--help"},
    {"[\"p\",[\"-e\"],\"{a}\",\"--\",\"--\",\"{b}\"]", "{\"b\":\"-x\"}", "p|-e|--|--|-x"},
    {"[\"p\",[\"--e=1\"],\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"-x\"}", "p|--e=1|--|-x"},
    {"[\"p\",\"-r\",[\"-m\",\"{n}\"],\"--\",\"{b}\"]", "{\"b\":\"-x\"}", "p|-r|--|-x"},
    {"[\"p\",\"-\",\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"-x\"}", "p|-|--|-x"},
    /* Options whose values may be absent. */
#define ABSENT(option) "may be absent, so that \"" option "\" would take the word after it; write both as one list, or only the option as a list if it has no value"
    {"[\"p\",\"-o\",\"{a}\",\"--\",\"{b}\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"--out\",\"{a}\",\"z\"]", "{}", "2: " ABSENT("--out")},
    {"[\"p\",\"-o\",\"x{a}\",\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",[\"{a}\"],\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",{\"if\":\"flag\",\"words\":[\"x\"]},\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",[\"-m\",\"{n}\"],\"{a}\",\"z\"]", "{}", "3: " ABSENT("-o")},
    {"[\"p\",\"-o\",\"{optional}\",\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",\"{any}\",\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",\"{maybe}\",\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",\"{null}\",\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",\"{open}\",\"z\"]", "{}", "2: " ABSENT("-o")},
    {"[\"p\",\"-o\",\"{text}\",\"-i\",\"{one}\",\"-k\",\"{kind}\",\"-f\",\"{fixed}\",\"-c\",\"{count}\",\"--\",\"{b}\"]",
     "{\"text\":\"t\",\"one\":[\"1\"],\"kind\":1,\"fixed\":\"x\",\"count\":2,\"b\":\"-x\"}", "p|-o|t|-i|1|-k|1|-f|x|-c|2|--|-x"},
    {"[\"p\",\"-l\",\"{list}\"]", "{\"list\":[]}", "p|-l"}, /* there is nothing to take */
    {"[\"p\",\"-o\",\"x\",\"{a}\",\"z\"]", "{}", "p|-o|x|z"},
    {"[\"p\",\"--o=x\",\"{a}\",\"z\"]", "{}", "p|--o=x|z"},
    {"[\"p\",\"-o\",\"--\",\"{a}\",\"z\"]", "{}", "p|-o|--|z"},
    /* NUL. */
    {"[\"p\",\"{a}\"]", "{\"a\":\"x\\u0000y\"}", "a: an argument of a program cannot contain NUL"},
    {"[\"p\",\"{list}\"]", "{\"list\":[\"x\\u0000\"]}", "list: an argument of a program cannot contain NUL"},
    /* Templates that are refused. */
    {"\"p\"", "{}", "expected a list that begins with the name of a program"},
    {"[]", "{}", "expected a list that begins with the name of a program"},
    {"[\"{a}\"]", "{}", "expected a list that begins with the name of a program"},
    {"[[\"p\"]]", "{}", "expected a list that begins with the name of a program"},
    {"[\"p\",5]", "{}", "1: expected a word, a list of words, or a condition"},
    {"[\"p\",[5]]", "{}", "1.0: expected a word"},
    {"[\"p\",[\"x\",[\"y\"]]]", "{}", "1.1: expected a word"},
    {"[\"p\",\"{pth}\"]", "{}", "1: \"{pth}\" is not a property of \"input\"; did you mean \"path\"?"},
    {"[\"p\",\"{zzzzzzz}\"]", "{}", "1: \"{zzzzzzz}\" is not a property of \"input\""},
    {"[\"p\",\"x{a\"]", "{}", "1: \"{a\" has no }; write {{ for a brace"},
    {"[\"p\",\"a}\"]", "{}", "1: \"}\" has no {; write }} for a brace"},
    {"[\"p\",\"{}\"]", "{}", "1: expected a name between { and }; write {{ for a brace"},
    {"[\"p\",\"{a{b}\"]", "{}", "1: \"{a{b}\" has a { within braces"},
    {"[\"p\",{\"if\":\"flag\"}]", "{}", "1: expected an object with \"if\", an argument, and \"words\", a list"},
    {"[\"p\",{\"if\":\"flga\",\"words\":[]}]", "{}", "1: \"{flga}\" is not a property of \"input\"; did you mean \"flag\"?"},
    {"[\"p\",{\"if\":\"flag\",\"words\":[1]}]", "{}", "1.words.0: expected a word"},
    /* Texts of programs. */
    {"[\"sh\",\"-c\",\"ls {a}\"]", "{}", "a placeholder in the text of a program for sh would let a caller run anything; pass it as a further argument"},
    {"[\"/bin/bash\",\"-ec\",\"{a}\"]", "{}", "a placeholder in the text of a program for /bin/bash would let a caller run anything; pass it as a further argument"},
    {"[\"python3\",\"-c\",\"{*}\"]", "{}", "a placeholder in the text of a program for python3 would let a caller run anything; pass it as a further argument"},
#define PROGRAM_TEXT(program) "a placeholder in the text of a program for " program " would let a caller run anything; pass it as a further argument"
    {"[\"perl\",\"-e{a}\"]", "{}", PROGRAM_TEXT("perl")},
    {"[\"perl\",\"-ne{a}\"]", "{}", PROGRAM_TEXT("perl")},
    {"[\"perl\",\"-eprint {a}\"]", "{}", PROGRAM_TEXT("perl")},
    {"[\"python3\",\"-c{a}\"]", "{}", PROGRAM_TEXT("python3")},
    {"[\"node\",\"--eval={a}\"]", "{}", PROGRAM_TEXT("node")},
    {"[\"node\",\"--print\",\"{a}\"]", "{}", PROGRAM_TEXT("node")},
    {"[\"php\",\"--run={a}\"]", "{}", PROGRAM_TEXT("php")},
    {"[\"/usr/bin/python3.12\",\"-c\",\"{a}\"]", "{}", PROGRAM_TEXT("/usr/bin/python3.12")},
    {"[\"lua5.4\",\"-e\",\"{a}\"]", "{}", PROGRAM_TEXT("lua5.4")},
    {"[\"env\",\"sh\",\"-c\",\"{a}\"]", "{}", PROGRAM_TEXT("sh")},
    {"[\"env\",\"A=1\",\"-i\",\"nice\",\"-n\",\"5\",\"/bin/sh\",\"-c\",\"{a}\"]", "{}", PROGRAM_TEXT("/bin/sh")},
    {"[\"timeout\",\"5\",\"bash\",\"-c\",\"{a}\"]", "{}", PROGRAM_TEXT("bash")},
    {"[\"env\",\"-S\",\"sh {a}\"]", "{}", PROGRAM_TEXT("env")},
    {"[\"sh\",[\"-c\",\"{a}\"]]", "{}", PROGRAM_TEXT("sh")},
    {"[\"perl\",\"-I{a}\",\"x.pl\"]", "{\"a\":\"x\"}", "perl|-Ix|x.pl"},
    {"[\"node\",\"--title={a}\",\"x.js\"]", "{\"a\":\"x\"}", "node|--title=x|x.js"},
    {"[\"nice\",\"grep\",\"-c\",\"{a}\"]", "{\"a\":\"x\"}", "nice|grep|-c|x"},
    {"[\"env\",\"{a}\"]", "{\"a\":\"x\"}", "env|x"},
    {"[\"shuf\",\"-c\",\"{a}\"]", "{\"a\":\"x\"}", "shuf|-c|x"},
    {"[\"python3\",\"x.py\",\"{a}\"]", "{\"a\":\"x\"}", "python3|x.py|x"},
    {"[\"env\",\"A={a}\",\"sh\",\"-c\",\"echo $A\"]", "{\"a\":\"x\"}", "env|A=x|sh|-c|echo $A"},
    {"[\"sh\",\"-c\",\"ls \\\"$1\\\"\",\"sh\",\"{a}\"]", "{\"a\":\"x\"}", "sh|-c|ls \"$1\"|sh|x"},
    {"[\"grep\",\"-c\",\"{a}\"]", "{\"a\":\"x\"}", "grep|-c|x"},
};
/* clang-format on */

static void makes_arguments(void **state)
{
    char result[1000];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expand(rows[i].run, rows[i].arguments, result, sizeof result);
        if (strcmp(result, rows[i].result))
            fail_msg("%s with %s: %s", rows[i].run, rows[i].arguments, result);
    }
}

/* ---- limits ---- */

static int expand_big(size_t n_words, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, (size_t)64 << 20);
    struct command_names names = {.properties = read_json(arena, properties)};
    struct command_template template;
    const char *const *words;
    haft_reason reason;
    haft_buffer text;
    size_t n;
    int status;

    haft_buffer_init(&text, NULL, (size_t)16 << 20);
    haft_buffer_puts(&text, "{\"list\":[");
    for (size_t i = 0; i < n_words; i++) {
        haft_buffer_puts(&text, i ? ",\"" : "\"");
        for (size_t j = 0; j < size; j++)
            haft_buffer_puts(&text, "x");
        haft_buffer_puts(&text, "\"");
    }
    haft_buffer_add(&text, "]}", 3);
    assert_int_equal(hf_command_template_read(arena, read_json(arena, "[\"p\",\"{list}\"]"), &names,
                                              &template, &reason),
                     0);
    status =
        hf_command_expand(&template, read_json(arena, text.data), NULL, arena, &words, &n, &reason);
    if (!status)
        assert_int_equal(n, n_words + 1);
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    return status;
}

static void bounds_words_and_bytes(void **state)
{
    (void)state;
    assert_int_equal(expand_big(COMMAND_WORDS - 1, 1), 0);
    assert_int_equal(expand_big(COMMAND_WORDS, 1), HAFT_ETOOBIG);
    assert_int_equal(expand_big(1, COMMAND_WORD), 0);
    assert_int_equal(expand_big(1, COMMAND_WORD + 1), HAFT_ETOOBIG);
    assert_int_equal(expand_big(2, COMMAND_BYTES / 2 - 10), 0);
    assert_int_equal(expand_big(2, COMMAND_BYTES / 2 + 1), HAFT_ETOOBIG);
}

/* ---- standard input, and names without a schema ---- */

static void makes_text(void **state)
{
    static const struct text_row {
        const char *text, *arguments, *result;
    } texts[] = {
        {"{a}", "{\"a\":\"-x\\ny\"}", "-x\ny"},
        {"Hello {a}, {n}\n", "{\"a\":\"b\",\"n\":1}", "Hello b, 1\n"},
        {"{a}", "{}", ""},
        {"{*}", "{\"a\":[1,2]}", "{\"a\":[1,2]}"},
        {"{list}", "{\"list\":[\"x\",2]}", "[\"x\",2]"},
        {"", "{}", ""},
    };
    haft_arena *arena = haft_arena_new(NULL, ARENA);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct command_names names = {.properties = read_json(arena, properties)};
        struct command_word word;
        struct text made;

        assert_int_equal(hf_command_text_read(arena, texts[i].text, &names, &word, NULL), 0);
        assert_int_equal(
            hf_command_expand_text(&word, read_json(arena, texts[i].arguments), arena, &made, NULL),
            0);
        assert_int_equal(made.size, strlen(texts[i].result));
        assert_memory_equal(made.data, texts[i].result, made.size);
    }
    haft_arena_free(arena);
}

static void collects_names(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    struct command_names names = {.properties = NULL};
    struct command_template template;

    (void)state;
    assert_int_equal(
        hf_command_template_read(arena, read_json(arena, "[\"p\",\"{x}{y}\",[\"{x}\",\"{z}\"]]"),
                                 &names, &template, NULL),
        0);
    assert_int_equal(names.n_found, 3);
    assert_string_equal(names.found[0], "x");
    assert_string_equal(names.found[1], "y");
    assert_string_equal(names.found[2], "z");
    haft_arena_free(arena);
}

/* ---- allocations fail ---- */

static void comes_through_failing_allocations(void **state)
{
    struct failing failing;

    (void)state;
    for (size_t nth = 1;; nth++) {
        haft_arena *given = haft_arena_new(NULL, ARENA), *arena;
        struct command_names names = {.properties = read_json(given, properties)};
        haft_value *run = read_json(given, "[\"p\",\"--x={a}\",[\"{list}\"]]");
        haft_value *arguments = read_json(given, "{\"a\":\"1\",\"list\":[\"x\",\"y\"]}");
        struct command_template template;
        const char *const *words;
        haft_reason reason;
        size_t n;
        int status = HAFT_ENOMEM;

        failing_init(&failing, nth);
        arena = haft_arena_new(&failing.allocator, ARENA);
        if (arena)
            status = hf_command_template_read(arena, run, &names, &template, &reason);
        if (!status)
            status = hf_command_expand(&template, arguments, NULL, arena, &words, &n, &reason);
        assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
        haft_arena_free(arena);
        haft_arena_free(given);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_arguments),
        cmocka_unit_test(bounds_words_and_bytes),
        cmocka_unit_test(makes_text),
        cmocka_unit_test(collects_names),
        cmocka_unit_test(comes_through_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
