/* policy.c - named policies, and kinds that create them from options.
 *
 * The options of a kind are a declared type, so configuration is validated like any other input,
 * and errors are reported with name and path before anything is served. */
#include <string.h>

#include "gateway/policies.h"

enum { POLICY_ARENA = 1 << 20 };

static const char separators[] = ", \t";

static struct policy *policy_find(const haft_gateway *gateway, const char *name, size_t size)
{
    struct policy *policy = gateway->adding->policies;

    while (policy &&
           (strlen(policy->policy.name) != size || memcmp(policy->policy.name, name, size)))
        policy = policy->next;
    return policy;
}

/* ---- lists of names ---- */

static size_t policy_count(const char *names)
{
    size_t n = 0;

    for (names = names ? names : ""; *(names += strspn(names, separators)); n++)
        names += strcspn(names, separators);
    return n;
}

static int append(haft_gateway *gateway, const char *what, const char *names,
                  struct policy_list *list)
{
    for (names = names ? names : ""; *(names += strspn(names, separators));) {
        size_t size = strcspn(names, separators);
        const struct policy *policy = policy_find(gateway, names, size);

        if (!policy)
            return hf_gateway_refuse(gateway, HAFT_ENOTFOUND, what, "unknown policy %.*s",
                                     (int)size, names);
        list->list[list->n++] = policy;
        list->blocks = list->blocks || policy->policy.blocks;
        list->waits = list->waits || !policy->built_in || policy->kind == &hf_policy_oauth;
        names += size;
    }
    return 0;
}

int hf_policies_find(haft_gateway *gateway, const char *what, const char *names,
                     const struct policy_list **ret_list)
{
    size_t n = policy_count(gateway->options.policies) + policy_count(names);
    struct policy_list *list = haft_arena_zalloc(gateway->adding->arena, 1, sizeof *list);
    int status;

    if (list)
        list->list = haft_arena_zalloc(gateway->adding->arena, n + 1, sizeof *list->list);
    if (!list || !list->list)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, what, "out of memory");
    status = append(gateway, what, gateway->options.policies, list);
    if (!status)
        status = append(gateway, what, names, list);
    *ret_list = list;
    return status;
}

/* ---- adding ---- */

static struct policy *policy_put(haft_gateway *gateway, const haft_policy *policy)
{
    struct policy *made = haft_arena_zalloc(gateway->adding->arena, 1, sizeof *made);

    if (!made || !policy->name)
        return NULL;
    made->policy = *policy;
    made->policy.name = haft_arena_copy(gateway->adding->arena, policy->name, strlen(policy->name));
    return made->policy.name ? made : NULL;
}

static bool policy_is_alike(const struct policy *one, const struct policy *other)
{
    if (one->kind != other->kind || strcmp(one->policy.name, other->policy.name) != 0)
        return false;
    return one->made_of && other->made_of
               ? !strcmp(one->made_of, other->made_of)
               : !one->kind && one->policy.inbound == other->policy.inbound &&
                     one->policy.data == other->policy.data;
}

/* A policy with the same definition as one of the active generation gets its serial number, so that
 * requests authenticated by that one are known to it. */
static uint64_t policy_serial(haft_gateway *gateway, const struct policy *policy)
{
    const struct generation *now = gateway->now;

    for (const struct policy *one = now ? now->policies : NULL; one; one = one->next)
        if (one != policy && policy_is_alike(one, policy))
            return one->serial;
    return ++gateway->n_serials;
}

static void link_in(haft_gateway *gateway, struct policy *policy)
{
    policy->next = gateway->adding->policies;
    gateway->adding->policies = policy;
    policy->serial = policy_serial(gateway, policy);
}

/* Checks that a name is valid in a list of names and not taken. */
static int check_name(haft_gateway *gateway, const char *name)
{
    if (!name || !*name || strcspn(name, separators) != strlen(name))
        return hf_gateway_refuse(gateway, HAFT_EINVAL, name ? name : "",
                                 "a policy needs a name without commas and spaces");
    if (policy_find(gateway, name, strlen(name)))
        return hf_gateway_refuse(gateway, HAFT_EEXISTS, name,
                                 "a policy with this name exists already");
    return 0;
}

