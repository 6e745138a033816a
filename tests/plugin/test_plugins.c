/* test_plugins.c - tools in shared objects: what they offer is there, replaced and gone in one
 * step; what is wrong with one is said and harms nothing; and an object is unloaded when, and not
 * before, nothing uses it. */
#define _GNU_SOURCE
#include <haft.h>
#include <haft/testing.h>
#include <link.h>

#include "plugin/plugin_files.h"
#include "support/tools.h"
#include "engine/offer/server.h"
#include "support/failing.h"
#include "support/wire.h"

/* A server with a tool of its own, plugins and a client. */
struct place {
    haft_server *server;
    haft_plugins *plugins;
    haft_client *client;
    struct folder folder;
    size_t fds;       /* that were open before */
    int log[2];       /* what plugins tell */
    char lines[512];  /* of the server's log, the latest */
    char warned[512]; /* the latest warning */
    unsigned announced;
    haft_result result;
};

static void take_line(void *context, haft_level level, const char *text, size_t size)
{
    struct place *place = context;

    snprintf(place->lines, sizeof place->lines, "%.*s", (int)size, text);
    if (level == HAFT_WARNING)
        memcpy(place->warned, place->lines, sizeof place->warned);
}

static void on_notified(void *context, const char *method, haft_value *params)
{
    struct place *place = context;

    (void)params;
    place->announced += !strcmp(method, "notifications/tools/list_changed");
}

static int answer(void *context, const char *method, haft_value *params, haft_buffer *ret_result)
{
    bool first = yyjson_ptr_get(params, "/requestedSchema/properties/first") != NULL;

    haft_buffer_printf(ret_result, "{\"action\":\"accept\",\"content\":{\"%s\":\"%s\"}}",
                       first ? "first" : "other", first ? "a" : "b");
    (void)context;
    (void)method;
    return 0;
}

static struct place *place_open(void)
{
    struct place *place = calloc(1, sizeof *place);
    char number[16];

    assert_non_null(place);
    assert_int_equal(mapped(), 0);
    place->fds = opened();
    assert_int_equal(pipe2(place->log, O_NONBLOCK | O_CLOEXEC), 0);
    snprintf(number, sizeof number, "%d", place->log[1]);
    setenv("PLUGIN_LOG", number, 1);
    folder_open(&place->folder);
    place->server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .log = take_line, .log_context = place));
    assert_non_null(place->server);
    haft_add(place->server, &echo_tool);
    place->plugins = haft_plugins_new(place->server);
    place->client = haft_client_new(
        place->server, HAFT_WITH(haft_client_options, .revision = "2025-11-25",
                                 .notify = on_notified, .answer = answer, .context = place));
    assert_true(place->plugins && place->client);
    return place;
}

static void place_close(struct place *place)
{
    static const char *const names[] = {"a.so", "b.so", "c.so", NULL};

    haft_client_free(place->client);
    haft_server_free(place->server);
    haft_plugins_free(place->plugins);
    assert_int_equal(mapped(), 0);
    unsetenv("PLUGIN_LOG");
    close(place->log[0]);
    close(place->log[1]);
    assert_int_equal(opened(), place->fds);
    folder_close(&place->folder, names);
    free(place);
}

static const char *file(const struct place *place, const char *name)
{
    return folder_file(&place->folder, name);
}

static const char *said(struct place *place, const char *tool, const char *arguments)
{
    assert_int_equal(haft_client_call(place->client, tool, arguments, &place->result), 0);
    return place->result.text;
}

static bool is_offered(struct place *place, const char *tool)
{
    yyjson_val *one;
    size_t i, n;

    assert_int_equal(haft_client_list(place->client, HAFT_OFFER_TOOL, &place->result), 0);
    yyjson_arr_foreach(place->result.content, i, n, one)
        if (yyjson_equals_str(yyjson_obj_get(one, "name"), tool))
            return true;
    return false;
}

/* What plugins have told since the last time. */
static const char *told(const struct place *place)
{
    static char letters[64];
    ssize_t n = read(place->log[0], letters, sizeof letters - 1);

    letters[n > 0 ? n : 0] = '\0';
    return letters;
}

