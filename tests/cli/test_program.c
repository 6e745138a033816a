/* test_program.c - options of a program's own: where their values come from, what is refused, and
 * what becomes of them while the server runs. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "support/failing.h"
#include "support/file.h"
#include "support/tools.h"
#include "support/test.h"

HAFT_ENUMERATION(speed, slow, fast);
typedef enum region { EAST = 3, WEST = 7 } region;
HAFT_ENUM_NAMES(region, HAFT_VALUE(EAST, "us-east"), HAFT_VALUE(WEST, "us-west"));

HAFT_OPTION_STRUCT(
    settings, HAFT_OPTION_PATH(root, "--root", "directory to read", .takes = "DIR", .initial = "."),
    HAFT_OPTION_FLAG(dry_run, "--dry-run", "change nothing", .variable = "READER_DRY_RUN"),
    HAFT_OPTION_INTEGER(offset, "--offset", "first line", .min = -5, .max = 5),
    HAFT_OPTION_INTEGER(any, "--any", "any number"),
    HAFT_OPTION_NUMBER(scale, "--scale", "factor", .initial = "1.5", .min = -1, .max = 2),
    HAFT_OPTION_DURATION(wait_ms, "--patience", "time to wait", .variable = "READER_PATIENCE",
                         .initial = "30s"),
    HAFT_OPTION_SIZE(room, "--room", "bytes to keep", .min = 1024, .max = 1 << 20,
                     .initial = "4KiB"),
    HAFT_OPTION_ENUM(speed, speed, "--speed", "how fast", .initial = "fast"),
    HAFT_OPTION_ENUM(region, region, "--region", "where"),
    HAFT_OPTION_NUMBER(ratio, "--ratio", "share", .min = 0, .max = 0.5),
    HAFT_OPTION_INTEGER(copies, "--copies", "how many", .min = 2),
    HAFT_OPTION_DURATION(rest_ms, "--rest", "pause", .min = 1000),
    HAFT_OPTION_STRING(user, "--user", "who", .required = true, .variable = "READER_USER"),
    HAFT_OPTION_ADDRESS(listen, "--listen", "where to listen"),
    HAFT_OPTION_LIST(ignore, "--ignore", "names to ignore", .takes = "GLOB",
                     .variable = "READER_IGNORE"),
    HAFT_OPTION_SECRET(token, NULL, "access token", .variable = "READER_TOKEN"),
    HAFT_OPTION_STRING(first, "FILE", "file to read"),
    HAFT_OPTION_LIST(others, "MORE", "further files"));

static int show(haft_call *call)
{
    const settings *s = haft_call_options(call);
    char ignore[64] = "", others[64] = "";

    for (size_t i = 0; s->ignore && s->ignore[i]; i++)
        snprintf(ignore + strlen(ignore), sizeof ignore - strlen(ignore), "%s;", s->ignore[i]);
    for (size_t i = 0; s->others && s->others[i]; i++)
        snprintf(others + strlen(others), sizeof others - strlen(others), "%s;", s->others[i]);
    return haft_text(call, "%s %d %lld %lld %g %lld %lld %d %d %s %s [%s] %s %s [%s]", s->root,
                     s->dry_run, (long long)s->offset, (long long)s->any, s->scale,
                     (long long)s->wait_ms, (long long)s->room, (int)s->speed, (int)s->region,
                     s->user, s->listen ? s->listen : "-", ignore, s->token ? s->token : "-",
                     s->first ? s->first : "-", others);
}
HAFT_TOOL_BARE(show, "Shows the values");

struct program_line {
    const char *arguments[12];
    const char *environment[2][2]; /* names and values */
    const char *file;              /* text of the configuration; NULL for none */
    int status;
    const char *out;   /* part of it */
    const char *error; /* all of it, without the name of the program and of the file */
};

#define CALL "--call", "show"
#define ASKED "--user", "ada", CALL