int haft_policy_add(haft_gateway *gateway, const haft_policy *policy)
{
    const void *view = NULL;
    int status = gateway && policy
                     ? hf_gateway_view(gateway, "haft_policy", policy, sizeof *policy, &view)
                     : HAFT_EINVAL;
    struct policy *made;

    policy = view;
    if (!status)
        status = check_name(gateway, policy->name);
    if (status)
        return status;
    if ((!policy->inbound && !policy->outbound) || (policy->preflight && !policy->inbound))
        return hf_gateway_refuse(gateway, HAFT_EINVAL, policy->name,
                                 "a policy needs inbound or outbound, and preflight needs inbound");
    made = policy_put(gateway, policy);
    if (!made)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, policy->name, "out of memory");
    link_in(gateway, made);
    return 0;
}

/* ---- kinds ---- */

static struct kind *kind_named(const haft_gateway *gateway, const char *name)
{
    struct kind *kind = gateway->adding->kinds;

    while (kind && strcmp(kind->kind->name, name))
        kind = kind->next;
    return kind;
}

int haft_policy_kind_add(haft_gateway *gateway, const haft_policy_kind *given)
{
    haft_schema_options options = HAFT_INIT(haft_schema_options, .allocator = gateway->allocator);
    haft_reason reason;
    const void *view = NULL;
    struct kind *kind;
    int status = hf_gateway_view(gateway, "haft_policy_kind", given, sizeof *given, &view);

    if (status)
        return status;
    given = view;
    if (!given->name || !given->make)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, given->name ? given->name : "",
                                 "a kind of policy needs a name and a make function");
    if (kind_named(gateway, given->name))
        return hf_gateway_refuse(gateway, HAFT_EEXISTS, given->name,
                                 "a kind of policy with this name exists already");
    kind = haft_arena_zalloc(gateway->adding->arena, 1, sizeof *kind);
    if (!kind)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, given->name, "out of memory");
    kind->kind = given;
    status =
        given->options ? haft_schema_compile(given->options, &options, &kind->options, &reason) : 0;
    if (status)
        return hf_gateway_refuse(gateway, status, given->name, "%s: %s", reason.path, reason.text);
    kind->next = gateway->adding->kinds;
    gateway->adding->kinds = kind;
    return 0;
}

const haft_policy_kind *const hf_policy_built_in[] = {
    &hf_policy_api_key,    &hf_policy_basic_auth,  &hf_policy_oauth,          &hf_policy_rate_limit,
    &hf_policy_size_limit, &hf_policy_set_headers, &hf_policy_remove_headers, &hf_policy_cors,
    &hf_policy_validate,   &hf_policy_mock,        &hf_policy_sleep,          NULL};

int hf_policies_install(haft_gateway *gateway)
{
    int status = 0;

    for (size_t i = 0; hf_policy_built_in[i] && !status; i++)
        status = haft_policy_kind_add(gateway, hf_policy_built_in[i]);
    for (struct kind *kind = gateway->adding->kinds; kind; kind = kind->next)
        kind->built_in = true;
    return status;
}

/* ---- cleanup ---- */

/* A policy with counters, which must not restart in another generation: it is reference counted,
 * and has its own arena. */
struct kept_policy {
    struct module module; /* must be first */
    haft_arena *arena;
    haft_policy policy;
    void (*drop)(void *data);
};

static void kept_policy_release(struct module *module)
{
    struct kept_policy *kept = (struct kept_policy *)module;

    if (kept->drop)
        kept->drop(kept->policy.data);
    haft_arena_free(kept->arena);
}

void hf_policies_free(struct generation *generation)
{
    const struct generation *own = generation->gateway->own;
    const struct policy *end = own && own != generation ? own->policies : NULL;
    const struct kind *end_kind = own && own != generation ? own->kinds : NULL;

    for (struct policy *policy = generation->policies; policy != end; policy = policy->next)
        if (policy->kept)
            hf_module_drop(&policy->kept->module);
        else if (policy->drop)
            policy->drop(policy->policy.data);
    for (struct kind *kind = generation->kinds; kind != end_kind; kind = kind->next)
        haft_schema_free(kind->options);
}

/* ---- files that have changed ---- */

void hf_policies_reload(const haft_gateway *gateway)
{
    for (const struct policy *policy = gateway->now->policies; policy; policy = policy->next) {
        haft_reason reason = {0};

        if (!policy->kind || !policy->kind->reload)
            continue;
        if (policy->kind->reload(policy->policy.data, &reason))
            hf_server_log(gateway->server, HAFT_ERROR,
                          "policy %s: cannot read its files again; keys that were removed "
                          "from them remain valid: %s: %s",
                          policy->policy.name, reason.path, reason.text);
    }
}

