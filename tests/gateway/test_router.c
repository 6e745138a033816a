/* test_router.c - which route a path belongs to, and which paths belong to none. */
#include "gateway/router.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static const char *const routes[] = {
    "GET /",         "GET /a",         "POST /a",      "GET /a/{x}",     "GET /a/b",
    "DELETE /a/{y}", "GET /a/{x}/c",   "GET /{z}/b/d", "POST /users/me", "GET /users/{id}",
    "GET /x y/{v}",  "GET /one.two-3", "HEAD /head",   "GET /head",
};
enum { N_ROUTES = sizeof routes / sizeof *routes };

static void build(struct router *router, haft_arena *arena)
{
    *router = (struct router){.arena = arena};
    for (size_t i = 0; i < N_ROUTES; i++) {
        const char *space = strchr(routes[i], ' ');
        struct template *path = haft_arena_zalloc(arena, 1, sizeof *path);
        void *taken;

        assert_int_equal(hf_template_read(arena, space + 1, path, NULL), 0);
        assert_int_equal(
            hf_router_add(router, haft_arena_copy(arena, routes[i], (size_t)(space - routes[i])),
                          path, (void *)(uintptr_t)routes[i], &taken),
            0);
    }
}

/* The route with its values, "405 METHODS", "404", or "400". */
static const char *find(const struct router *router, haft_arena *arena, const char *request)
{
    static char text[512];
    const char *space = strchr(request, ' ');
    struct match match;
    int status = hf_router_find(router, haft_arena_copy(arena, request, (size_t)(space - request)),
                                space + 1, arena, &match);
    size_t size;

    if (status < 0) {
        assert_int_equal(status, HAFT_EINVAL);
        return "400";
    }
    if (!status && !match.n_methods)
        return "404";
    size = (size_t)snprintf(text, sizeof text, "%s", status ? (const char *)match.route : "405");
    for (size_t i = 0; status && i < MAX_SEGMENTS && match.values[i]; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, " [%s]", match.values[i]);
    for (size_t i = 0; !status && i < match.n_methods; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, " %s", match.methods[i]);
    return text;
}