static const struct program_line program_lines[] = {
    /* defaults, and each source over the one before */
    {{ASKED}, .out = ". 0 0 0 1.5 30000 4096 1 0 ada - [] - - []\n"},
    {{CALL},
     .file =
         "{\"options\": {\"user\": \"eve\", \"root\": \"/srv\", \"dry_run\": true, \"offset\": -2,"
         "\"any\": -9223372036854775808, \"scale\": 2, \"patience\": \"2m\", \"room\": 2048,"
         "\"speed\": \"slow\", \"region\": \"us-west\", \"listen\": \"127.0.0.1:1\","
         "\"ignore\": [\"a,b\", \"c\"]}}",
     .out = "/srv 1 -2 -9223372036854775808 2 120000 2048 0 7 eve 127.0.0.1:1 [a,b;c;] - - []\n"},
    {{CALL, "--root=here"},
     {{"READER_USER", "bob"}, {"READER_IGNORE", "x,y"}},
     "{\"options\": {\"user\": \"eve\", \"root\": \"/srv\", \"ignore\": [\"a\"]}}",
     .out = "here 0 0 0 1.5 30000 4096 1 0 bob - [x;y;] - - []\n"},
    {{ASKED, "--ignore", "p", "--ignore", "q,r"},
     {{"READER_IGNORE", "x,y"}},
     .out = ". 0 0 0 1.5 30000 4096 1 0 ada - [p;q,r;] - - []\n"},
    {{ASKED, "--dry-run=false", "--offset", "-5", "--any=9223372036854775807"},
     {{"READER_DRY_RUN", "1"}, {"READER_PATIENCE", "5ms"}},
     .out = ". 0 -5 9223372036854775807 1.5 5 4096 1 0 ada - [] - - []\n"},
    /* operands */
    {{"a", ASKED, "b", "--", "--dry-run", "--"},
     .out = "1.5 30000 4096 1 0 ada - [] - a [b;--dry-run;--;]\n"},
    {{ASKED, "-"}, .out = "ada - [] - - []\n"},
    {{"--user", "ada", CALL, "{}", "{}"}, .out = "ada - [] - {} []\n"},
    /* secrets */
    {{ASKED}, {{"READER_TOKEN", "se cret"}}, .out = "ada - [] se cret - []\n"},
    {{"--user", "ada", "--print-config"},
     {{"READER_TOKEN", "se cret"}},
     .out = "READER_TOKEN            ***                     environment\n"},
    {{ASKED}, {{"READER_TOKEN", "\xff"}}, .status = 2, .error = "READER_TOKEN: expected text\n"},
    {{ASKED},
     {{"READER_TOKEN", "a"}, {"READER_TOKEN_FILE", "/nowhere"}},
     .status = 2,
     .error = "READER_TOKEN and READER_TOKEN_FILE exclude each other; set one of them\n"},
    {{ASKED},
     {{"READER_TOKEN_FILE", "/nowhere/at all"}},
     .status = 2,
     .error = "READER_TOKEN_FILE: /nowhere/at all: No such file or directory\n"},
    {{ASKED},
     {{"READER_TOKEN_FILE", "/dev/zero"}},
     .status = 2,
     .error = "READER_TOKEN_FILE: /dev/zero: expected text of 1 to 65535 bytes\n"},
    {{ASKED},
     {{"READER_TOKEN_FILE", "/dev/null"}},
     .status = 2,
     .error = "READER_TOKEN_FILE: /dev/null: expected text of 1 to 65535 bytes\n"},
    {{ASKED},
     .file = "{\"options\": {\"token\": \"x\"}}",
     .status = 2,
     .error = "FILE: options.token: unknown key\n"},
    /* what is wrong is said of all of it */
    {{CALL},
     .status = 2,
     .error =
         "missing --user TEXT; or set READER_USER; or in the configuration file, options.user\n"},
    {{ASKED, "--offset", "6", "--scale=2.5", "--speed", "fst", "--room", "1"},
     {{"READER_PATIENCE", "soon"}, {"READER_DRY_RUN", "maybe"}},
     .status = 2,
     .error = "READER_DRY_RUN: expected true or false, not maybe\n"
              "READER_PATIENCE: expected a time such as 30s, not soon\n"
              "--offset: expected a whole number from -5 to 5, not 6\n"
              "--scale: expected a number from -1 to 2, not 2.5\n"
              "--speed: expected one of slow, fast, not fst; did you mean fast?\n"
              "--room: expected a size from 1KiB to 1MiB, not 1\n"},
    {{ASKED, "--any=9223372036854775808"},
     .status = 2,
     .error = "--any: expected a whole number, not 9223372036854775808\n"},
    {{ASKED, "--any=-9223372036854775809"},
     .status = 2,
     .error = "--any: expected a whole number, not -9223372036854775809\n"},
    {{ASKED, "--any=-0", "--offset=0"}, .out = ". 0 0 0 1.5"},
    {{ASKED, "--scale=nan"},
     .status = 2,
     .error = "--scale: expected a number from -1 to 2, not nan\n"},
    {{ASKED, "--scale=1 2"},
     .status = 2,
     .error = "--scale: expected a number from -1 to 2, not 1 2\n"},
    {{ASKED, "--listen", "nowhere"},
     .status = 2,
     .error = "--listen: expected an address, HOST:PORT, PORT or unix:PATH, not nowhere\n"},
    {{ASKED, "--offest", "1"},
     .status = 2,
     .error = "unknown option --offest; did you mean --offset?\n"},
    {{ASKED, "--offset"}, .status = 2, .error = "--offset needs N\n"},
    {{ASKED, "--ratio=0.5", "--copies=2", "--rest=1s"}, .out = "ada"},
    {{ASKED, "--copies=9007199254740993", "--rest=9h"}, .out = "ada"},
    {{ASKED, "--ratio=0.51", "--copies=1", "--rest=999ms"},
     .status = 2,
     .error = "--ratio: expected a number from 0 to 0.5, not 0.51\n"
              "--copies: expected a whole number of at least 2, not 1\n"
              "--rest: expected a time of at least 1s, not 999ms\n"},
    {{"--user", CALL},
     .status = 2,
     .error = "--user needs TEXT; write --user=--call if that is its value\n"},
    {{ASKED},
     .file = "{\"options\": {\"of_set\": 1}, \"optins\": {}}",
     .status = 2,
     .error = "FILE: options.of_set: unknown key; did you mean options.offset?\n"
              "FILE: optins: unknown key; did you mean options?\n"},
    {{ASKED},
     .file = "{\"options\": {\"offset\": 1.5, \"any\": 9223372036854775808, \"scale\": \"1\"}}",
     .status = 2,
     .error = "FILE: options.offset: expected a whole number from -5 to 5, not 1.5\n"
              "FILE: options.any: expected a whole number, not 9223372036854775808\n"
              "FILE: options.scale: expected a number from -1 to 2, not \"1\"\n"},
    /* pages need nothing to be right */
    {{"--help"},
     {{"READER_DRY_RUN", "maybe"}},
     .out = "usage: reader [OPTION ...] [FILE] [MORE ...]\n"
            "reader 1.0, a Model Context Protocol (MCP) server.\n"
            "\n"
            "Operands:\n"
            "  FILE                      file to read\n"
            "  MORE                      further files\n"
            "\n"
            "Options of reader:\n"
            "  --root DIR                directory to read (.)\n"
            "  --dry-run                 change nothing [READER_DRY_RUN]\n"
            "  --offset N                first line, from -5 to 5\n"
            "  --any N                   any number\n"
            "  --scale NUMBER            factor, from -1 to 2 (1.5)\n"
            "  --patience TIME           time to wait (30s) [READER_PATIENCE]\n"
            "  --room SIZE               bytes to keep, from 1KiB to 1MiB (4KiB)\n"
            "  --speed WORD              how fast: slow, fast (fast)\n"
            "  --region WORD             where: us-east, us-west\n"
            "  --ratio NUMBER            share, from 0 to 0.5\n"
            "  --copies N                how many, at least 2\n"
            "  --rest TIME               pause, at least 1s\n"
            "  --user TEXT               who [READER_USER]\n"
            "  --listen [HOST:]PORT      where to listen\n"
            "  --ignore GLOB             names to ignore [READER_IGNORE]\n"
            "\n"
            "Environment variables of reader:\n"
            "  READER_TOKEN              access token; or the file that READER_TOKEN_FILE names\n"
            "\n"
            "Options of every haft server:\n"
            "  --stdio "},
    {{"-V"}, .out = "reader 1.0 (haft " HAFT_VERSION ")\n"},
    {{"--print-config", "--user=ada", "x"},
     .out = "options.root            .                       default\n"
            "options.dry_run         false                   default\n"},
    {{"--print-config", "--user=ada", "x"},
     .out = "options.region          -                       default\n"
            "options.ratio           -                       default\n"},
    {{"--print-config", "--json", "--user=ada", "--region", "us-east", "--any=-3", "--ignore=a"},
     .out = "  \"options\": {\n"
            "    \"root\": \".\",\n"
            "    \"any\": -3,\n"
            "    \"scale\": 1.5,\n"
            "    \"patience\": \"30s\",\n"
            "    \"room\": \"4KiB\",\n"
            "    \"speed\": \"fast\",\n"
            "    \"region\": \"us-east\",\n"
            "    \"user\": \"ada\",\n"
            "    \"ignore\": [\"a\"]\n"
            "  }\n"
            "}\n"},
};

