/* access.c - what identified clients may use.
 *
 * The conditions of all rules are evaluated once for a client. What remains for each item is to find
 * the first of these rules that is about it. */
#include <string.h>

#include "base/percent.h"
#include "base/struct.h"
#include "engine/offer/access.h"
#include "engine/offer/catalogue.h"
#include "engine/offer/scope.h"
#include "engine/offer/search.h"
#include "engine/offer/server.h"

enum { ACCESS_LIMIT = 4 << 20, CLAIM_NUMBER = 64 };

/* ---- reading ---- */

static int access_read_rules(struct access *access, const char *const *rules,
                             haft_reason *reterr_reason)
{
    int status = 0;

    if (!rules || !*rules)
        return 0;
    access->rules = haft_arena_zalloc(access->arena, ACCESS_RULES, sizeof *access->rules);
    if (!access->rules)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "rules", "out of memory");
    for (; *rules && !status; rules++) {
        struct access_rule *rule = &access->rules[access->n_rules];

        if (access->n_rules++ == ACCESS_RULES)
            return hf_error_set(reterr_reason, HAFT_EINVAL, "rules", "at most %d rules are allowed",
                                ACCESS_RULES);
        status = hf_access_rule_read(access->arena, *rules, access->n_rules, rule, reterr_reason);
        for (size_t i = 0; !status && i < rule->n_conditions; i++)
            access->claims |= rule->conditions[i].about == ACCESS_CLAIM;
    }
    return status;
}

int hf_access_read(const haft_allocator *allocator, const haft_access *given,
                   struct access **ret_access, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(allocator, ACCESS_LIMIT);
    struct access *access = arena ? haft_arena_zalloc(arena, 1, sizeof *access) : NULL;
    int status;

    if (!access) {
        haft_arena_free(arena);
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    }
    atomic_init(&access->refs, 1);
    access->arena = arena;
    access->hide = given->hide;
    status = hf_access_read_includes(access, given->includes, reterr_reason);
    if (!status)
        status = access_read_rules(access, given->rules, reterr_reason);
    if (status)
        hf_access_let_go(access);
    else
        *ret_access = access;
    return status;
}

struct access *hf_access_take(struct access *access)
{
    if (access)
        atomic_fetch_add(&access->refs, 1);
    return access;
}

void hf_access_let_go(struct access *access)
{
    if (access && atomic_fetch_sub(&access->refs, 1) == 1)
        haft_arena_free(access->arena);
}

/* ---- scopes ---- */

bool hf_access_grants(const struct access *access, const char *granted, const char *scope,
                      size_t size)
{
    if (!granted)
        return false;
    if (hf_scopes_have(granted, scope, size) || hf_scopes_have(granted, "*", 1))
        return true;
    for (size_t i = 0; access && i < access->n_inclusions; i++) {
        const struct access_inclusion *inclusion = &access->inclusions[i];

        if (hf_scopes_have(inclusion->included, scope, size) &&
            hf_scopes_have(granted, inclusion->scope, strlen(inclusion->scope)))
            return true;
    }
    return false;
}

bool hf_access_meets(const struct access *access, const char *granted, const char *required)
{
    struct text word;

    while (required && hf_scope_next(&required, &word))
        if (!hf_access_grants(access, granted, word.data, word.size))
            return false;
    return true;
}

/* ---- conditions ---- */

/* Whether a claim that is a string, number or boolean matches. */
static bool claim_matches_value(yyjson_val *value, const char *glob)
{
    char room[CLAIM_NUMBER];
    haft_buffer text = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};

    if (yyjson_is_str(value))
        return strlen(yyjson_get_str(value)) == yyjson_get_len(value) &&
               hf_glob_match(glob, strlen(glob), yyjson_get_str(value));
    if (!yyjson_is_num(value) && !yyjson_is_bool(value))
        return false;
    haft_json_write(value, &text);
    haft_buffer_add(&text, "", 1);
    return !text.status && hf_glob_match(glob, strlen(glob), room);
}

/* Whether a claim, or any of its elements, matches. */
static bool claim_matches(yyjson_val *value, const char *glob)
{
    yyjson_val *element;
    size_t i, n;

    if (!yyjson_is_arr(value))
        return claim_matches_value(value, glob);
    yyjson_arr_foreach(value, i, n, element)
        if (claim_matches_value(element, glob))
            return true;
    return false;
}

/* Finds a claim by its path. Names may contain dots: the longest that exists is taken. */
static yyjson_val *claim_find(yyjson_val *claims, const char *path)
{
    while (claims && *path) {
        size_t size = strlen(path);
        yyjson_val *member = yyjson_obj_getn(claims, path, size);

        while (!member && size) {
            while (size && path[--size] != '.')
                ;
            member = size ? yyjson_obj_getn(claims, path, size) : NULL;
        }
        claims = member;
        path += size + (path[size] == '.');
    }
    return claims;
}

static bool access_condition_holds(const struct access *access,
                                   const struct access_condition *condition,
                                   const haft_identity *identity, yyjson_val *claims)
{
    const char *const texts[] = {[ACCESS_PRINCIPAL] = identity->principal,
                                 [ACCESS_SUBJECT] = identity->subject,
                                 [ACCESS_CLIENT] = identity->client,
                                 [ACCESS_ISSUER] = identity->issuer};
    const char *text;

    if (condition->about == ACCESS_SCOPE)
        return hf_access_grants(access, identity->scopes, condition->name, strlen(condition->name));
    if (condition->about == ACCESS_CLAIM)
        return claim_matches(claim_find(claims, condition->name), condition->glob);
    text = texts[condition->about];
    return text && hf_glob_match(condition->glob, strlen(condition->glob), text);
}

