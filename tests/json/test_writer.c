/* test_writer.c - JSON written token by token: scripts of one letter an operation. */
#include "json/writer.h"

#include <math.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

static void write_raw(struct json_writer *w, char op)
{
    switch (op) {
    case 'r':
        hf_json_raw(w, TEXT("{\"r\":1}"));
        break;
    case 'R':
        hf_json_raw_members(w, TEXT("\"x\":1,\"y\":2"));
        break;
    case 'E':
        hf_json_raw_members(w, "", 0);
        break;
    case 'v':
        hf_json_value(w, NULL);
        break;
    case 'q':
        haft_buffer_printf(hf_json_begin_string(w), "%d%%", 50);
        hf_json_end_string(w);
        break;
    case 'e':
        hf_json_empty_object(w);
        break;
    case 'x':
        haft_buffer_puts(hf_json_slot(w), "[7]");
        break;
    default:
        fail_msg("no operation '%c'", op);
    }
}

static void write_scalar(struct json_writer *w, char op)
{
    switch (op) {
    case 's':
        hf_json_string(w, TEXT("a\0\"\n"));
        break;
    case 'S':
        hf_json_text(w, "\xff");
        break;
    case 'i':
        hf_json_integer(w, INT64_MIN);
        break;
    case 'u':
        hf_json_unsigned(w, UINT64_MAX);
        break;
    case '7':
        hf_json_unsigned(w, 7);
        break;
    case 'd':
        hf_json_number(w, 0.5);
        break;
    case 'D':
        hf_json_number(w, NAN);
        break;
    case 't':
        hf_json_bool(w, true);
        break;
    case 'f':
        hf_json_bool(w, false);
        break;
    case '0':
        hf_json_null(w);
        break;
    default:
        write_raw(w, op);
    }
}

static void write_one(struct json_writer *w, char op)
{
    switch (op) {
    case '{':
        hf_json_begin_object(w);
        break;
    case '}':
        hf_json_end_object(w);
        break;
    case '[':
        hf_json_begin_array(w);
        break;
    case ']':
        hf_json_end_array(w);
        break;
    case 'k':
        assert_ptr_equal(json_key(w, "key"), w);
        break;
    case 'n':
        assert_ptr_equal(hf_json_name(w, TEXT("a\"b")), w);
        break;
    case 'm':
        json_text_member(w, "title", "T");
        break;
    case 'M':
        json_text_member(w, "title", NULL);
        break;
    default:
        write_scalar(w, op);
    }
}

static void write_all(struct json_writer *w, const char *script)
{
    for (; *script; script++)
        write_one(w, *script);
}

static void writes(void **state)
{
    static const struct {
        const char *script, *expected;
    } rows[] = {
        {"", ""},
        {"0", "null"},
        {"{}", "{}"},
        {"[]", "[]"},
        {"[tf0]", "[true,false,null]"},
        {"[iu7]", "[-9223372036854775808,18446744073709551615,7]"},
        {"[dD]", "[0.5,null]"},
        {"[ss]", "[\"a\\u0000\\\"\\n\",\"a\\u0000\\\"\\n\"]"},
        {"{k0}", "{\"key\":null}"},
        {"{k0k0n0n0}", "{\"key\":null,\"key\":null,\"a\\\"b\":null,\"a\\\"b\":null}"},
        {"{n0k0}", "{\"a\\\"b\":null,\"key\":null}"},
        {"{m}", "{\"title\":\"T\"}"},
        {"{MmMk0M}", "{\"title\":\"T\",\"key\":null}"},
        {"{k{}k[]k{k[]}}", "{\"key\":{},\"key\":[],\"key\":{\"key\":[]}}"},
        {"[[][]{}{}[{k[0]}]]", "[[],[],{},{},[{\"key\":[null]}]]"},
        {"[rr]", "[{\"r\":1},{\"r\":1}]"},
        {"{ERERk0}", "{\"x\":1,\"y\":2,\"x\":1,\"y\":2,\"key\":null}"},
        {"{k0R}", "{\"key\":null,\"x\":1,\"y\":2}"},
        {"[qq]", "[\"50%\",\"50%\"]"},
        {"{kqkq}", "{\"key\":\"50%\",\"key\":\"50%\"}"},
        {"[xx]", "[[7],[7]]"},
        {"[ee]", "[{},{}]"},
    };
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 1000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct json_writer w = {.out = &buffer};

        haft_buffer_clear(&buffer);
        write_all(&w, rows[i].script);
        assert_int_equal(w.depth, 0);
        haft_buffer_add(&buffer, "", 1);
        assert_int_equal(buffer.status, 0);
        assert_string_equal(buffer.data, rows[i].expected);
    }
    haft_buffer_finish(&buffer);
}

/* A part of an object: its beginning or its end is written by others. */
static void writes_members(void **state)
{
    static const struct {
        bool comma;
        const char *script, *expected;
    } rows[] = {
        {false, "k0k0", "\"key\":null,\"key\":null"},
        {true, "k0k0", ",\"key\":null,\"key\":null"},
        {true, "n0}", ",\"a\\\"b\":null}"},
        {true, "R}", ",\"x\":1,\"y\":2}"},
        {false, "}", "}"},
        {true, "k[{}]}", ",\"key\":[{}]}"},
    };
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 1000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct json_writer w = json_members(&buffer, rows[i].comma);

        haft_buffer_clear(&buffer);
        write_all(&w, rows[i].script);
        haft_buffer_add(&buffer, "", 1);
        assert_int_equal(buffer.status, 0);
        assert_string_equal(buffer.data, rows[i].expected);
    }
    haft_buffer_finish(&buffer);
}

