/* test_access.c - scopes of items, the rule language, and scopes that include others. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/identity.h"
#include "engine/offer/access.h"
#include "engine/offer/scope.h"
#include "support/failing.h"
#include "support/starving.h"
#include "support/test.h"

static int nothing(haft_call *call)
{
    (void)call;
    return 0;
}

static int get(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_prompt_say(call, "user");
}

static int read_it(haft_call *call, const char *uri)
{
    return haft_text(call, "%s", uri);
}

static int nothing_built(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return nothing(call);
}

static int nothing_call(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return nothing(call);
}

/* ---- scopes of items ---- */

#define LONG16 "aaaaaaaaaaaaaaaa"
#define LONG64 LONG16 LONG16 LONG16 LONG16
#define LONG256 LONG64 LONG64 LONG64 LONG64
#define WORDS8(p) p "1 " p "2 " p "3 " p "4 " p "5 " p "6 " p "7 " p "8 "
#define WORDS32 WORDS8("a") WORDS8("b") WORDS8("c") WORDS8("d")

static const struct {
    const char *scopes;
    const char *kept;  /* NULL for none */
    const char *error; /* NULL: accepted */
} scope_rows[] = {
    {NULL, NULL, NULL},
    {"", NULL, NULL},
    {"  ", NULL, NULL},
    {"files:write", "files:write", NULL},
    {"  b   a ", "b a", NULL},
    {"!#[]~", "!#[]~", NULL},
    {"https://example.org/scope?x=1", "https://example.org/scope?x=1", NULL},
    {LONG256, LONG256, NULL},
    {WORDS32, "", NULL},
    {LONG256 "a", NULL, "scopes: a scope is longer than 256 bytes"},
    {WORDS32 "e", NULL, "scopes: an item can require at most 32"},
    {"a b a", NULL, "scopes: \"a\" appears twice"},
    {"*", NULL, "scopes: \"*\" cannot be required; it means all scopes of a client"},
    {"a\"b", NULL, "scopes: \"a\"b\" is not a scope; scopes consist of printable ASCII*"},
    {"a\\b", NULL, "scopes: \"a\\b\" is not a scope;*"},
    {"a,\tb", NULL, "scopes: \"a,\tb\" is not a scope;*"},
    {"\x7f", NULL, "scopes: \"\x7f\" is not a scope;*"},
    {"caf\xc3\xa9", NULL, "scopes: \"caf\xc3\xa9\" is not a scope;*"},
    {"caf\xe9", NULL, "scopes: \"caf\" is not a scope;*"},
};

static int add_tool(haft_server *server, const char *scopes)
{
    return haft_add(server, HAFT_WITH(haft_tool, .name = "t", .description = "T",
                                      .call = nothing_call, .scopes = scopes));
}

static int add_built(haft_server *server, const char *scopes)
{
    haft_tool_builder *builder = haft_tool_new("t");

    haft_tool_describe(builder, "T");
    haft_tool_handler(builder, nothing_built, NULL);
    haft_tool_scopes(builder, scopes);
    return haft_tool_build(builder, server);
}

static int add_resource(haft_server *server, const char *scopes)
{
    return haft_resource_add(server, HAFT_WITH(haft_resource, .uri = "t:x", .name = "r",
                                               .read = read_it, .scopes = scopes));
}

static int add_template(haft_server *server, const char *scopes)
{
    return haft_template_add(server, HAFT_WITH(haft_resource, .uri = "t:{x}", .name = "r",
                                               .read = read_it, .scopes = scopes));
}

static int add_prompt(haft_server *server, const char *scopes)
{
    return haft_prompt_add(server,
                           HAFT_WITH(haft_prompt, .name = "t", .get = get, .scopes = scopes));
}