static void paths(void **state)
{
    static const char *const rows[][2] = {
        {"GET /", "GET /"},
        {"GET /a", "GET /a"},
        {"POST /a", "POST /a"},
        {"HEAD /a", "GET /a"},
        {"HEAD /head", "HEAD /head"},
        {"PUT /a", "405 POST GET"},
        {"get /a", "405 POST GET"},
        {"GET /a/b", "GET /a/b"},
        {"GET /a/q", "GET /a/{x} [q]"},
        {"DELETE /a/b", "DELETE /a/{y} [b]"},
        {"GET /a/b/c", "GET /a/{x}/c [b]"},
        {"GET /a/b/d", "GET /{z}/b/d [a]"},
        {"GET /a/q/d", "404"},
        {"GET /users/me", "GET /users/{id} [me]"},
        {"POST /users/you", "405 GET"},
        {"GET /x%20y/1", "GET /x y/{v} [1]"},
        {"GET /one.two-3", "GET /one.two-3"},
        {"GET /%61/%62", "GET /a/b"},
        /* decoded once, after it was split */
        {"GET /a/p%2Fq", "GET /a/{x} [p/q]"},
        {"GET /a/%252e%252e", "GET /a/{x} [%2e%2e]"},
        {"GET /a/%2525", "GET /a/{x} [%25]"},
        {"GET /a/h%C3%A9", "GET /a/{x} [h\303\251]"},
        {"GET /a/...", "GET /a/{x} [...]"},
        {"GET /a/+", "GET /a/{x} [+]"},
        /* nothing leads upwards */
        {"GET /a/..", "400"},
        {"GET /a/.", "400"},
        {"GET /..", "400"},
        {"GET /../a", "400"},
        {"GET /a/%2e%2e", "400"},
        {"GET /a/%2E.", "400"},
        {"GET /a/..%2Fb", "400"},
        {"GET /a/b%2F..%2Fc", "400"},
        {"GET /a/..%5Cb", "400"},
        {"GET /a/x%2F..", "400"},
        /* nor is anything else than it seems */
        {"GET /a/%00", "400"},
        {"GET /a/%", "400"},
        {"GET /a/%4", "400"},
        {"GET /a/%zz", "400"},
        {"GET /a/%FF", "400"},
        {"GET /a/%C0%AE", "400"},
        {"GET a", "400"},
        {"GET *", "400"},
        {"GET //a", "404"},
        {"GET /a/", "404"},
        {"GET /a//", "404"},
        {"GET /a//c", "404"},
        {"GET /A", "404"},
        {"GET /a/b/c/d", "404"},
        {"GET /nothing", "404"},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct router router;

    (void)state;
    build(&router, arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(find(&router, arena, rows[i][0]), rows[i][1]))
            fail_msg("%s: %s, and not %s", rows[i][0], find(&router, arena, rows[i][0]),
                     rows[i][1]);
    haft_arena_free(arena);
}

static void templates(void **state)
{
    static const struct {
        const char *path, *reason;
    } rows[] = {
        {"/", NULL},
        {"/a/{b}/c.d", NULL},
        {"/caf\303\251", NULL},
        {"", "a path must begin with a slash"},
        {"a", "a path must begin with a slash"},
        {"/a/", "a path must not end with a slash"},
        {"//a", "\"\" is not a valid path segment"},
        {"/a/../b", "\"..\" is not a valid path segment"},
        {"/.", "\".\" is not a valid path segment"},
        {"/a%20b", "\"a%20b\" is not a valid path segment"},
        {"/a?b", "\"a?b\" is not a valid path segment"},
        {"/{}", "\"\" is not a valid path segment"},
        {"/{a", "\"{a\" is not a valid path segment"},
        {"/x{a}", "\"x{a}\" is not a valid path segment"},
        {"/{a b}", "\"a b\" is not a valid path segment"},
        {"/{a}/b/{a}", "{a} occurs more than once"},
        {"/\377", "a path must be valid UTF-8"},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        haft_reason reason = {.text = ""};
        struct template path;
        int status = hf_template_read(arena, rows[i].path, &path, &reason);

        assert_int_equal(status, rows[i].reason ? HAFT_EINVAL : 0);
        assert_string_equal(reason.text, rows[i].reason ? rows[i].reason : "");
    }
    haft_arena_free(arena);
}

static void same_place(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct router router;
    struct template path;
    void *taken = NULL;

    (void)state;
    build(&router, arena);
    assert_int_equal(hf_template_read(arena, "/a/{other}", &path, NULL), 0);
    assert_int_equal(hf_router_add(&router, "GET", &path, &path, &taken), HAFT_EEXISTS);
    assert_string_equal(taken, "GET /a/{x}");
    haft_arena_free(arena);
}

/* Every place of the tree is looked at once at most, whatever the path. */
static void deep(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    struct router router = {.arena = arena};
    char path[4 * MAX_SEGMENTS + 1] = "";
    struct match match;
    void *taken;

    (void)state;
    for (int n = 1; n <= MAX_SEGMENTS; n++) {
        struct template *t = haft_arena_zalloc(arena, 1, sizeof *t);
        char text[8 * MAX_SEGMENTS] = "";
        size_t size = 0;

        for (int i = 0; i < n; i++)
            size += (size_t)snprintf(text + size, sizeof text - size, i % 2 ? "/a" : "/{v%d}", i);
        assert_int_equal(hf_template_read(arena, text, t, NULL), 0);
        assert_int_equal(hf_router_add(&router, "GET", t, t, &taken), 0);
    }
    for (int i = 0; i < MAX_SEGMENTS; i++)
        memcpy(path + 2 * i, "/a", 3);
    assert_int_equal(hf_router_find(&router, "GET", path, arena, &match), 1);
    memcpy(path + 2 * MAX_SEGMENTS, "/a", 3);
    assert_int_equal(hf_router_find(&router, "GET", path, arena, &match), 0);
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(templates),
        cmocka_unit_test(same_place),
        cmocka_unit_test(deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