struct program_run {
    const struct program_line *line;
    const char *path; /* of its configuration */
    bool early;       /* it reads its options before it adds its tool */
};

static int run_program(void *context)
{
    const struct program_run *run = context;
    haft_server *server = haft_server_new("reader", "1.0");
    char *argv[16] = {(char *)(uintptr_t) "reader"};
    int argc = 1;
    static settings values;

    for (size_t i = 0; i < 2 && run->line->environment[i][0]; i++)
        setenv(run->line->environment[i][0], run->line->environment[i][1], 1);
    if (run->path)
        setenv("HAFT_CONFIG", run->path, 1);
    for (size_t i = 0; run->line->arguments[i]; i++)
        argv[argc++] = (char *)(uintptr_t)run->line->arguments[i];
    haft_options_add(server, &settings_table, &values);
    if (!run->early || !haft_options_read(server, argc, argv))
        haft_add(server, &show_tool);
    return haft_main(server, argc, argv);
}

/* Without the program's name at the front of each line, and with FILE for the file. */
static void plain_error(char *text, const char *path)
{
    char *at;

    while ((at = strstr(text, "reader: ")))
        memmove(at, at + 8, strlen(at + 8) + 1);
    while (path && (at = strstr(text, path))) {
        memcpy(at, "FILE", 4);
        memmove(at + 4, at + strlen(path), strlen(at + strlen(path)) + 1);
    }
}