/* The same for all kinds of items. */
static void items_require_scopes(void **state)
{
    static int (*const adds[])(haft_server *, const char *) = {add_tool, add_built, add_resource,
                                                               add_template, add_prompt};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(scope_rows); i++)
        for (size_t k = 0; k < COUNT_OF(adds); k++) {
            haft_server *server = haft_server_new("test", "1");
            const char *error = scope_rows[i].error, *kept = scope_rows[i].kept;
            int status = adds[k](server, scope_rows[i].scopes);
            haft_buffer scopes;

            haft_buffer_init(&scopes, NULL, 1 << 16);
            assert_int_equal(hf_server_scopes(server, &scopes), 0);
            haft_buffer_add(&scopes, "", 1);
            if (error) {
                assert_int_equal(status, HAFT_EINVAL);
                if (!hf_glob_match(error, strlen(error), haft_server_error(server)->text))
                    fail_msg("row %zu: %s", i, haft_server_error(server)->text);
            } else {
                assert_int_equal(status, 0);
                if (!kept || *kept)
                    assert_string_equal(scopes.data, kept ? kept : "");
                assert_int_equal(hf_server_is_guarded(server), kept != NULL);
            }
            haft_buffer_finish(&scopes);
            haft_server_free(server);
        }
}

/* The scopes of a server: each once, of what is offered and not disabled. */
static void servers_have_scopes(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    haft_buffer scopes;

    (void)state;
    haft_buffer_init(&scopes, NULL, 1 << 16);
    assert_int_equal(add_tool(server, "b a"), 0);
    assert_int_equal(add_resource(server, "a c"), 0);
    assert_int_equal(add_template(server, "ab"), 0);
    assert_int_equal(add_prompt(server, "b d"), 0);
    haft_buffer_puts(&scopes, "openid a ");
    assert_int_equal(hf_server_scopes(server, &scopes), 0);
    haft_buffer_add(&scopes, "", 1);
    assert_string_equal(scopes.data, "openid a b a c ab d");
    assert_int_equal(haft_offer_rename(server, HAFT_OFFER_TOOL, "t", "u"), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_PROMPT, "t"), 0);
    haft_buffer_clear(&scopes);
    assert_int_equal(hf_server_scopes(server, &scopes), 0);
    haft_buffer_add(&scopes, "", 1);
    assert_string_equal(scopes.data, "b a c ab");
    haft_buffer_finish(&scopes);
    haft_server_free(server);
}

static void sets_are_sorted(void **state)
{
    static const struct {
        const char *scopes, *sorted;
    } rows[] = {
        {NULL, ""}, {"", ""}, {"a", "a"}, {"b a", "a b"}, {" b  a b a ", "a b"}, {"ab a", "a ab"},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(hf_scopes_sorted(rows[i].scopes, arena), rows[i].sorted);
    haft_arena_free(arena);
}

/* ---- rules that are wrong ---- */

#define EIGHT_CONDITIONS                                                                           \
    "scope a and scope a and scope a and scope a and scope a and scope a and scope a and scope a"

static const struct {
    const char *rule, *error;
} wrong_rows[] = {
    {"", "rule 1, column 1: \"allow\", \"deny\" or \"read-only\" is missing: "},
    {"   ", "rule 1, column 4: \"allow\", \"deny\" or \"read-only\" is missing: *"},
    {"denny tools x", "rule 1, column 1: \"denny\" is not \"allow\", \"deny\" or \"read-only\"; "
                      "did you mean \"deny\"?: denny tools x"},
    {"readonly", "rule 1, column 1: \"readonly\" is not *; did you mean \"read-only\"?: readonly"},
    {"forbid", "rule 1, column 1: \"forbid\" is not \"allow\", \"deny\" or \"read-only\": forbid"},
    {"Deny", "rule 1, column 1: \"Deny\" is not *"},
    {"deny tool x", "rule 1, column 6: \"tool\" is not \"tools\", \"resources\", \"prompts\" or "
                    "\"if\"; did you mean \"tools\"?: deny tool x"},
    {"deny  everything", "rule 1, column 7: \"everything\" is not \"tools\"*: deny  everything"},
    {"deny tools a, b", "rule 1, column 15: \"b\" is not \"if\"; patterns are separated by commas "
                        "without spaces: deny tools a, b"},
    {"deny tools x iff scope a", "rule 1, column 14: \"iff\" is not \"if\"; *"},
    {"deny resources file:///a%20b*",
     "rule 1, column 16: patterns are compared with decoded URIs*"},
    {"deny tools ,", "rule 1, column 12: there is no pattern: deny tools ,"},
    {"deny tools \"\"", "rule 1, column 12: there is no pattern*"},
    {"deny if", "rule 1, column 8: a condition: principal, subject, client, issuer, scope or claim "
                "is missing: deny if"},
    {"deny if not", "rule 1, column 12: a condition: * is missing: deny if not"},
    {"deny if not not scope a", "rule 1, column 13: \"not\" is not a condition*"},
    {"deny if scop a",
     "rule 1, column 9: \"scop\" is not a condition: *; did you mean \"scope\"?*"},
    {"deny if scope", "rule 1, column 14: the value of the condition is missing: deny if scope"},
    {"deny if scope \"a b\"", "rule 1, column 15: this is not a scope: *"},
    {"deny if scope a and", "rule 1, column 20: a condition: * is missing: *"},
    {"deny if scope a or scope b", "rule 1, column 17: \"or\" is not \"and\"; write a value with "
                                   "spaces in quotes: deny if scope a or scope b"},
    {"deny if claim department", "rule 1, column 15: a claim is compared as NAME=PATTERN, such as "
                                 "department=sales: deny if claim department"},
    {"deny if claim =x", "rule 1, column 15: a claim is compared as NAME=PATTERN*"},
    {"deny if subject \"x", "rule 1, column 17: the quote is not closed: deny if subject \"x"},
    {"deny if " EIGHT_CONDITIONS " and " EIGHT_CONDITIONS " and scope a",
     "rule 1, column *: a rule can have at most 16 conditions: *"},
    {"deny if subject " LONG256 LONG256 LONG256 LONG256,
     "rule 1, column 1: the rule is longer than 1024 bytes: "},
    {"deny tools caf\xe9", "rule 1, column 1: the rule is not valid UTF-8: "},
};

/* A wrong rule changes nothing. */
static void wrong_rules_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong_rows); i++) {
        haft_server *server = haft_server_new("test", "1");
        const char *const rules[] = {wrong_rows[i].rule, NULL};
        const char *error = wrong_rows[i].error;

        assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules)),
                         HAFT_EINVAL);
        if (!hf_glob_match(error, strlen(error), haft_server_error(server)->text))
            fail_msg("row %zu: %s", i, haft_server_error(server)->text);
        assert_string_equal(haft_server_error(server)->path, "rules");
        assert_false(hf_server_is_guarded(server));
        haft_server_free(server);
    }
}