/* Everything that a version of the plugin offers. */
static void expect_version(struct place *place, int version)
{
    static const struct {
        const char *tool, *arguments, *says[2];
    } rows[] = {
        {"greet", "{\"name\":\"Ada\"}", {"Hello, Ada: 1", "Hello, Ada: 2"}},
        {"only_1", NULL, {"only 1", "Tool only_1 not found"}},
        {"only_2", NULL, {"Tool only_2 not found", "only 2"}},
        {"ask", NULL, {"first a", "other b"}},
        {"alone", NULL, {"1 in a process of its own", "2 in a process of its own"}},
        {"echo", "{\"text\":\"Ada\"}", {"Ada", "Ada"}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(said(place, rows[i].tool, rows[i].arguments),
                            rows[i].says[version - 1]);
    haft_client_read(place->client, "note://one", &place->result);
    assert_string_equal(place->result.text, version == 1 ? "note 1" : "note 2");
    haft_client_read(place->client, "notes://7", &place->result);
    assert_string_equal(place->result.text, version == 1 ? "note 1" : "note 2");
    haft_client_get(place->client, "hello", NULL, &place->result);
    assert_string_equal(place->result.text, version == 1 ? "prompt 1" : "prompt 2");
}

/* ---- coming and going ---- */

static void comes_changes_and_goes(void **state)
{
    static const struct {
        void (*put)(const char *path, const char *plugin);
    } ways[] = {{put_plugin}, {swap_plugin}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct place *place = place_open();

        ways[i].put(file(place, "a.so"), "greet-1");
        assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
        assert_non_null(strstr(place->lines, "a.so, greet 1: loaded"));
        expect_version(place, 1);
        assert_int_equal(place->announced, 1);
        assert_string_equal(told(place), "s");

        /* nothing has changed */
        assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
        assert_string_equal(told(place), "");

        ways[i].put(file(place, "a.so"), "greet-2");
        expect_version(place, 1);
        assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
        assert_non_null(strstr(place->lines, "a.so, greet 2: replaced"));
        haft_client_advance(place->client, 1);
        assert_int_equal(place->announced, 2);
        assert_int_equal(mapped(), 1);
        assert_string_equal(told(place), "se");
        expect_version(place, 2);

        assert_int_equal(haft_plugins_set(place->plugins, NULL, 0, NULL), 0);
        assert_non_null(strstr(place->lines, "a.so: removed"));
        haft_client_advance(place->client, 1);
        assert_int_equal(place->announced, 3);
        assert_int_equal(mapped(), 0);
        assert_string_equal(told(place), "e");
        assert_string_equal(said(place, "greet", NULL), "Tool greet not found");
        assert_string_equal(said(place, "echo", "{\"text\":\"here\"}"), "here");
        place_close(place);
    }
}

/* What the program has switched off stays so. */
static void keeps_what_is_off(void **state)
{
    struct place *place = place_open();

    (void)state;
    put_plugin(file(place, "a.so"), "greet-1");
    assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
    haft_offer_disable(place->server, HAFT_OFFER_TOOL, "greet");
    haft_offer_rename(place->server, HAFT_OFFER_TOOL, "go", "run");
    put_plugin(file(place, "a.so"), "greet-2");
    assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
    assert_false(is_offered(place, "greet"));
    assert_false(is_offered(place, "run"));
    assert_true(is_offered(place, "go"));
    haft_offer_enable(place->server, HAFT_OFFER_TOOL, "greet");
    assert_int_equal(mapped(), 1);
    expect_version(place, 2);
    place_close(place);
}

/* A plugin that was compiled before plugins could have routes. */
static void loads_version_1(void **state)
{
    struct place *place = place_open();

    (void)state;
    put_plugin(file(place, "a.so"), "first");
    assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
    assert_string_equal(said(place, "old", NULL), "old");
    place_close(place);
}

/* A plugin may have the apps of its tools; a tool without its app is offered, with a warning. */
static void warns_about_missing_apps(void **state)
{
    struct place *place = place_open();

    (void)state;
    put_plugin(file(place, "a.so"), "page");
    assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
    assert_true(is_offered(place, "show_own"));
    assert_true(is_offered(place, "show_lost"));
    assert_string_equal(
        place->warned,
        "show_lost: ui: no app ui://plugin/lost is offered; hosts show results without it");
    assert_int_equal(haft_offer_remove(place->server, HAFT_OFFER_RESOURCE, "ui://plugin/own"), 0);
    assert_string_equal(
        place->warned,
        "show_own: ui: no app ui://plugin/own is offered; hosts show results without it");
    place_close(place);
}

/* A list is taken as a whole or not at all, and a tool can move from one plugin to another. */
static void sets_a_list(void **state)
{
    struct place *place = place_open();
    const char *a = file(place, "a.so"), *b = file(place, "b.so"), *c = file(place, "c.so");
    haft_reason reason;

    (void)state;
    put_plugin(a, "greet-1");
    put_plugin(b, "passing");
    put_plugin(c, "refused-handler");
    assert_int_equal(haft_plugins_set(place->plugins, (const char *[]){a, b, c}, 3, &reason),
                     HAFT_EINVAL);
    assert_string_equal(reason.path, c);
    assert_int_equal(mapped(), 0);
    assert_string_equal(told(place), "se");
    assert_false(is_offered(place, "greet"));

    assert_int_equal(haft_plugins_set(place->plugins, (const char *[]){a, b, a}, 3, &reason), 0);
    assert_int_equal(mapped(), 2);
    assert_true(is_offered(place, "greet") && is_offered(place, "passing"));

    /* what was b's is c's now */
    put_plugin(c, "passing");
    assert_int_equal(haft_plugins_load(place->plugins, c, &reason), HAFT_EEXISTS);
    assert_string_equal(reason.path, c);
    assert_string_equal(reason.text, "passing is already registered");
    assert_int_equal(haft_plugins_set(place->plugins, (const char *[]){c, a}, 2, &reason), 0);
    assert_string_equal(said(place, "passing", NULL), "passing by");
    haft_client_advance(place->client, 1);
    assert_int_equal(mapped(), 2);
    assert_string_equal(told(place), "s");
    place_close(place);
}

/* ---- what is refused ---- */

/* Where the last of what is mapped ends in a file. */
static uint64_t last_segment_end(const char *path)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) segment;
    uint64_t last = 0;
    int fd = open(path, O_RDONLY);

    assert_int_equal(read(fd, &head, sizeof head), sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        assert_int_equal(
            pread(fd, &segment, sizeof segment, (off_t)(head.e_phoff + i * sizeof segment)),
            sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > last)
            last = segment.p_offset + segment.p_filesz;
    }
    close(fd);
    return last;
}