static void line_holds(const struct program_line *line, size_t number, bool early)
{
    struct program_run run = {line, NULL, early};
    char path[FILE_PATH], error[4096] = "";
    struct child child;
    int status;

    if (line->file) {
        file_make(path, line->file);
        run.path = path;
    }
    child_start(&child, run_program, &run);
    child_end(&child);
    child_is_silent(&child);
    haft_buffer_add(&child.seen, "", 1);
    while (strlen(error) < sizeof error - 1 &&
           read(child.error, error + strlen(error), sizeof error - 1 - strlen(error)) > 0)
        ;
    plain_error(error, run.path);
    if (line->out && !strstr(child.seen.data, line->out))
        fail_msg("line %zu printed\n%s\nand not\n%s", number, child.seen.data, line->out);
    if (strcmp(error, line->error ? line->error : ""))
        fail_msg("line %zu complained\n%s", number, error);
    status = child_wait(&child);
    if (status != line->status)
        fail_msg("line %zu ended with %d", number, status);
    if (line->file)
        unlink(path);
}

static void every_value_comes_from_where_it_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(program_lines); i++)
        for (int early = 0; early < 2; early++)
            line_holds(&program_lines[i], i, early);
}

/* ---- tables that are refused ---- */

struct bad {
    haft_option option, second;
    int status;
    const char *path, *text;
};