static void rules_are_numbered_and_bounded(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    const char *rules[ACCESS_RULES + 2] = {NULL};

    (void)state;
    for (size_t i = 0; i < ACCESS_RULES; i++)
        rules[i] = "allow";
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules)), 0);
    rules[2] = "x";
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules)),
                     HAFT_EINVAL);
    assert_memory_equal(haft_server_error(server)->text, "rule 3, column 1: ", 18);
    rules[2] = rules[ACCESS_RULES] = "deny";
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules)),
                     HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text, "at most 64 rules are allowed");
    assert_int_equal(haft_server_set_access(server, &(haft_access){.hide = true}), HAFT_EINVAL);
    haft_server_free(server);
}

/* ---- rules ---- */

static const haft_identity anne =
    HAFT_INIT(haft_identity, .principal = "https://login.example.org\nanne",
              .issuer = "https://login.example.org", .subject = "anne", .client = "editor",
              .scopes = "files:read guest",
              .claims = "{\"department\":\"sales\",\"level\":3,\"ratio\":0.5,\"admin\":true,"
                        "\"groups\":[\"staff\",\"night shift\",7],\"realm\":{\"roles\":[\"r1\"],"
                        "\"a.b\":{\"c\":\"deep\"}},\"https://x.org/team\":\"red\","
                        "\"none\":null,\"list\":[[\"x\"]],\"zero\":\"a\\u0000b\"}");