static void has_at_most_so_many(void **state)
{
    static const char *paths[1025];
    struct place *place = place_open();
    haft_reason reason = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        paths[i] = PLUGINS "passing.so";
    assert_int_equal(haft_plugins_set(place->plugins, paths, COUNT_OF(paths), &reason),
                     HAFT_ETOOBIG);
    assert_string_equal(reason.text, "at most 1024 plugins can be loaded");
    assert_int_equal(haft_plugins_set(place->plugins, paths, COUNT_OF(paths) - 1, &reason), 0);
    assert_int_equal(mapped(), 1);
    place_close(place);
}

static void refuses(void **state)
{
    static const struct {
        const char *plugin; /* NULL: there is no such file */
        size_t size;        /* of it; 0 for all */
        int code;
        const char *text;
    } rows[] = {
        {NULL, 0, HAFT_EINVAL, "No such file or directory"},
        {"refused-nothing", 0, HAFT_EINVAL, "it does not contain HAFT_PLUGIN"},
        {"refused-abi", 0, HAFT_EINVAL,
         "it was compiled for plugin interface version 77; this haft has version 3"},
        {"refused-sizes", 0, HAFT_EINVAL,
         "it was compiled with the headers of another version of haft; this is " HAFT_VERSION},
        {"refused-handler", 0, HAFT_EINVAL, "tool idle: the handler is missing"},
        {"refused-name", 0, HAFT_EINVAL, "tool not a name: "},
        {"refused-schema", 0, HAFT_EPATTERN, "tool odd: input: text: "},
        {"refused-twice", 0, HAFT_EEXISTS, "fine is already registered"},
        {"refused-taken", 0, HAFT_EEXISTS, "echo is already registered"},
        {"refused-start", 0, HAFT_EBUSY, "its start function failed: busy"},
#if HAFT_HTTP
        {"routes-1", 0, HAFT_EINVAL,
         "it adds routes or policies, and this program is not a gateway"},
#endif
        {"refused-symbol", 0, HAFT_EINVAL, "undefined symbol: haft_nothing_like_it"},
        {"passing", 1, HAFT_EINVAL, "the shared object is incomplete"},
        {"passing", 100, HAFT_EINVAL, "the shared object is incomplete"},
        {"passing", 1000, HAFT_EINVAL, "the shared object is incomplete"},
        {"passing", 2000, HAFT_EINVAL, "the shared object is incomplete"},
    };
    struct place *place = place_open();
    const char *a = file(place, "a.so"), *b = file(place, "b.so");

    (void)state;
    put_plugin(a, "greet-1");
    assert_int_equal(haft_plugins_load(place->plugins, a, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};

        unlink(b);
        if (rows[i].plugin)
            put_part(b, rows[i].plugin, rows[i].size ? rows[i].size : SIZE_MAX);
        assert_int_equal(haft_plugins_load(place->plugins, b, &reason), rows[i].code);
        assert_int_equal(reason.code, rows[i].code);
        assert_string_equal(reason.path, b);
        assert_memory_equal(reason.text, rows[i].text, strlen(rows[i].text));
        assert_int_equal(haft_server_error(place->server)->code, rows[i].code);
        assert_non_null(strstr(place->lines, rows[i].text));
        assert_int_equal(mapped(), 1);
        assert_false(is_offered(place, "fine"));
    }
    assert_int_equal(haft_plugins_load(place->plugins, place->folder.path, NULL), HAFT_EINVAL);
    assert_non_null(strstr(place->lines, "it is not a file"));
    /* one whose last segment lacks its last byte */
    put_plugin(b, "passing");
    assert_int_equal(truncate(b, (off_t)last_segment_end(b) - 1), 0);
    assert_int_equal(haft_plugins_load(place->plugins, b, NULL), HAFT_EINVAL);
    assert_non_null(strstr(place->lines, "the shared object is incomplete"));
    /* and one that is larger than any should be, without a byte of it on the disk */
    assert_int_equal(truncate(b, (off_t)(256 << 20) + 1), 0);
    assert_int_equal(haft_plugins_load(place->plugins, b, NULL), HAFT_ETOOBIG);
    assert_non_null(strstr(place->lines, "a plugin may have at most 256 MiB"));
    /* one that is loaded stays as it is when its file goes bad */
    put_part(a, "greet-2", 2000);
    assert_int_equal(haft_plugins_load(place->plugins, a, NULL), HAFT_EINVAL);
    haft_client_advance(place->client, 1);
    assert_int_equal(place->announced, 1);
    expect_version(place, 1);
    place_close(place);
}

