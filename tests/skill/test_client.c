/* test_client.c - the methods of skills as a client sees them, and what a client accepts of a server. */
#define _POSIX_C_SOURCE 200809L
#include <haft/json.h>
#include <haft/skill.h>
#include <yyjson.h>

#include "skill_tree.h"

static const haft_client_options modern = HAFT_INIT(haft_client_options, .name = "test");

static haft_server *serve(const struct tree *tree)
{
    haft_server *server = haft_server_new_with(
        "test", "1.0.0",
        HAFT_WITH(haft_server_options, .ttl_ms = 5000, .extensions = "{\"com.example/x\":{}}"));

    assert_non_null(server);
    assert_int_equal(haft_server_add_skills(server, tree->root, NULL), 0);
    return server;
}

static void make_skills(struct tree *tree)
{
    tree_make(tree);
    tree_skill(tree, "one");
    tree_write(tree, "one/docs/a b.md", "# A\n");
    tree_write_bytes(tree, "one/data.bin", "\xff\x00\x01", 3);
    tree_write(tree, "one/empty.txt", "");
    tree_skill(tree, "two");
}

/* ---- methods ---- */

static const struct {
    const char *method, *params;
    int code;         /* of the error; 0 for none */
    const char *part; /* of the result or message */
} requests[] = {
    {"server/discover", NULL, 0,
     "\"extensions\":{\"com.example/x\":{},\"io.modelcontextprotocol/skills\":{\"directoryRead\":true}}"},
    {"server/discover", NULL, 0, "\"resources\":{\"listChanged\":true}"},
    {"skills/list", NULL, 0,
     "\"skills\":[{\"uri\":\"skill://one/SKILL.md\",\"frontmatter\":{\"name\":"},
    {"skills/list", NULL, 0, "\"ttlMs\":5000,\"cacheScope\":\"private\""},
    {"skills/list", NULL, 0,
     "{\"uri\":\"skill://one/data.bin\",\"digest\":"
     "\"sha256:942e1e2a66a427b6551732f758bc314f22b9cdec9365a3425c9184de299392b5\",\"size\":3}"},
    {"skills/list", "{\"cursor\":\"skill://one/SKILL.md\"}", 0,
     "\"skills\":[{\"uri\":\"skill://two/SKILL.md\""},
    {"skills/list", "{\"cursor\":\"nonsense\"}", -32602, "cursor"},
    {"skills/list", "{\"cursor\":7}", -32602, "cursor"},
    {"skills/get", "{\"uri\":\"skill://two/SKILL.md\"}", 0,
     "\"skill\":{\"uri\":\"skill://two/SKILL.md\""},
    {"skills/get", "{\"uri\":\"skill://two/SKILL.md\"}", 0, "\"ttlMs\":5000"},
    {"skills/get", "{\"uri\":\"skill://three/SKILL.md\"}", -32602, "skill://three/SKILL.md"},
    {"skills/get", "{\"uri\":\"skill://one/docs/a%20b.md\"}", -32602, "is not the SKILL.md"},
    {"skills/get", "{\"uri\":\"skill://one\"}", -32602, "is not the SKILL.md"},
    {"skills/get", "{\"uri\":\"skill://two/SKILL.md\\u0000\"}", -32602, "must be a string"},
    {"skills/get", "{\"uri\":7}", -32602, "must be a string"},
    {"skills/get", NULL, -32602, "must be a string"},
    {"resources/directory/read", "{\"uri\":\"skill://one\"}", 0,
     "{\"uri\":\"skill://one/docs\",\"name\":\"docs\",\"mimeType\":\"inode/directory\"}"},
    {"resources/directory/read", "{\"uri\":\"skill://one\"}", 0,
     "{\"uri\":\"skill://one/SKILL.md\",\"name\":\"one\",\"description\":\"What it is for\","
     "\"mimeType\":\"text/markdown\""},
    {"resources/directory/read", "{\"uri\":\"skill://one/docs\"}", 0,
     "\"resources\":[{\"uri\":\"skill://one/docs/a%20b.md\",\"name\":\"a b.md\""},
    {"resources/directory/read", "{\"uri\":\"skill://one/docs/\"}", -32602, "not a directory"},
    {"resources/directory/read", "{\"uri\":\"skill://one/SKILL.md\"}", -32602, "not a directory"},
    {"resources/directory/read", "{\"uri\":\"skill://one\",\"cursor\":\"skill://two/x\"}", -32602,
     "cursor"},
    {"resources/directory/read", "{}", -32602, "must be a string"},
    {"resources/read", "{\"uri\":\"skill://one/SKILL.md\"}", 0, "\"mimeType\":\"text/markdown\""},
    {"resources/read", "{\"uri\":\"skill://one/docs/a%20b.md\"}", 0, "\"text\":\"# A\\n\""},
    {"resources/read", "{\"uri\":\"skill://one/data.bin\"}", 0, "\"blob\":\"/wAB\""},
    {"resources/read", "{\"uri\":\"skill://one/empty.txt\"}", 0, "\"text\":\"\""},
    {"resources/read", "{\"uri\":\"skill://one/../two/SKILL.md\"}", -32602, "not found"},
    {"resources/read", "{\"uri\":\"skill://one/%2e%2e/two/SKILL.md\"}", -32602, "not found"},
    {"resources/read", "{\"uri\":\"skill://one/%53KILL.md\"}", -32602, "not found"},
    {"resources/read", "{\"uri\":\"skill://one\"}", -32602, "is a directory"},
    {"resources/read", "{\"uri\":\"skill:///etc/passwd\"}", -32602, "not found"},
    {"resources/list", NULL, 0,
     "{\"uri\":\"skill://one/SKILL.md\",\"name\":\"one\",\"description\":\"What it is for\","},
};