static const struct {
    const char *rules[4];
    const char *kind, *name;
    bool permitted;
} rule_rows[] = {
    /* the action */
    {{NULL}, "tool", "t", true},
    {{"allow"}, "tool", "t", true},
    {{"deny"}, "tool", "t", false},
    {{"deny"}, "resource", "t", false},
    {{"deny"}, "template", "t", false},
    {{"deny"}, "prompt", "t", false},
    {{"read-only"}, "tool", "t", false},
    {{"read-only"}, "read-only tool", "t", true},
    {{"read-only"}, "resource", "t", true},
    {{"read-only"}, "prompt", "t", true},
    {{"\"deny\" \t tools"}, "tool", "t", false},
    /* the items */
    {{"deny tools"}, "tool", "t", false},
    {{"deny tools"}, "prompt", "t", true},
    {{"deny resources"}, "resource", "t", false},
    {{"deny resources"}, "template", "t", false},
    {{"deny resources"}, "tool", "t", true},
    {{"deny prompts"}, "prompt", "t", false},
    {{"deny prompts"}, "resource", "t", true},
    {{"deny tools t"}, "tool", "t", false},
    {{"deny tools t"}, "tool", "tt", true},
    {{"deny tools *_delete"}, "tool", "file_delete", false},
    {{"deny tools *_delete"}, "tool", "delete_file", true},
    {{"deny tools a,b,c"}, "tool", "b", false},
    {{"deny tools *,-list_*"}, "tool", "list_x", true},
    {{"deny tools *,-list_*"}, "tool", "x", false},
    {{"deny tools -list_*"}, "tool", "list_x", true},
    {{"deny tools -list_*"}, "tool", "x", false},
    /* the first rule decides */
    {{"allow tools t", "deny"}, "tool", "t", true},
    {{"allow tools t", "deny"}, "tool", "u", false},
    {{"deny tools t", "allow"}, "tool", "t", false},
    {{"read-only", "allow"}, "tool", "t", false},
    {{"read-only", "deny"}, "read-only tool", "t", true},
    {{"allow if scope x", "deny"}, "tool", "t", false},
    {{"allow if scope guest", "deny"}, "tool", "t", true},
    /* conditions */
    {{"deny if subject anne"}, "tool", "t", false},
    {{"deny if subject ann?"}, "tool", "t", false},
    {{"deny if subject bob"}, "tool", "t", true},
    {{"deny if not subject bob"}, "tool", "t", false},
    {{"deny if not subject anne"}, "tool", "t", true},
    {{"deny if client ed*"}, "tool", "t", false},
    {{"deny if issuer https://login.example.org"}, "tool", "t", false},
    {{"deny if issuer https://login.example.com"}, "tool", "t", true},
    {{"deny if principal *anne"}, "tool", "t", false},
    {{"deny if principal anne"}, "tool", "t", true},
    {{"deny if scope guest"}, "tool", "t", false},
    {{"deny if scope files:*"}, "tool", "t", true},
    {{"deny if not scope files:write"}, "tool", "t", false},
    {{"deny tools t if scope guest"}, "tool", "t", false},
    {{"deny tools u if scope guest"}, "tool", "t", true},
    {{"deny if scope guest and subject anne"}, "tool", "t", false},
    {{"deny if scope guest and subject bob"}, "tool", "t", true},
    {{"deny if subject bob and scope guest"}, "tool", "t", true},
    {{"deny if scope guest and not subject bob"}, "tool", "t", false},
    /* claims */
    {{"deny if claim department=sales"}, "tool", "t", false},
    {{"deny if claim department=s*"}, "tool", "t", false},
    {{"deny if claim department=legal"}, "tool", "t", true},
    {{"deny if claim unknown=*"}, "tool", "t", true},
    {{"deny if not claim unknown=*"}, "tool", "t", false},
    {{"deny if claim level=3"}, "tool", "t", false},
    {{"deny if claim level=4"}, "tool", "t", true},
    {{"deny if claim ratio=0.5"}, "tool", "t", false},
    {{"deny if claim admin=true"}, "tool", "t", false},
    {{"deny if claim admin=false"}, "tool", "t", true},
    {{"deny if claim groups=staff"}, "tool", "t", false},
    {{"deny if claim groups=\"night shift\""}, "tool", "t", false},
    {{"deny if claim groups=7"}, "tool", "t", false},
    {{"deny if claim groups=day"}, "tool", "t", true},
    {{"deny if claim realm.roles=r1"}, "tool", "t", false},
    {{"deny if claim realm.roles=r2"}, "tool", "t", true},
    {{"deny if claim realm.a.b.c=deep"}, "tool", "t", false},
    {{"deny if claim realm=*"}, "tool", "t", true},
    {{"deny if claim https://x.org/team=red"}, "tool", "t", false},
    {{"deny if claim none=*"}, "tool", "t", true},
    {{"deny if claim list=*"}, "tool", "t", true},
    {{"deny if claim department.x=*"}, "tool", "t", true},
    {{"deny if claim .=*"}, "tool", "t", true},
    {{"deny if claim zero=a"}, "tool", "t", true},
};