/* ---- calls that last ---- */

static _Atomic(haft_posted *) box; /* what a thread of the plugin has posted to the session */

static void on_post(void *context, haft_posted *posted)
{
    (void)context;
    atomic_store(&box, posted);
}

static void deliver(const struct wire *wire)
{
    haft_posted *posted = NULL;

    for (int i = 0; !posted && i < 10000; i++) {
        sleep_ms(1);
        posted = atomic_exchange(&box, NULL);
    }
    assert_non_null(posted);
    haft_session_deliver(wire->session, posted);
}

#define CALL_OF(id, tool)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool   \
    "\"}}"

/* An object stays as long as a call is in it, and no longer. */
static void outlives_its_removal(void **state)
{
    static const struct {
        const char *before, *after; /* what is said before and after its removal */
        const char *with;           /* what it is replaced with; NULL: it is removed */
        const char *answer;         /* of the call that lasts; NULL for none */
    } rows[] = {
        {CALL_OF(9, "go"), NULL, NULL, "later 1"},
        {CALL_OF(9, "go"), NULL, "greet-2", "later 1"},
        {NULL,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}",
         NULL, NULL},
        {NULL,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}",
         "greet-2", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct place *place = place_open();
        struct wire *wire = wire_open_with(
            place->server,
            (haft_session_options)HAFT_INIT(haft_session_options,
                                            .loop = HAFT_WITH(haft_loop, .post = on_post)));
        const char *a = file(place, "a.so"), *text;
        size_t n = rows[i].with ? 1 : 0;

        put_plugin(a, "greet-1");
        assert_int_equal(haft_plugins_load(place->plugins, a, NULL), 0);
        wire_send(wire, CALL_OF(8, "wait_for_it"));
        if (rows[i].before)
            wire_send(wire, rows[i].before);
        if (n)
            put_plugin(a, rows[i].with);
        assert_int_equal(haft_plugins_set(place->plugins, &a, n, NULL), 0);
        haft_session_tick(wire->session, ++wire->now);
        if (rows[i].after)
            wire_send(wire, rows[i].after);
        assert_int_equal(mapped(), n + 1);
        assert_string_equal(told(place), n ? "ss" : "s");
        if (n)
            expect_version(place, 2);
        while ((text = wire_next(wire)))
            assert_null(strstr(text, "later"));
        deliver(wire);
        assert_int_equal(mapped(), n);
        assert_string_equal(told(place), "e");
        text = wire_next(wire);
        assert_int_equal(text != NULL, rows[i].answer != NULL);
        assert_true(!text || strstr(text, rows[i].answer));
        wire_close(wire);
        place_close(place);
    }
}