#define ROW(...) HAFT_INIT(haft_option, .help = "about it", __VA_ARGS__)
#define TEXT_ROW(...) ROW(.kind = HAFT_OPTION_KIND_STRING, __VA_ARGS__)

static const haft_type not_enum_type = {.struct_size = sizeof(haft_type),
                                        .field_size = sizeof(haft_field),
                                        .name = "x",
                                        .shape = HAFT_SHAPE_STRUCT};

static const struct bad bad_tables[] = {
    {TEXT_ROW(.name = "--workers"),
     {0},
     HAFT_EEXISTS,
     "--workers",
     "haft has an option of this name; choose another"},
    {TEXT_ROW(.name = "--list"),
     {0},
     HAFT_EEXISTS,
     "--list",
     "haft has an option of this name; choose another"},
    {TEXT_ROW(.name = "--a"), TEXT_ROW(.name = "--a"), HAFT_EEXISTS, "--a",
     "another option of the program has this name or variable"},
    {TEXT_ROW(.name = "--a", .variable = "V"), TEXT_ROW(.variable = "V"), HAFT_EEXISTS, "V",
     "another option of the program has this name or variable"},
    {TEXT_ROW(.name = "-h"),
     {0},
     HAFT_EINVAL,
     "-h",
     "invalid name; write --name for an option, NAME for an operand"},
    {TEXT_ROW(.name = "--Name"),
     {0},
     HAFT_EINVAL,
     "--Name",
     "invalid name; write --name for an option, NAME for an operand"},
    {TEXT_ROW(.name = "--a=b"),
     {0},
     HAFT_EINVAL,
     "--a=b",
     "invalid name; write --name for an option, NAME for an operand"},
    {TEXT_ROW(.name = "file"),
     {0},
     HAFT_EINVAL,
     "file",
     "invalid name; write --name for an option, NAME for an operand"},
    {TEXT_ROW(.name = ""),
     {0},
     HAFT_EINVAL,
     "",
     "invalid name; write --name for an option, NAME for an operand"},
    {TEXT_ROW(.min = 0), {0}, HAFT_EINVAL, "haft_option", "an option needs a name or a variable"},
    {TEXT_ROW(.name = "--a", .variable = "HAFT_A"),
     {0},
     HAFT_EINVAL,
     "--a",
     "invalid variable; write it in upper case, without the prefix HAFT_"},
    {TEXT_ROW(.name = "--a", .variable = "1A"),
     {0},
     HAFT_EINVAL,
     "--a",
     "invalid variable; write it in upper case, without the prefix HAFT_"},
    {ROW(.kind = HAFT_OPTION_KIND_SECRET, .name = "--token", .variable = "T"),
     {0},
     HAFT_EINVAL,
     "--token",
     "a secret is set only by its variable; it has no name and no default"},
    {HAFT_INIT(haft_option, .kind = HAFT_OPTION_KIND_STRING, .name = "--a"),
     {0},
     HAFT_EINVAL,
     "--a",
     "an option needs a description"},
    {TEXT_ROW(.name = "--a", .required = true, .initial = "x"),
     {0},
     HAFT_EINVAL,
     "--a",
     "a required option has no default"},
    {ROW(.kind = HAFT_OPTION_KIND_INTEGER, .name = "--a", .min = 2, .max = 1),
     {0},
     HAFT_EINVAL,
     "--a",
     "the minimum is greater than the maximum"},
    {ROW(.kind = HAFT_OPTION_KIND_NUMBER, .name = "--a", .min = NAN, .max = 1),
     {0},
     HAFT_EINVAL,
     "--a",
     "the minimum is greater than the maximum"},
    {ROW(.kind = HAFT_OPTION_KIND_INTEGER, .name = "--a", .min = 0, .max = 0.5),
     {0},
     HAFT_EINVAL,
     "--a",
     "only a HAFT_OPTION_NUMBER has bounds with fractions"},
    {ROW(.kind = HAFT_OPTION_KIND_INTEGER, .name = "--a", .min = 0, .max = 1e17),
     {0},
     HAFT_EINVAL,
     "--a",
     "bounds of whole numbers are at most 2^53"},
    {ROW(.kind = HAFT_OPTION_KIND_SIZE, .name = "--a", .min = -1, .max = 1),
     {0},
     HAFT_EINVAL,
     "--a",
     "a size or duration cannot be negative"},
    {ROW(.kind = HAFT_OPTION_KIND_SECRET, .variable = "T"),
     TEXT_ROW(.name = "--a", .variable = "T_FILE"), HAFT_EEXISTS, "--a",
     "another option of the program has this name or variable"},
    {TEXT_ROW(.name = "--a", .variable = "T_FILE"),
     ROW(.kind = HAFT_OPTION_KIND_SECRET, .variable = "T"), HAFT_EEXISTS, "T",
     "another option of the program has this name or variable"},
    {ROW(.kind = HAFT_OPTION_KIND_SIZE, .name = "--a", .max = 1, .initial = "2"),
     {0},
     HAFT_EINVAL,
     "--a",
     "its default is not a valid value"},
    {ROW(.kind = (haft_option_kind)99, .name = "--a"), {0}, HAFT_EINVAL, "--a", "invalid kind"},
    {TEXT_ROW(.name = "--a", .offset = sizeof(settings)),
     {0},
     HAFT_EINVAL,
     "--a",
     "the member is not inside the program's struct"},
    {ROW(.kind = HAFT_OPTION_KIND_ENUM, .name = "--a"),
     {0},
     HAFT_EINVAL,
     "--a",
     "its type is not an enum of HAFT_ENUMERATION"},
    {ROW(.kind = HAFT_OPTION_KIND_ENUM, .name = "--a", .type = &not_enum_type),
     {0},
     HAFT_EINVAL,
     "--a",
     "its type is not an enum of HAFT_ENUMERATION"},
    {TEXT_ROW(.name = "A"), TEXT_ROW(.name = "B", .required = true), HAFT_EINVAL, "B",
     "an operand cannot follow a list, nor a required one an optional one"},
    {ROW(.kind = HAFT_OPTION_KIND_LIST, .name = "A"), TEXT_ROW(.name = "B"), HAFT_EINVAL, "B",
     "an operand cannot follow a list, nor a required one an optional one"},
    {{.name = "--a"},
     {0},
     HAFT_EINVAL,
     "haft_option",
     "its struct_size is not set; start it with HAFT_INIT or HAFT_WITH"},
};