static void rules_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rule_rows); i++) {
        const char *kind = rule_rows[i].kind;
        haft_tool tool = HAFT_INIT(haft_tool, .name = rule_rows[i].name);
        haft_resource resource = HAFT_INIT(haft_resource, .uri = rule_rows[i].name);
        haft_prompt prompt = HAFT_INIT(haft_prompt, .name = rule_rows[i].name);
        struct item item = {.name = rule_rows[i].name};
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct access *access = NULL;
        haft_reason reason;
        uint64_t holds;

        tool.annotations.read_only = *kind == 'r' && kind[4] == '-' ? HAFT_YES : HAFT_UNSET;
        item.tool = strstr(kind, "tool") ? &tool : NULL;
        item.resource = !strcmp(kind, "resource") || !strcmp(kind, "template") ? &resource : NULL;
        item.uri_template = !strcmp(kind, "template") ? (const void *)&item : NULL;
        item.prompt = !strcmp(kind, "prompt") ? &prompt : NULL;
        if (hf_access_read(NULL, HAFT_WITH(haft_access, .rules = rule_rows[i].rules), &access,
                           &reason))
            fail_msg("row %zu: %s", i, reason.text);
        assert_int_equal(hf_access_holds(access, &anne, arena, &holds), 0);
        if (hf_access_permits(access, holds, &item, NULL) != rule_rows[i].permitted)
            fail_msg("row %zu: %s: %s", i, rule_rows[i].rules[0], rule_rows[i].name);
        hf_access_let_go(access);
        haft_arena_free(arena);
    }
}

/* ---- the examples of the page ---- */

/* Copies a cell of a row, without its backticks; *at moves behind it. */
static char *take_cell(char **at)
{
    char *cell = *at + strspn(*at, " "), *end = strstr(cell, " |");

    assert_non_null(end);
    *at = end + 2;
    *end = '\0';
    if (*cell == '`') {
        cell++;
        assert_int_equal(end[-1], '`');
        end[-1] = '\0';
    }
    return cell;
}

static void check_example(char *row)
{
    char *at = row + 1, *rule = take_cell(&at), *client = take_cell(&at), *kind = take_cell(&at);
    char *wanted = take_cell(&at), *name = strstr(kind, " `");
    const char *const rules[] = {rule, NULL};
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_tool tool = HAFT_INIT(haft_tool, .annotations = {.read_only = HAFT_NO});
    haft_prompt prompt;
    haft_resource resource;
    struct access *access = NULL;
    haft_identity identity;
    struct item item = {.name = NULL};
    haft_reason reason;
    uint64_t holds;

    assert_non_null(name);
    item.name = name + 2;
    name[strlen(name) - 1] = '\0';
    if (!strcmp(item.name, "list_files"))
        tool.annotations.read_only = HAFT_YES;
    item.tool = *kind == 't' ? &tool : NULL;
    item.prompt = *kind == 'p' ? &prompt : NULL;
    item.resource = *kind == 'r' ? &resource : NULL;
    if (hf_access_read(NULL, HAFT_WITH(haft_access, .rules = rules), &access, &reason))
        fail_msg("%s", reason.text);
    hf_identity_read(&identity, haft_json_read(client, strlen(client), 0, arena, &reason));
    assert_int_equal(hf_access_holds(access, &identity, arena, &holds), 0);
    if (hf_access_permits(access, holds, &item, NULL) != !strcmp(wanted, "yes"))
        fail_msg("%s, %s, %s: not %s", rule, client, kind, wanted);
    hf_access_let_go(access);
    haft_arena_free(arena);
}

static void the_page_is_right(void **state)
{
    static char page[65536];
    FILE *file = fopen("docs/access.md", "r");
    size_t n = 0;
    char *row;

    (void)state;
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    row = strstr(page, "| rule | client | item | may use it |\n|---|---|---|---|\n");
    assert_non_null(row);
    row = strchr(strchr(row, '\n') + 1, '\n') + 1;
    for (; *row == '|'; n++) {
        char *next = strchr(row, '\n');

        *next = '\0';
        check_example(row);
        row = next + 1;
    }
    assert_int_equal(n, 18);
}