/* ---- creating ---- */

static int refuse_issues(haft_gateway *gateway, int status, const char *name, const char *what,
                         const haft_issues *issues)
{
    haft_buffer text;

    haft_buffer_init(&text, gateway->allocator, 1 << 16);
    haft_issues_text(issues, &text);
    hf_gateway_refuse(gateway, status, name, "%s%.*s", what, (int)text.size,
                      text.data ? text.data : "");
    haft_buffer_finish(&text);
    return status;
}

/* Reads the options as the kind's type; NULL for a kind without options. */
static int read_options(haft_gateway *gateway, haft_arena *arena, const struct kind *kind,
                        const char *name, const char *json, size_t size, void **ret_options)
{
    haft_issues issues = {0};
    int status;

    *ret_options = NULL;
    if (!kind->options)
        return json && !(size == 2 && !memcmp(json, "{}", 2))
                   ? hf_gateway_refuse(gateway, HAFT_EINVAL, name, "%s takes no options",
                                       kind->kind->name)
                   : 0;
    *ret_options = haft_arena_zalloc(arena, 1, kind->options->root->size);
    if (!*ret_options)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, name, "out of memory");
    status = haft_schema_decode_text(kind->options, json ? json : "{}", json ? size : 2, arena,
                                     *ret_options, &issues);
    if (status && issues.count)
        return refuse_issues(gateway, status, name, "options: ", &issues);
    return status ? hf_gateway_refuse(gateway, status, name, "options: %s", haft_strerror(status))
                  : 0;
}

static void refuse_kind(haft_gateway *gateway, const char *name, const char *wanted)
{
    haft_buffer text;

    haft_buffer_init(&text, gateway->allocator, 1 << 12);
    for (const struct kind *kind = gateway->adding->kinds; kind; kind = kind->next)
        haft_buffer_printf(&text, "%s%s", text.size ? ", " : "", kind->kind->name);
    hf_gateway_refuse(gateway, HAFT_ENOTFOUND, name,
                      "unknown kind of policy %s; the kinds are %.*s", wanted, (int)text.size,
                      text.data ? text.data : "");
    haft_buffer_finish(&text);
}

/* ---- policies with counters ---- */

/* Finds one of the active generation with the same name and definition; NULL if there is none. */
static struct kept_policy *kept_policy_find(const haft_gateway *gateway, const char *name,
                                            const char *recipe)
{
    const struct policy *policy = gateway->now ? gateway->now->policies : NULL;

    while (policy && (!policy->kept || strcmp(policy->policy.name, name) != 0 ||
                      strcmp(policy->made_of, recipe) != 0))
        policy = policy->next;
    if (policy)
        hf_module_take(&policy->kept->module);
    return policy ? policy->kept : NULL;
}

static int make_policy(haft_gateway *gateway, haft_arena *arena, const struct kind *kind,
                       haft_policy *policy, const char *json, size_t size)
{
    const char *name = policy->name;
    haft_reason reason = {.text = ""};
    void *options;
    int status = read_options(gateway, arena, kind, name, json, size, &options);

    if (status)
        return status;
    status = kind->kind->make(gateway, options, arena, policy, &reason);
    policy->name = name;
    policy->struct_size = sizeof *policy;
    return status ? hf_gateway_refuse(gateway, status, name, "%s",
                                      reason.text[0] ? reason.text : haft_strerror(status))
                  : 0;
}

static int make_kept(haft_gateway *gateway, const struct kind *kind, const char *name,
                     const char *json, size_t size, struct kept_policy **ret_kept)
{
    haft_arena *arena = haft_arena_new(gateway->allocator, POLICY_ARENA);
    struct kept_policy *kept = arena ? haft_arena_zalloc(arena, 1, sizeof *kept) : NULL;
    const char *copy = kept ? haft_arena_copy(arena, name, strlen(name)) : NULL;
    int status;

    if (!copy) {
        haft_arena_free(arena);
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, name, "out of memory");
    }
    hf_module_init(&kept->module, kept_policy_release);
    kept->arena = arena;
    kept->policy = (haft_policy)HAFT_INIT(haft_policy, .name = copy);
    status = make_policy(gateway, arena, kind, &kept->policy, json, size);
    if (status) {
        haft_arena_free(arena);
        return status;
    }
    kept->drop = kind->kind->drop;
    *ret_kept = kept;
    return 0;
}