static int add_bad(haft_server *server, const struct bad *bad, int version)
{
    static settings values;
    haft_option options[] = {bad->option, bad->second};
    haft_option_table table =
        HAFT_INIT(haft_option_table, .size = sizeof values, .options = options,
                  .n_options = bad->second.struct_size ? 2 : 1, .version = version);

    return haft_options_add(server, &table, &values);
}

static int run_bad(void *context)
{
    haft_server *server = haft_server_new("reader", "1.0");
    char name[] = "reader", *argv[] = {name, NULL};

    add_bad(server, context, HAFT_VERSION_NUMBER);
    return haft_main(server, 1, argv);
}

static void a_table_that_is_wrong_is_refused(void **state)
{
    struct child child;
    char error[512] = "";

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad_tables); i++) {
        haft_server *server = haft_server_new("reader", "1.0");
        char name[] = "reader", *argv[] = {name, NULL};

        assert_int_equal(add_bad(server, &bad_tables[i], HAFT_VERSION_NUMBER),
                         bad_tables[i].status);
        assert_string_equal(haft_server_error(server)->path, bad_tables[i].path);
        assert_string_equal(haft_server_error(server)->text, bad_tables[i].text);
        assert_int_equal(haft_options_read(server, 1, argv), bad_tables[i].status);
        haft_server_free(server);
    }
    child_start(&child, run_bad, (void *)(uintptr_t)&bad_tables[0]);
    child_end(&child);
    assert_true(child_is_silent(&child));
    assert_true(read(child.error, error, sizeof error - 1) > 0);
    assert_string_equal(error,
                        "reader: --workers: haft has an option of this name; choose another\n");
    assert_int_equal(child_wait(&child), 1);
}