/* A resource of a template is compared by its own URI and by the template. */
static void templates_are_compared_by_both(void **state)
{
    static const struct {
        const char *rules[3], *uri;
        bool permitted;
    } rows[] = {
        {{"deny resources file:///secret/*"}, "file:///secret/a", false},
        {{"deny resources file:///secret/*"}, "file:///public/a", true},
        {{"deny resources file:///{+path}"}, "file:///public/a", false},
        {{"deny resources *,-file:///public/*"}, "file:///public/a", true},
        {{"deny resources *,-file:///public/*"}, "file:///secret/a", false},
        {{"allow resources file:///public/*", "deny resources"}, "file:///public/a", true},
        {{"allow resources file:///public/*", "deny resources"}, "file:///secret/a", false},
        {{"allow resources *,-file:///secret/*", "deny"}, "file:///secret/a", false},
    };
    haft_resource resource = HAFT_INIT(haft_resource, .uri = "file:///{+path}");
    struct item item = {.name = "file:///{+path}", .resource = &resource};

    (void)state;
    item.uri_template = (const void *)&item;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct access *access = NULL;
        haft_reason reason;

        assert_int_equal(
            hf_access_read(NULL, HAFT_WITH(haft_access, .rules = rows[i].rules), &access, &reason),
            0);
        if (hf_access_permits(access, UINT64_MAX, &item, rows[i].uri) != rows[i].permitted)
            fail_msg("row %zu", i);
        hf_access_let_go(access);
    }
}

static void claims_must_be_an_object(void **state)
{
    static const char *const claims[] = {"[]", "{", "", "1"};
    const char *const rules[] = {"deny if claim a=b", NULL};
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct access *access = NULL;
    haft_reason reason;
    uint64_t holds;

    (void)state;
    assert_int_equal(hf_access_read(NULL, HAFT_WITH(haft_access, .rules = rules), &access, &reason),
                     0);
    for (size_t i = 0; i < COUNT_OF(claims); i++)
        assert_int_equal(
            hf_access_holds(access, HAFT_WITH(haft_identity, .claims = claims[i]), arena, &holds),
            HAFT_EPARSE);
    assert_int_equal(
        hf_access_holds(access, HAFT_WITH(haft_identity, .claims = NULL), arena, &holds), 0);
    assert_int_equal(holds, 0);
    hf_access_let_go(access);
    haft_arena_free(arena);
}

/* ---- scopes that include others ---- */

static const struct {
    const char *includes[5];
    const char *granted, *scope;
    bool has;
} include_rows[] = {
    {{NULL}, NULL, "a", false},
    {{NULL}, "", "a", false},
    {{NULL}, "a", "a", true},
    {{NULL}, "aa b", "a", false},
    {{NULL}, "b a", "a", true},
    {{NULL}, "*", "a", true},
    {{NULL}, "x *", "a", true},
    {{NULL}, "x*", "a", false},
    {{"admin=write read"}, "admin", "read", true},
    {{"admin=write read"}, "admin", "write", true},
    {{"admin=write read"}, "admin", "other", false},
    {{"admin=write read"}, "write", "read", false},
    {{"admin=write read"}, "read", "admin", false},
    {{"admin=write", "write=read"}, "admin", "read", true},
    {{"write=read", "admin=write"}, "admin", "read", true},
    {{"write=read", "admin=write"}, "write", "admin", false},
    {{"admin=write", "admin=read"}, "admin", "write", true},
    {{"admin=write", "admin=read"}, "admin", "read", true},
    {{"a=b", "b=c", "c=d"}, "a", "d", true},
    {{"a=b c", "b=d", "c=d"}, "a", "d", true},
    {{"a=  b  c "}, "a", "c", true},
    {{"a=b=c"}, "a", "b=c", true},
};

static void scopes_include_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(include_rows); i++) {
        struct access *access = NULL;
        haft_reason reason;

        if (hf_access_read(NULL, HAFT_WITH(haft_access, .includes = include_rows[i].includes),
                           &access, &reason))
            fail_msg("row %zu: %s", i, reason.text);
        if (hf_access_grants(access, include_rows[i].granted, include_rows[i].scope,
                             strlen(include_rows[i].scope)) != include_rows[i].has)
            fail_msg("row %zu", i);
        hf_access_let_go(access);
    }
}