/* Creates it, or takes it over from the active generation. */
static int fill_kept(haft_gateway *gateway, struct policy *policy, const struct kind *kind,
                     const char *json, size_t size)
{
    const char *name = policy->policy.name;
    int status = 0;

    policy->kept = kept_policy_find(gateway, name, policy->made_of);
    if (!policy->kept)
        status = make_kept(gateway, kind, name, json, size, &policy->kept);
    if (status)
        return status;
    policy->policy = policy->kept->policy;
    policy->policy.name = name;
    return 0;
}

static int make(haft_gateway *gateway, int scope, const char *name, const char *kind_name,
                const char *json, size_t size)
{
    int status = gateway && kind_name ? check_name(gateway, name) : HAFT_EINVAL;
    struct kind *kind;
    struct policy *policy;

    if (status)
        return status;
    kind = kind_named(gateway, kind_name);
    if (!kind) {
        refuse_kind(gateway, name, kind_name);
        return HAFT_ENOTFOUND;
    }
    policy = policy_put(gateway, HAFT_WITH(haft_policy, .name = name));
    if (policy)
        policy->made_of = haft_arena_printf(gateway->adding->arena, "%d %.*s", scope, (int)size,
                                            json ? json : "");
    if (!policy || !policy->made_of)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, name, "out of memory");
    status = kind->kind == &hf_policy_rate_limit
                 ? fill_kept(gateway, policy, kind, json, size)
                 : make_policy(gateway, gateway->adding->arena, kind, &policy->policy, json, size);
    if (status)
        return status;
    policy->policy.scope = scope < 0 ? kind->kind->scope : (haft_scope)scope;
    policy->kind = kind->kind;
    policy->drop = kind->kind->drop;
    policy->built_in = kind->built_in;
    link_in(gateway, policy);
    return 0;
}

int haft_policy_make(haft_gateway *gateway, const char *name, const char *kind, const char *options)
{
    return make(gateway, -1, name, kind, options, options ? strlen(options) : 0);
}

int haft_policy_make_for(haft_gateway *gateway, haft_scope scope, const char *name,
                         const char *kind, const char *options)
{
    return make(gateway, (int)scope, name, kind, options, options ? strlen(options) : 0);
}

/* ---- from configuration ---- */

HAFT_ENUMERATION(policy_scope, both, edge, invoke);
HAFT_STRUCT(policy_entry, HAFT_STRING(name, "Name that routes use for the policy", .min = 1),
            HAFT_STRING(policy, "Kind of the policy", .min = 1),
            HAFT_OPTIONAL(HAFT_ENUM(scope, policy_scope, "Requests that the policy applies to")),
            HAFT_OPTIONAL(HAFT_JSON(options, "Options of this kind of policy")));
HAFT_LIST(policy_entries, HAFT_OBJECT(entry, policy_entry, "A policy"), "Policies");

static int make_entry(haft_gateway *gateway, const policy_entry *entry)
{
    haft_buffer options;
    int status;

    if (!entry->has_options)
        return make(gateway, entry->has_scope ? (int)entry->scope : -1, entry->name, entry->policy,
                    NULL, 0);
    haft_buffer_init(&options, gateway->allocator, 1 << 20);
    haft_json_write(entry->options, &options);
    status = options.status ? hf_gateway_refuse(gateway, options.status, entry->name, "options: %s",
                                                haft_strerror(options.status))
                            : make(gateway, entry->has_scope ? (int)entry->scope : -1, entry->name,
                                   entry->policy, options.data, options.size);
    haft_buffer_finish(&options);
    return status;
}

int haft_policies_json(haft_gateway *gateway, const char *json, size_t size)
{
    haft_schema_options options = HAFT_INIT(haft_schema_options, .allocator = gateway->allocator);
    haft_schema *schema;
    haft_issues issues = {0};
    policy_entries entries;
    int status = haft_schema_compile(&policy_entries_type, &options, &schema, NULL);

    if (status)
        return hf_gateway_refuse(gateway, status, "policies", "%s", haft_strerror(status));
    status = haft_schema_decode_text(schema, json, size, gateway->adding->arena, &entries, &issues);
    if (status && issues.count)
        refuse_issues(gateway, status, "policies", "", &issues);
    else if (status)
        hf_gateway_refuse(gateway, status, "policies", "%s", haft_strerror(status));
    for (size_t i = 0; !status && i < entries.n_items; i++)
        status = make_entry(gateway, &entries.items[i]);
    haft_schema_free(schema);
    return status;
}