static void refuses_mistakes(void **state)
{
    static const struct {
        const char *script;
        int status;
    } rows[] = {
        {"00", HAFT_EINVAL},      /* two values at the top */
        {"[][]", HAFT_EINVAL},    /* the same */
        {"{0}", HAFT_EINVAL},     /* a value without a key */
        {"{k00}", HAFT_EINVAL},   /* the same */
        {"{{}}", HAFT_EINVAL},    /* the same */
        {"{r}", HAFT_EINVAL},     /* the same */
        {"{x}", HAFT_EINVAL},     /* the same */
        {"{q}", HAFT_EINVAL},     /* the same */
        {"[k0]", HAFT_EINVAL},    /* a key in an array */
        {"[n0]", HAFT_EINVAL},    /* the same */
        {"[m]", HAFT_EINVAL},     /* the same */
        {"[R]", HAFT_EINVAL},     /* the same */
        {"k0", HAFT_EINVAL},      /* a key at the top */
        {"{kk0}", HAFT_EINVAL},   /* two keys */
        {"{kn0}", HAFT_EINVAL},   /* the same */
        {"{kR}", HAFT_EINVAL},    /* the same */
        {"{k}", HAFT_EINVAL},     /* a key without a value */
        {"{]", HAFT_EINVAL},      /* the end of another */
        {"[}", HAFT_EINVAL},      /* the same */
        {"}", HAFT_EINVAL},       /* the end of nothing */
        {"]", HAFT_EINVAL},       /* the same */
        {"[]]", HAFT_EINVAL},     /* the same */
        {"[{}[}]", HAFT_EINVAL},  /* a level that was an object before */
        {"[v]", HAFT_EINVAL},     /* a value that was not read */
        {"[S]", HAFT_EUTF8},      /* bytes that are no text */
        {"{k[S]k0}", HAFT_EUTF8}, /* the first failure stays */
        {"[S}", HAFT_EUTF8},      /* also before a mistake */
    };
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 1000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct json_writer w = {.out = &buffer};

        haft_buffer_clear(&buffer);
        write_all(&w, rows[i].script);
        if (buffer.status != rows[i].status)
            fail_msg("%s: %d", rows[i].script, buffer.status);
    }
    haft_buffer_finish(&buffer);
}

/* What is open beyond the levels whose kinds are known is closed in the right order, and commas are
 * right at every depth. */
static void nests_so_deep(void **state)
{
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 1 << 20);
    for (size_t depth = JSON_WRITER_DEPTH; depth <= JSON_WRITER_DEPTH + 1; depth++) {
        struct json_writer w = {.out = &buffer};

        haft_buffer_clear(&buffer);
        for (size_t i = 0; i < depth; i++)
            write_all(&w, i % 2 ? "k[" : i ? "0{" : "{");
        assert_int_equal(buffer.status, depth > JSON_WRITER_DEPTH ? HAFT_EDEPTH : 0);
        if (buffer.status)
            continue;
        assert_int_equal(w.depth, depth);
        for (size_t i = depth; i-- > 0;)
            write_one(&w, i % 2 ? ']' : '}');
        assert_int_equal(buffer.status, 0);
        assert_int_equal(w.depth, 0);
    }
    haft_buffer_finish(&buffer);
}

static const char whole[] = "{k[tf0iu7dsq]n{mk{}}Rkrkxn[[][{}]]}";

/* Wherever the room ends, nothing is written after that. */
static void stops_at_the_limit(void **state)
{
    haft_buffer buffer;
    size_t limit = 0;

    (void)state;
    for (;; limit++) {
        struct json_writer w = {.out = &buffer};
        size_t size = 0;

        haft_buffer_init(&buffer, NULL, limit);
        for (const char *op = whole; *op; op++) {
            bool failed = buffer.status;

            write_one(&w, *op);
            assert_true(buffer.size <= limit);
            assert_true(!failed || buffer.size == size);
            size = buffer.size;
        }
        if (!buffer.status)
            break;
        assert_int_equal(buffer.status, HAFT_ETOOBIG);
        haft_buffer_finish(&buffer);
    }
    assert_int_equal(limit, buffer.size);
    assert_true(limit > 100);
    haft_buffer_finish(&buffer);
}

/* The writer itself asks for no memory: each failure is one of the buffer. */
static void runs_out_of_memory(void **state)
{
    size_t failures = 0;

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_buffer buffer;
        struct json_writer w = {.out = &buffer};

        failing_init(&failing, nth);
        haft_buffer_init(&buffer, &failing.allocator, 1 << 20);
        hf_json_begin_array(&w);
        for (size_t i = 0; i < 64; i++)
            write_all(&w, whole);
        hf_json_end_array(&w);
        assert_int_equal(buffer.status, failing.failures ? HAFT_ENOMEM : 0);
        haft_buffer_finish(&buffer);
        failing_check(&failing);
        if (!failing.failures)
            break;
        failures++;
    }
    assert_true(failures > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes),
        cmocka_unit_test(writes_members),
        cmocka_unit_test(refuses_mistakes),
        cmocka_unit_test(nests_so_deep),
        cmocka_unit_test(stops_at_the_limit),
        cmocka_unit_test(runs_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