static void there_is_one_table(void **state)
{
    static const haft_section section =
        HAFT_INIT(haft_section, .name = "options",
                  .prepare = (int (*)(void *, haft_value *, void **, haft_reason *))1,
                  .commit = (void (*)(void *, void *))1);
    haft_server *server = haft_server_new("reader", "1.0");
    static settings values;

    (void)state;
    assert_int_equal(haft_options_add(NULL, &settings_table, &values), HAFT_EINVAL);
    assert_int_equal(haft_options_read(server, 0, NULL), HAFT_EINVAL);
    assert_int_equal(haft_options_add(server, &settings_table, &values), 0);
    assert_int_equal(haft_options_add(server, &settings_table, &values), HAFT_EEXISTS);
    assert_int_equal(haft_section_add(server, &section), HAFT_EINVAL);
    haft_server_free(server);
    server = haft_server_new("reader", "1.0");
    assert_int_equal(haft_section_add(server, &section), 0);
    assert_int_equal(haft_options_add(server, &settings_table, &values), HAFT_EEXISTS);
    haft_server_free(server);
    server = haft_server_new("reader", "1.0");
    assert_int_equal(haft_options_add(server, NULL, &values), HAFT_EINVAL);
    haft_server_free(server);
    server = haft_server_new("reader", "1.0");
    assert_int_equal(haft_options_add(server, &settings_table, NULL), HAFT_EINVAL);
    haft_server_free(server);
}

/* An option that haft did not have when the program was compiled is the program's. */
static int run_older(void *context)
{
    haft_server *server = haft_server_new("reader", "1.0");
    char *argv[] = {(char *)(uintptr_t) "reader", (char *)(uintptr_t) "--workers",
                    (char *)(uintptr_t) "everybody", context, NULL};

    if (add_bad(server, &bad_tables[0], 0x000100))
        return 9;
    return haft_main(server, 4, argv);
}

static void a_later_option_of_haft_gives_way(void **state)
{
    static const char config[] = "--print-config", help[] = "--help";
    struct child child;

    (void)state;
    child_start(&child, run_older, (void *)(uintptr_t)config);
    child_end(&child);
    child_is_silent(&child);
    haft_buffer_add(&child.seen, "", 1);
    assert_non_null(strstr(child.seen.data, "options.workers         everybody "));
    assert_non_null(strstr(child.seen.data, "limits.workers          4 "));
    assert_int_equal(child_wait(&child), 0);
    child_start(&child, run_older, (void *)(uintptr_t)help);
    child_end(&child);
    child_is_silent(&child);
    haft_buffer_add(&child.seen, "", 1);
    assert_non_null(strstr(child.seen.data, "--workers TEXT "));
    assert_null(strstr(child.seen.data, "--workers N "));
    assert_int_equal(child_wait(&child), 0);
}

/* ---- in the program ---- */