static void answers_requests(void **state)
{
    haft_server *server;
    haft_client *client;
    struct tree tree;

    (void)state;
    make_skills(&tree);
    server = serve(&tree);
    client = haft_client_new(server, &modern);
    assert_non_null(client);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        haft_result result;
        haft_buffer text;

        assert_int_equal(
            haft_client_request(client, requests[i].method, requests[i].params, &result), 0);
        haft_buffer_init(&text, NULL, 1 << 20);
        if (result.value)
            haft_json_write(result.value, &text);
        haft_buffer_add(&text, "", 1);
        if (result.error_code != requests[i].code ||
            !strstr(result.value ? text.data : result.text, requests[i].part))
            print_error("row %zu: %d %s\n", i, result.error_code,
                        result.value ? text.data : result.text);
        assert_int_equal(result.error_code, requests[i].code);
        assert_non_null(strstr(result.value ? text.data : result.text, requests[i].part));
        haft_buffer_finish(&text);
    }
    haft_client_free(client);
    haft_server_free(server);
    tree_remove(&tree);
}

/* ---- reading ---- */

static void reads_and_verifies(void **state)
{
    haft_server *server;
    haft_client *client;
    haft_skills *skills, *one;
    const haft_skill *skill;
    haft_reason reason = {0};
    struct tree tree;

    (void)state;
    make_skills(&tree);
    server = serve(&tree);
    client = haft_client_new(server, &modern);
    skills = haft_client_skills(client, &reason);
    assert_int_equal(haft_skills_count(skills), 2);
    assert_null(haft_skills_at(skills, 2));
    skill = haft_skills_at(skills, 0);
    assert_string_equal(skill->name, "one");
    assert_string_equal(skill->description, "What it is for");
    assert_false(skill->dynamic);
    assert_int_equal(skill->n_files, 4);
    for (size_t i = 0; i < skill->n_files; i++) {
        haft_buffer text;

        haft_buffer_init(&text, NULL, 1 << 20);
        assert_int_equal(
            haft_client_read_skill(client, skill, skill->files[i].path, &text, &reason), 0);
        assert_int_equal(text.size, skill->files[i].size);
        haft_buffer_finish(&text);
    }
    assert_int_equal(haft_client_read_skill(client, skill, "docs", NULL, &reason), HAFT_ENOTFOUND);
    assert_int_equal(haft_client_read_skill(client, skill, "../two/SKILL.md", NULL, &reason),
                     HAFT_ENOTFOUND);
    one = haft_client_skill(client, "skill://two/SKILL.md", &reason);
    assert_string_equal(haft_skills_at(one, 0)->name, "two");
    haft_skills_free(one);
    assert_null(haft_client_skill(client, "skill://none/SKILL.md", &reason));
    assert_int_equal(reason.code, HAFT_ENOTFOUND);
    haft_skills_free(skills);
    haft_client_free(client);
    haft_server_free(server);
    tree_remove(&tree);
}