static void wrong_inclusions_are_refused(void **state)
{
    static const struct {
        const char *includes[4], *error;
    } rows[] = {
        {{"a=a"}, "the scope a includes itself"},
        {{"a=b", "b=a"}, "the scope a includes itself"},
        {{"x=a", "a=b", "b=a"}, "the scope a includes itself"},
        {{"a"}, "write SCOPE=SCOPES, such as \"files:admin=files:write files:read\": a"},
        {{""}, "write SCOPE=SCOPES, *"},
        {{"=b"}, "write SCOPE=SCOPES, *: =b"},
        {{"a b=c"}, "write SCOPE=SCOPES, *"},
        {{"a="}, "it includes no scope: a="},
        {{"a=  "}, "it includes no scope: *"},
        {{"a=b *"}, "\"*\" means all scopes of a client, and takes no part in inclusions: a=b *"},
        {{"*=a"}, "\"*\" means all scopes of a client, *=a"},
        {{"a=b\"c"}, "a word is not a scope: a=b\"c"},
        {{"a=" LONG256 "b"}, "a word is not a scope: *"},
    };
    const char *lines[ACCESS_INCLUDES + 2] = {NULL};
    char texts[ACCESS_INCLUDES + 1][32], *many = calloc(1, 1 << 16);
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(
            haft_server_set_access(server, HAFT_WITH(haft_access, .includes = rows[i].includes)),
            HAFT_EINVAL);
        if (!hf_glob_match(rows[i].error, strlen(rows[i].error), haft_server_error(server)->text))
            fail_msg("row %zu: %s", i, haft_server_error(server)->text);
    }
    for (size_t i = 0; i <= ACCESS_INCLUDES; i++) {
        assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .includes = lines)),
                         0);
        snprintf(texts[i], sizeof texts[i], "s%zu=x", i);
        lines[i] = texts[i];
    }
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .includes = lines)),
                     HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text, "at most 64 scopes can include others");
    snprintf(many, 8, "a=");
    for (size_t i = 0; i <= ACCESS_INCLUDED; i++)
        snprintf(many + strlen(many), 16, "s%zu ", i);
    assert_int_equal(
        haft_server_set_access(
            server, HAFT_WITH(haft_access, .includes = (const char *const[]){many, NULL})),
        HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text,
                        "the scope a includes more than 512 others");
    free(many);
    haft_server_free(server);
}

/* ---- memory ---- */

static const char *const all_rules[] = {"deny tools a,b if claim x=y and scope z", "read-only",
                                        NULL},
                         *const all_includes[] = {"a=b c", "b=d", "a=e", NULL};

static void memory_fails(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct access *access = NULL;
        struct failing failing;
        haft_reason reason;
        int status;

        failing_init(&failing, nth);
        status = hf_access_read(
            &failing.allocator,
            HAFT_WITH(haft_access, .rules = all_rules, .includes = all_includes), &access, &reason);
        assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
        assert_int_equal(!access, status != 0);
        hf_access_let_go(access);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    for (size_t nth = 1;; nth++) {
        struct access *access = NULL;
        haft_reason reason;
        int status;

        starve_at(nth, false);
        status = hf_access_read(
            NULL, HAFT_WITH(haft_access, .rules = all_rules, .includes = all_includes), &access,
            &reason);
        assert_int_equal(status, starved() ? HAFT_ENOMEM : 0);
        hf_access_let_go(access);
        if (!starved())
            break;
    }
    starve_at(0, false);
}

/* A server without memory for new rules keeps those that it has. */
static void memory_fails_for_servers(void **state)
{
    (void)state;
    for (size_t nth = 1, failures = 1; failures; nth++) {
        struct failing failing;
        haft_server *server;
        int status;

        failing_init(&failing, 0);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        assert_int_equal(add_tool(server, NULL), 0);
        failing.calls = 0;
        failing.fail_at = nth;
        status = haft_server_set_access(
            server, HAFT_WITH(haft_access, .rules = all_rules, .includes = all_includes));
        failures = failing.failures;
        assert_int_equal(status, failures ? HAFT_ENOMEM : 0);
        assert_int_equal(hf_server_is_guarded(server), !failures);
        haft_server_free(server);
        failing_check(&failing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_require_scopes),
        cmocka_unit_test(servers_have_scopes),
        cmocka_unit_test(sets_are_sorted),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(rules_are_numbered_and_bounded),
        cmocka_unit_test(rules_decide),
        cmocka_unit_test(the_page_is_right),
        cmocka_unit_test(templates_are_compared_by_both),
        cmocka_unit_test(claims_must_be_an_object),
        cmocka_unit_test(scopes_include_others),
        cmocka_unit_test(wrong_inclusions_are_refused),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(memory_fails_for_servers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
