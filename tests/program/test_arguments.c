/* test_arguments.c - what words become under a schema. */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

#define SCHEMA                                                                                           \
    "{\"type\":\"object\",\"properties\":{"                                                              \
    "\"s\":{\"type\":\"string\"},\"i\":{\"type\":\"integer\"},\"n\":{\"type\":\"number\"},"              \
    "\"b\":{\"type\":\"boolean\"},\"e\":{\"enum\":[\"low\",\"high\"]},\"mixed\":{\"enum\":[1,\"one\"]}," \
    "\"t\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                                        \
    "\"k\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"                                       \
    "\"o\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"},"                           \
    "\"in\":{\"type\":\"object\",\"properties\":{\"y\":{\"type\":\"boolean\"}}}},"                       \
    "\"additionalProperties\":false},"                                                                   \
    "\"a.b\":{\"type\":\"integer\"},\"any\":{},\"maybe\":{\"type\":[\"integer\",\"null\"]},"             \
    "\"u\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":\"string\"}}]},"    \
    "\"r\":{\"$ref\":\"#/$defs/count\"},\"loop\":{\"$ref\":\"#/$defs/loop\"},"                           \
    "\"nest\":{\"$ref\":\"#/$defs/nest\"},"                                                              \
    "\"c\":{\"oneOf\":[{\"const\":\"red\"},{\"const\":\"blue\"}]},"                                      \
    "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},"                       \
    "\"bytes\":{\"type\":\"string\",\"contentEncoding\":\"base64\"}},"                                   \
    "\"$defs\":{\"count\":{\"type\":\"integer\"},\"loop\":{\"$ref\":\"#/$defs/loop\"},"                  \
    "\"nest\":{\"type\":[\"array\",\"boolean\"],\"items\":{\"$ref\":\"#/$defs/nest\"}}},"                \
    "\"additionalProperties\":false}"

#define OPEN "{\"type\":\"object\"}"

static const struct {
    const char *schema, *words[5];
    const char *expected; /* the object, or what is wrong with the words */
} cases[] = {
    {SCHEMA, {NULL}, "{}"},
    {SCHEMA, {"s=text"}, "{\"s\":\"text\"}"},
    {SCHEMA, {"s=5"}, "{\"s\":\"5\"}"},
    {SCHEMA, {"s=true"}, "{\"s\":\"true\"}"},
    {SCHEMA, {"s="}, "{\"s\":\"\"}"},
    {SCHEMA, {"s=a=b"}, "{\"s\":\"a=b\"}"},
    {SCHEMA, {"s=[1]"}, "{\"s\":\"[1]\"}"},
    {SCHEMA, {"s=@@home"}, "{\"s\":\"@home\"}"},
    {SCHEMA, {"s=\xFF"}, "s: is not UTF-8"},
    {SCHEMA, {"i=5"}, "{\"i\":5}"},
    {SCHEMA, {"i=-5"}, "{\"i\":-5}"},
    {SCHEMA, {"i=1e3"}, "{\"i\":1000.0}"},
    {SCHEMA, {"i=123456789012345678901234567890"}, "{\"i\":123456789012345678901234567890}"},
    {SCHEMA, {"i=1.5"}, "i: expected integer, not 1.5"},
    {SCHEMA, {"i=abc"}, "i: expected integer, not abc"},
    {SCHEMA, {"i="}, "i: expected integer, not "},
    {SCHEMA, {"i=1", "i=2"}, ": i occurs more than once"},
    {SCHEMA, {"n=1.5"}, "{\"n\":1.5}"},
    {SCHEMA, {"n=2"}, "{\"n\":2}"},
    {SCHEMA, {"n=x"}, "n: expected number, not x"},
    {SCHEMA, {"b=true"}, "{\"b\":true}"},
    {SCHEMA, {"b=false"}, "{\"b\":false}"},
    {SCHEMA, {"b=yes"}, "b: expected boolean, not yes"},
    {SCHEMA, {"e=low"}, "{\"e\":\"low\"}"},
    {SCHEMA, {"e=hihg"}, "e: hihg is not one of low, high; did you mean high?"},
    {SCHEMA, {"mixed=1"}, "{\"mixed\":1}"},
    {SCHEMA, {"mixed=one"}, "{\"mixed\":\"one\"}"},
    {SCHEMA, {"c=blue"}, "{\"c\":\"blue\"}"},
    {SCHEMA, {"c=green"}, "c: green is not one of red, blue"},
    {SCHEMA, {"t=a"}, "{\"t\":[\"a\"]}"},
    {SCHEMA, {"t=a", "t=2", "t=c"}, "{\"t\":[\"a\",\"2\",\"c\"]}"},
    {SCHEMA, {"t=[\"a\",\"b\"]", "t=c"}, "{\"t\":[\"a\",\"b\",\"c\"]}"},
    {SCHEMA, {"k=1", "k=2"}, "{\"k\":[1,2]}"},
    {SCHEMA, {"k=[1,2]"}, "{\"k\":[1,2]}"},
    {SCHEMA, {"k=x"}, "k: expected integer, not x"},
    {SCHEMA, {"o.x=1", "o.in.y=true"}, "{\"o\":{\"x\":1,\"in\":{\"y\":true}}}"},
    {SCHEMA, {"o={\"x\":1}"}, "{\"o\":{\"x\":1}}"},
    {SCHEMA, {"o.z=1"}, ": unknown argument z"},
    {SCHEMA, {"i=1", "i.x=2"}, ": i is not an object"},
    {SCHEMA, {"a.b=3"}, "{\"a.b\":3}"},
    {SCHEMA, {"m.one=1", "m.two=2"}, "{\"m\":{\"one\":1,\"two\":2}}"},
    {SCHEMA, {"m.one=x"}, "m.one: expected integer, not x"},
    {SCHEMA, {"any=5"}, "{\"any\":5}"},
    {SCHEMA, {"any=five"}, "{\"any\":\"five\"}"},
    {SCHEMA, {"any=\"5\""}, "{\"any\":\"5\"}"},
    {SCHEMA, {"maybe=null"}, "{\"maybe\":null}"},
    {SCHEMA, {"maybe=7"}, "{\"maybe\":7}"},
    {SCHEMA, {"u=a"}, "{\"u\":\"a\"}"},
    {SCHEMA, {"u=a", "u=b"}, "{\"u\":[\"a\",\"b\"]}"},
    {SCHEMA, {"r=5"}, "{\"r\":5}"},
    {SCHEMA, {"r=x"}, "r: expected integer, not x"},
    {SCHEMA, {"loop=x"}, "{\"loop\":\"x\"}"},
    {SCHEMA, {"nest=true"}, "{\"nest\":true}"},
    {SCHEMA, {"nest=x"}, "nest: expected JSON: key:=[...]"},
    {SCHEMA, {"s:=\"5\""}, "{\"s\":\"5\"}"},
    {SCHEMA, {"i:=[1,{\"x\":null}]"}, "{\"i\":[1,{\"x\":null}]}"},
    {SCHEMA, {"i:=nul"}, "i: is not JSON: unexpected end of data at byte 3"},
    {SCHEMA, {"st=x"}, ": unknown argument st"},
    {SCHEMA, {"mybe=1"}, ": unknown argument mybe; did you mean maybe?"},
    {SCHEMA, {"word"}, ": word is not KEY=VALUE"},
    {SCHEMA, {"=x"}, ": empty argument name"},
    {SCHEMA, {".x=1"}, ": empty argument name"},
    {SCHEMA, {"o.=1"}, ": empty argument name"},
    {SCHEMA, {"s=@/nowhere/at/all"}, "s: cannot read /nowhere/at/all: No such file or directory"},
    {OPEN, {"x=1", "y=a", "z.w=true"}, "{\"x\":1,\"y\":\"a\",\"z\":{\"w\":true}}"},
    {OPEN, {"x=1", "x=2"}, "{\"x\":[1,2]}"},
    {"null", {"x=1"}, "{\"x\":1}"},
    {"true", {"x=a"}, "{\"x\":\"a\"}"},
};