/* A file that changes is served as it was listed until the skills are read again, and then differs from what the
 * client knows. */
static void notices_changes(void **state)
{
    haft_server *server;
    haft_client *client;
    haft_skills *skills;
    haft_reason reason = {0};
    haft_buffer text;
    struct tree tree;

    (void)state;
    make_skills(&tree);
    server = serve(&tree);
    client = haft_client_new(server, &modern);
    skills = haft_client_skills(client, &reason);
    haft_buffer_init(&text, NULL, 1 << 20);
    tree_write(&tree, "one/docs/a b.md", "# B\n");
    assert_int_equal(
        haft_client_read_skill(client, haft_skills_at(skills, 0), "docs/a b.md", &text, &reason),
        0);
    assert_memory_equal(text.data, "# A\n", 4);
    assert_int_equal(haft_server_reload_skills(server), 0);
    assert_int_equal(
        haft_client_read_skill(client, haft_skills_at(skills, 0), "docs/a b.md", &text, &reason),
        HAFT_EPROTOCOL);
    assert_int_equal(text.size, 4);
    haft_skills_free(skills);
    skills = haft_client_skill(client, "skill://one/SKILL.md", &reason);
    assert_int_equal(
        haft_client_read_skill(client, haft_skills_at(skills, 0), "docs/a b.md", &text, &reason),
        0);
    haft_skills_free(skills);
    /* What is not valid leaves everything as it is. */
    tree_write(&tree, "two/SKILL.md", "no front matter");
    assert_int_equal(haft_server_reload_skills(server), HAFT_EINVAL);
    skills = haft_client_skills(client, &reason);
    assert_int_equal(haft_skills_count(skills), 2);
    haft_skills_free(skills);
    haft_buffer_finish(&text);
    haft_client_free(client);
    haft_server_free(server);
    tree_remove(&tree);
}

static void has_several_directories(void **state)
{
    haft_server *server = haft_server_new("test", "1.0.0");
    haft_client *client;
    haft_skills *skills;
    haft_reason reason = {0};
    struct tree first, second;

    (void)state;
    make_skills(&first);
    make_skills(&second);
    assert_int_equal(haft_server_reload_skills(server), HAFT_EINVAL);
    assert_int_equal(haft_server_add_skills(server, "/does/not/exist", NULL), HAFT_ENOTFOUND);
    assert_int_equal(haft_server_add_skills(server, first.root, NULL), 0);
    assert_int_equal(haft_server_add_skills(server, second.root, NULL), HAFT_EEXISTS);
    for (size_t i = 0; i < 5; i++) {
        static const char *const prefixes[] = {"", "/a", "a/", "a//b", "a/../b"};

        assert_int_equal(
            haft_server_add_skills(server, second.root,
                                   HAFT_WITH(haft_skill_options, .prefix = prefixes[i])),
            HAFT_EINVAL);
    }
    assert_int_equal(haft_server_add_skills(server, second.root,
                                            HAFT_WITH(haft_skill_options, .prefix = "second")),
                     0);
    client = haft_client_new(server, &modern);
    skills = haft_client_skills(client, &reason);
    assert_int_equal(haft_skills_count(skills), 4);
    assert_string_equal(haft_skills_at(skills, 1)->uri, "skill://second/one/SKILL.md");
    haft_skills_free(skills);
    haft_client_free(client);
    haft_server_free(server);
    tree_remove(&first);
    tree_remove(&second);
}