/* What is read before the server serves stays, and belongs to the server. */
static void values_are_read_early(void **state)
{
    haft_server *server = haft_server_new("reader", "1.0");
    settings values = {.region = WEST, .listen = "kept"};
    char *argv[] = {(char *)(uintptr_t) "reader", (char *)(uintptr_t) "--user=ada",
                    (char *)(uintptr_t) "--ignore=x", (char *)(uintptr_t) "--entirely-different",
                    NULL};
    char *help[] = {argv[0], (char *)(uintptr_t) "-h", NULL};
    const char *user;

    (void)state;
    assert_int_equal(haft_options_add(server, &settings_table, &values), 0);
    assert_int_equal(haft_options_read(server, 4, argv), HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text,
                        "unknown option --entirely-different; --help lists the options");
    assert_int_equal(haft_options_read(server, 2, help), 1);
    assert_null(values.user);
    assert_int_equal(haft_options_read(server, 1, argv), HAFT_EINVAL);
    assert_null(values.root);
    assert_int_equal(haft_options_read(server, 3, argv), 0);
    assert_string_equal(values.user, "ada");
    assert_string_equal(values.root, ".");
    assert_string_equal(values.ignore[0], "x");
    assert_null(values.ignore[1]);
    assert_int_equal(values.wait_ms, 30000);
    /* what was not given, and has no default, is as the program had it */
    assert_int_equal(values.region, WEST);
    assert_string_equal(values.listen, "kept");
    user = values.user;
    assert_int_equal(haft_options_read(server, 3, argv), 0);
    assert_ptr_equal(values.user, user);
    haft_server_free(server);
}

static void memory_may_run_out(void **state)
{
    char *argv[] = {(char *)(uintptr_t) "reader", (char *)(uintptr_t) "--user=ada",
                    (char *)(uintptr_t) "--ignore=x", (char *)(uintptr_t) "--scale=1", NULL};

    (void)state;
    setenv("READER_TOKEN_FILE", "/proc/self/comm", 1);
    for (size_t nth = 1;; nth++) {
        settings values = {0};
        struct failing failing;
        haft_server *server;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "reader", "1.0", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server) {
            int status = haft_options_add(server, &settings_table, &values);

            if (!status)
                status = haft_options_read(server, 4, argv);
            assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
            assert_true(status || values.token);
        }
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
        assert_true(nth < 1000);
    }
    unsetenv("READER_TOKEN_FILE");
}

/* A change of the file is reported; the values stay. */
static void a_reload_changes_nothing(void **state)
{
    static const struct program_line line = {
        .arguments = {"--user", "ada", "--log-level", "notice"}};
    char path[FILE_PATH], error[4096] = "";
    struct program_run run = {&line, path, false};
    struct child child;
    FILE *file;

    (void)state;
    file_make(path, "{\"options\": {\"root\": \"/one\"}}");
    child_start(&child, run_program, &run);
    child_puts(&child, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    child_line(&child);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"options\": {\"root\": \"/two\"}}", file);
    fclose(file);
    kill(child.pid, SIGHUP);
    while (!strstr(error, "configuration reloaded\n")) {
        assert_int_equal(poll(&(struct pollfd){.fd = child.error, .events = POLLIN}, 1, 20000), 1);
        assert_true(read(child.error, error + strlen(error), sizeof error - 1 - strlen(error)) > 0);
    }
    assert_non_null(strstr(error, "options.root: changing this requires a restart\n"));
    child_puts(
        &child,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"show\"}}\n");
    assert_non_null(strstr(child_line(&child), "\"/one 0 0 "));
    child_end(&child);
    assert_int_equal(child_wait(&child), 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_comes_from_where_it_should),
        cmocka_unit_test(a_table_that_is_wrong_is_refused),
        cmocka_unit_test(there_is_one_table),
        cmocka_unit_test(a_later_option_of_haft_gives_way),
        cmocka_unit_test(values_are_read_early),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_reload_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