int hf_access_holds(const struct access *access, const haft_identity *identity, haft_arena *arena,
                    uint64_t *ret_holds)
{
    yyjson_val *claims = NULL;
    haft_reason reason;

    *ret_holds = 0;
    if (access && access->claims && identity->claims) {
        claims = haft_json_read(identity->claims, strlen(identity->claims), 0, arena, &reason);
        if (!claims || !yyjson_is_obj(claims))
            return claims || reason.code != HAFT_ENOMEM ? HAFT_EPARSE : HAFT_ENOMEM;
    }
    for (size_t i = 0; access && i < access->n_rules; i++) {
        const struct access_rule *rule = &access->rules[i];
        bool holds = true;

        for (size_t k = 0; holds && k < rule->n_conditions; k++)
            holds = access_condition_holds(access, &rule->conditions[k], identity, claims) !=
                    rule->conditions[k].negated;
        *ret_holds |= (uint64_t)holds << i;
    }
    return 0;
}

/* ---- URIs ---- */

/* Removes dot segments and empty segments of a path, in place. */
static void access_shorten_path(char *path)
{
    size_t base = *path == '/', kept = base, n;
    const char *at = path + base;

    for (bool last = false; !last; at += n + 1) {
        n = strcspn(at, "/");
        last = !at[n];
        if (n == 2 && !memcmp(at, "..", 2)) {
            kept -= kept > base;
            while (kept > base && path[kept - 1] != '/')
                kept--;
        } else if (n && !(n == 1 && *at == '.')) {
            memmove(path + kept, at, n);
            kept += n;
            if (!last)
                path[kept++] = '/';
        }
    }
    path[kept] = '\0';
}

int hf_access_uri_forms(haft_arena *arena, const char *uri, size_t size,
                        const char *ret_forms[ACCESS_URI_FORMS])
{
    int status = 0;
    const char *decoded = hf_percent_decode(arena, uri, size, false, &status);
    char *plain, *path;

    if (!decoded && status == HAFT_ENOMEM)
        return status;
    if (!decoded)
        decoded = uri;
    plain = haft_arena_copy(arena, decoded, strlen(decoded));
    if (!plain)
        return HAFT_ENOMEM;
    path = strchr(plain, ':');
    path = path ? path + 1 : plain;
    if (!strncmp(path, "//", 2))
        path += 2 + strcspn(path + 2, "/");
    access_shorten_path(path);
    ret_forms[0] = decoded;
    ret_forms[1] = plain;
    return 0;
}

/* ---- items ---- */

/* Resources and prompts only give something; tools say themselves whether they do. */
static bool item_is_read_only(const struct item *item)
{
    return !item->tool || item->tool->annotations.read_only == HAFT_YES;
}

bool hf_access_permits(const struct access *access, uint64_t holds, const struct item *item,
                       const char *uri)
{
    unsigned kind = 1u << hf_item_kind(item);

    /* They apply to what a search finds. */
    for (size_t i = search_of_item(item) ? ACCESS_RULES : 0; access && i < access->n_rules; i++) {
        const struct access_rule *rule = &access->rules[i];

        if (holds >> i & 1 && rule->kinds & kind &&
            (!rule->globs ||
             hf_glob_list_allows_either(rule->globs, item->name, uri ? uri : item->name)))
            return rule->action == ACCESS_ALLOW ||
                   (rule->action == ACCESS_READ_ONLY && item_is_read_only(item));
    }
    return true;
}

/* ---- servers ---- */

int haft_server_set_access(haft_server *server, const haft_access *access)
{
    struct isolation *isolation;
    struct access *made = NULL;
    haft_reason reason;
    haft_access own;
    int status;

    if (!server) /* creation failed: haft_main reports it */
        return HAFT_EINVAL;
    isolation = atomic_load(&server->isolation.runner);
    if (!hf_struct_read(&own, sizeof own, access))
        return hf_server_refuse(server, HAFT_EINVAL, "haft_access", STRUCT_UNSIZED);
    status = hf_access_read(server->allocator, &own, &made, &reason);
    if (status)
        return hf_server_refuse(server, status, reason.path, "%s", reason.text);
    status = hf_catalogue_set_access(server, made);
    hf_access_let_go(made);
    if (status)
        return hf_server_refuse(server, status, "haft_access", "%s", haft_strerror(status));
    /* Processes of isolated tools know which scopes include others. */
    if (isolation)
        isolation->renew(isolation);
    return 0;
}

int hf_server_scopes(haft_server *server, haft_buffer *scopes)
{
    struct catalogue *now = hf_catalogue_take(server);
    size_t start = scopes->size;

    for (int i = 0; now->guarded && i < OFFER_LISTS; i++)
        for (size_t k = 0; k < now->lists[i].n; k++) {
            const char *at = now->lists[i].entries[k].item->scopes;
            struct text word;

            while (at && !now->lists[i].entries[k].disabled && hf_scope_next(&at, &word)) {
                haft_buffer_add(scopes, "", 1); /* ends the text for the search */
                scopes->size -= !scopes->status;
                if (scopes->status || hf_scopes_have(scopes->data + start, word.data, word.size))
                    continue;
                if (scopes->size > start)
                    haft_buffer_add(scopes, " ", 1);
                haft_buffer_add(scopes, word.data, word.size);
            }
        }
    hf_catalogue_drop(now);
    return scopes->status;
}

bool hf_server_is_guarded(haft_server *server)
{
    struct catalogue *now = hf_catalogue_take(server);
    bool guarded = now->guarded;

    hf_catalogue_drop(now);
    return guarded;
}