/* ---- servers that are not to be trusted ---- */

#define ENTRY(uri, name, resources)                                                                \
    "{\"skills\":[{\"uri\":\"" uri "\",\"frontmatter\":{\"name\":\"" name                          \
    "\",\"description\":\"b\"},\"resources\":" resources "}]}"
#define FILE_OF(uri, size)                                                                         \
    "{\"uri\":\"" uri "\",\"digest\":\"sha256:"                                                    \
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"size\":" size "}"
#define OWN FILE_OF("skill://a/SKILL.md", "0")

static const struct {
    const char *answer;
    int status;
} answers[] = {
    {"{\"skills\":[]}", 0},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "]"), 0},
    {ENTRY("skill://a/SKILL.md", "a", "\"dynamic\""), 0},
    {ENTRY("other://x/y/a/SKILL.md", "a", "\"dynamic\""), 0},
    {"{}", HAFT_EPROTOCOL},
    {"{\"skills\":[7]}", HAFT_EPROTOCOL},
    {"{\"skills\":[{}]}", HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "b", "[" OWN "]"), HAFT_EPROTOCOL},
    {ENTRY("skill://a/README.md", "a", "[" OWN "]"), HAFT_EPROTOCOL},
    {ENTRY("skill://SKILL.md", "a", "[]"), HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[]"), HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "\"static\""), HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," OWN "]"), HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://b/x", "1") "]"), HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/../b", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/%2e%2e/b", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/x%2fb", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/x%00", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/x%5cb", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a//b", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/", "1") "]"), HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/%53KILL.md", "1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/b", "-1") "]"),
     HAFT_EPROTOCOL},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/b", "16777216") "]"), 0},
    {ENTRY("skill://a/SKILL.md", "a", "[" OWN "," FILE_OF("skill://a/b", "16777217") "]"),
     HAFT_ETOOBIG},
    {"{\"skills\":[],\"nextCursor\":\"again\"}", HAFT_ETOOBIG},
};

static int answer_with(haft_call *call, haft_value *params, void *data)
{
    const char *const *answer = data;

    (void)params;
    return haft_json(call, *answer, strlen(*answer));
}

static void distrusts_servers(void **state)
{
    const char *answer = NULL;
    haft_server *server = haft_server_new_with(
        "test", "1.0.0",
        HAFT_WITH(haft_server_options, .extensions = "{\"io.modelcontextprotocol/skills\":{}}"));
    haft_client *client;

    (void)state;
    assert_int_equal(haft_on(server, "skills/list", answer_with, &answer), 0);
    client = haft_client_new(server, &modern);
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        haft_reason reason = {0};
        haft_skills *skills;

        answer = answers[i].answer;
        skills = haft_client_skills(client, &reason);
        if (reason.code != answers[i].status)
            print_error("row %zu: %d %s: %s\n", i, reason.code, reason.path, reason.text);
        assert_int_equal(reason.code, answers[i].status);
        assert_int_equal(!skills, answers[i].status != 0);
        haft_skills_free(skills);
    }
    haft_client_free(client);
    haft_server_free(server);
}

static void says_that_there_are_none(void **state)
{
    haft_server *server = haft_server_new("test", "1.0.0");
    haft_client *client = haft_client_new(server, &modern);
    haft_reason reason = {0};

    (void)state;
    assert_null(haft_client_skills(client, &reason));
    assert_int_equal(reason.code, HAFT_ENOTFOUND);
    assert_null(haft_client_skills(NULL, &reason));
    assert_int_equal(reason.code, HAFT_EINVAL);
    haft_client_free(client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_requests),  cmocka_unit_test(reads_and_verifies),
        cmocka_unit_test(notices_changes),   cmocka_unit_test(has_several_directories),
        cmocka_unit_test(distrusts_servers), cmocka_unit_test(says_that_there_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