/* A client that says nothing keeps nothing loaded. */
static void idle_clients_let_go(void **state)
{
    struct place *place = place_open();
    struct wire *idle = wire_open(place->server);

    (void)state;
    wire_greet(idle, "2025-11-25");
    put_plugin(file(place, "a.so"), "passing");
    assert_int_equal(haft_plugins_load(place->plugins, file(place, "a.so"), NULL), 0);
    haft_session_tick(idle->session, ++idle->now);
    assert_non_null(strstr(wire_next(idle), "list_changed"));
    assert_non_null(strstr(wire_call(idle, "tools/list", NULL), "passing"));
    assert_int_equal(haft_plugins_set(place->plugins, NULL, 0, NULL), 0);
    assert_int_equal(mapped(), 1);
    haft_session_tick(idle->session, ++idle->now);
    assert_non_null(strstr(wire_next(idle), "list_changed"));
    assert_int_equal(mapped(), 0);
    wire_close(idle);
    place_close(place);
}

/* ---- the section ---- */

static int prepare(struct place *place, haft_arena *arena, const char *text, void **ret_prepared,
                   haft_reason *reason)
{
    const haft_section *section = haft_plugins_section(place->plugins);
    haft_value *value = text ? haft_json_read(text, strlen(text), 0, arena, reason) : NULL;

    assert_true(value || !text);
    return section->prepare(section->context, value, ret_prepared, reason);
}

static void section_refuses(void **state)
{
    static const struct {
        const char *text;
        int code;
        const char *path, *says;
    } rows[] = {
        {"{}", HAFT_EINVAL, "", "expected a list of files"},
        {"\"a.so\"", HAFT_EINVAL, "", "expected a list of files"},
        {"[7]", HAFT_EINVAL, "0", "expected a file name"},
        {"[\"\"]", HAFT_EINVAL, "0", "expected a file name"},
        {"[\"a\\u0000b\"]", HAFT_EINVAL, "0", "expected a file name"},
        {"[\"" PLUGINS "greet-1.so\",\"/nowhere/b.so\"]", HAFT_EINVAL, "1",
         "/nowhere/b.so: No such file or directory"},
        {"[\"" PLUGINS "passing.so\",\"" PLUGINS "refused-abi.so\"]", HAFT_EINVAL, "1",
         PLUGINS "refused-abi.so: it was compiled for"},
        /* before anything is changed */
        {"[\"" PLUGINS "refused-taken.so\"]", HAFT_EEXISTS, "0",
         PLUGINS "refused-taken.so: echo is already registered"},
    };
    struct place *place = place_open();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};
        void *prepared = NULL;

        assert_int_equal(prepare(place, arena, rows[i].text, &prepared, &reason), rows[i].code);
        assert_string_equal(reason.path, rows[i].path);
        assert_memory_equal(reason.text, rows[i].says,
                            strlen(rows[i].says) < 200 ? strlen(rows[i].says) : 200);
        assert_int_equal(mapped(), 0);
        haft_arena_free(arena);
    }
    place_close(place);
}