static void check(const char *schema_text, const char *const *words, const char *expected)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    yyjson_val *schema = haft_json_read(schema_text, strlen(schema_text), 0, arena, NULL);
    haft_reason reason = {0};
    haft_buffer json;
    char *copies[5], got[512];
    size_t n = 0;

    assert_non_null(schema);
    for (; words[n]; n++)
        copies[n] = haft_arena_copy(arena, words[n], strlen(words[n]));
    haft_buffer_init(&json, NULL, 1 << 20);
    if (arguments_build(schema, copies, n, &json, &reason))
        snprintf(got, sizeof got, "%s: %s", reason.path, reason.text);
    else
        snprintf(got, sizeof got, "%.*s", (int)json.size, json.data);
    if (*reason.text && !*reason.path)
        assert_string_equal(strstr(got, ": "), expected);
    else
        assert_string_equal(got, expected);
    haft_buffer_finish(&json);
    haft_arena_free(arena);
}

static void checks_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check(cases[i].schema, cases[i].words, cases[i].expected);
}

static void files(void **state)
{
    char path[] = "/tmp/haft-arguments-XXXXXX", word[64];
    const char *words[] = {word, NULL};
    FILE *file = fdopen(mkstemp(path), "wb");

    (void)state;
    assert_non_null(file);
    fputs("12\n", file);
    fclose(file);
    snprintf(word, sizeof word, "s=@%s", path);
    check(SCHEMA, words, "{\"s\":\"12\\n\"}");
    snprintf(word, sizeof word, "i=@%s", path);
    check(SCHEMA, words, "{\"i\":12}");
    snprintf(word, sizeof word, "any:=@%s", path);
    check(SCHEMA, words, "{\"any\":12}");
    snprintf(word, sizeof word, "bytes=@%s", path);
    check(SCHEMA, words, "{\"bytes\":\"MTIK\"}");
    remove(path);
}

static const struct {
    const char *schema, *expected;
} types[] = {
    {"{\"type\":\"string\"}", "string"},
    {"{\"type\":\"number\"}", "number"},
    {"{\"type\":[\"integer\",\"null\"]}", "integer|null"},
    {"{\"enum\":[\"a\",1,null]}", "a|1|null"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "string[]"},
    {"{\"type\":\"array\",\"items\":{\"enum\":[\"a\",\"b\"]}}", "(a|b)[]"},
    {"{\"type\":\"array\"}", "any[]"},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"boolean\"}]}", "string|boolean"},
    {"{\"oneOf\":[{\"const\":\"x\"},{\"const\":\"y\"}]}", "x|y"},
    {"{}", "any"},
    {"true", "any"},
};

static void checks_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        yyjson_val *schema =
            haft_json_read(types[i].schema, strlen(types[i].schema), 0, arena, NULL);
        haft_buffer text;

        haft_buffer_init(&text, NULL, 1 << 10);
        argument_type(schema, schema, &text);
        haft_buffer_add(&text, "", 1);
        assert_string_equal(text.data, types[i].expected);
        haft_buffer_finish(&text);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_words), cmocka_unit_test(files),
                                       cmocka_unit_test(checks_types)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