/* What was prepared is not put in the place of what came meanwhile. */
static void section_gives_way(void **state)
{
    struct place *place = place_open();
    const haft_section *section = haft_plugins_section(place->plugins);
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_reason reason = {0};
    void *prepared = NULL;

    (void)state;
    assert_int_equal(prepare(place, arena, "[\"" PLUGINS "passing.so\"]", &prepared, &reason), 0);
    assert_int_equal(haft_plugins_load(place->plugins, PLUGINS "greet-1.so", NULL), 0);
    section->commit(section->context, prepared);
    assert_non_null(strstr(place->lines, "the plugins changed in the meantime"));
    assert_true(is_offered(place, "greet"));
    assert_false(is_offered(place, "passing"));
    assert_int_equal(mapped(), 1);
    haft_arena_free(arena);
    place_close(place);
}

/* The file's plugins are there besides the program's, and go without them. */
static void section_adds_and_removes(void **state)
{
    static const struct {
        const char *text; /* NULL: the file has none */
        bool discarded;
        const char *offered; /* by a letter: greet, passing */
    } rows[] = {
        {NULL, false, "g"},
        {"[\"" PLUGINS "passing.so\"]", true, "g"},
        {"[\"" PLUGINS "passing.so\"]", false, "gp"},
        {"[\"" PLUGINS "passing.so\",\"" PLUGINS "greet-1.so\"]", false, "gp"},
        {"[\"" PLUGINS "greet-1.so\"]", true, "gp"},
        {"[]", false, "g"},
    };
    struct place *place = place_open();
    const haft_section *section = haft_plugins_section(place->plugins);

    (void)state;
    assert_int_equal(haft_plugins_load(place->plugins, PLUGINS "greet-1.so", NULL), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};
        void *prepared = NULL;

        assert_int_equal(prepare(place, arena, rows[i].text, &prepared, &reason), 0);
        if (rows[i].discarded)
            section->discard(section->context, prepared);
        else
            section->commit(section->context, prepared);
        haft_arena_free(arena);
        haft_client_advance(place->client, 1);
        assert_int_equal(is_offered(place, "greet"), strchr(rows[i].offered, 'g') != NULL);
        assert_int_equal(is_offered(place, "passing"), strchr(rows[i].offered, 'p') != NULL);
        assert_int_equal(mapped(), strlen(rows[i].offered));
    }
    place_close(place);
}

/* ---- memory ---- */

static void survives_every_failing_allocation(void **state)
{
    struct folder folder;
    const char *a;

    (void)state;
    folder_open(&folder);
    a = folder_file(&folder, "a.so");
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        haft_plugins *plugins;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        plugins = server ? haft_plugins_new(server) : NULL;
        if (plugins) {
            swap_plugin(a, "greet-1");
            haft_plugins_load(plugins, a, NULL);
            swap_plugin(a, "greet-2");
            haft_plugins_set(plugins, (const char *[]){a, PLUGINS "passing.so"}, 2, NULL);
            haft_plugins_set(plugins, NULL, 0, NULL);
        }
        haft_server_free(server);
        haft_plugins_free(plugins);
        assert_int_equal(mapped(), 0);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    folder_close(&folder, (const char *const[]){"a.so", NULL});
}

/* In whichever order they are freed. */
static void is_freed_before_the_server(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    haft_plugins *plugins = haft_plugins_new(server);
    haft_client *client;
    haft_result result;

    (void)state;
    assert_int_equal(haft_plugins_load(plugins, PLUGINS "passing.so", NULL), 0);
    haft_plugins_free(plugins);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "passing", NULL, &result), 0);
    assert_string_equal(result.text, "passing by");
    haft_client_free(client);
    haft_server_free(server);
    assert_int_equal(mapped(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_changes_and_goes),
        cmocka_unit_test(keeps_what_is_off),
        cmocka_unit_test(loads_version_1),
        cmocka_unit_test(warns_about_missing_apps),
        cmocka_unit_test(sets_a_list),
        cmocka_unit_test(refuses),
        cmocka_unit_test(has_at_most_so_many),
        cmocka_unit_test(outlives_its_removal),
        cmocka_unit_test(idle_clients_let_go),
        cmocka_unit_test(section_refuses),
        cmocka_unit_test(section_gives_way),
        cmocka_unit_test(section_adds_and_removes),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(is_freed_before_the_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
