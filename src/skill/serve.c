/* serve.c - the methods of skills, on the functions for methods and resources that every program has.
 *
 * Each SKILL.md is a resource, all other files are those of one template, and the items hold the set that
 * they were made of: a call reads from the set of the catalogue that it started with. */
#include <stdio.h>
#include <string.h>

#include "base/struct.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/offer/server.h"
#include "skill/set.h"

enum { SERVE_PAGE = 512 << 10, SERVE_BYTES = 64 << 20, SERVE_SKILLS = 1024 };

#define SERVE_TEMPLATE SKILL_SCHEME "{+path}"

struct skill_service {
    struct extension extension; /* its address is that of the service */
    haft_server *server;
    struct skill_source *sources;
    struct skill_set *now; /* under the server's lock */
};

/* ---- methods ---- */

/* Returns a reference to the present set; NULL if the first directory was refused. */
static struct skill_set *skill_serve_take(struct skill_service *service)
{
    struct skill_set *set;

    hf_server_lock(service->server);
    set = service->now;
    if (set)
        hf_module_take(&set->module);
    hf_server_unlock(service->server);
    return set;
}

static int skill_serve_refuse(haft_call *call, const char *uri, const char *text)
{
    int status = uri ? haft_error(call, "%.200s %s", uri, text) : haft_error(call, "%s", text);

    return status ? status : HAFT_EINVAL;
}

/* Reads a string of the parameters. Returns NULL if it is not there, or has a NUL inside. */
static const char *skill_serve_text(haft_value *params, const char *key)
{
    yyjson_val *value = yyjson_obj_get(params, key);
    const char *text = yyjson_get_str(value);

    return text && strlen(text) == yyjson_get_len(value) ? text : NULL;
}

/* Whether the rules for identified clients permit a URI. Returns 1, 0 or an error. */
static int skill_serve_permits(haft_call *call, const char *uri)
{
    const struct offer_list *lists;
    const char *forms[ACCESS_URI_FORMS];
    const struct entry *entry;
    int status;

    if (!call_is_guarded(call))
        return 1;
    lists = call->catalogue->lists;
    entry = hf_offer_list_find(&lists[HAFT_OFFER_RESOURCE], uri, strlen(uri));
    if (entry)
        return hf_guard_permits(call, entry->item, NULL);
    entry = hf_offer_list_find(&lists[HAFT_OFFER_TEMPLATE], SERVE_TEMPLATE, strlen(SERVE_TEMPLATE));
    if (!entry)
        return 0;
    status = hf_access_uri_forms(call->arena, uri, strlen(uri), forms);
    for (size_t i = 0; !status && i < ACCESS_URI_FORMS; i++)
        status = hf_guard_permits(call, entry->item, forms[i]) == 1 ? 0 : 1;
    return status < 0 ? status : !status;
}

/* Reads the cursor: the URI of the last item of the page before. Returns false if it is invalid. */
static bool skill_serve_cursor(haft_value *params, const char **ret_after)
{
    *ret_after = "";
    if (!yyjson_obj_get(params, "cursor"))
        return true;
    *ret_after = skill_serve_text(params, "cursor");
    return *ret_after && !strncmp(*ret_after, SKILL_SCHEME, strlen(SKILL_SCHEME));
}

static int skill_serve_answer(haft_call *call, haft_buffer *text)
{
    int status = text->status ? text->status : haft_json(call, text->data, text->size);

    haft_buffer_finish(text);
    return status;
}

static struct json_writer skill_serve_begin(haft_call *call, haft_buffer *text)
{
    struct json_writer w = {.out = text};

    haft_buffer_init(text, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    return w;
}

/* Writes a page of skills. Returns the last one if there are more, NULL otherwise. */
static const struct skill *skill_serve_put_page(haft_call *call, struct json_writer *w,
                                                const struct skill_set *set, size_t i)
{
    size_t most = call->server->options.page_size ? call->server->options.page_size : SIZE_MAX;
    const struct skill *last = NULL;

    for (size_t n = 0; i < set->n_skills; i++) {
        const struct skill *skill = set->skills[i];

        if (skill_serve_permits(call, skill->uri) != 1)
            continue;
        if (n++ == most || (last && w->out->size + skill->json.size > SERVE_PAGE))
            return last;
        hf_json_raw(w, skill->json.data, skill->json.size);
        last = skill;
    }
    return NULL;
}

static int skill_serve_list(haft_call *call, haft_value *params, const struct skill_set *set)
{
    const struct skill *last;
    haft_buffer text;
    const char *after;
    struct json_writer w;

    if (!skill_serve_cursor(params, &after))
        return skill_serve_refuse(call, NULL, "Invalid params: the cursor is not valid");
    w = skill_serve_begin(call, &text);
    hf_json_begin_array(json_key(&w, "skills"));
    last = skill_serve_put_page(call, &w, set, hf_skill_set_skill_after(set, after));
    hf_json_end_array(&w);
    if (last)
        hf_json_text(json_key(&w, "nextCursor"), last->uri);
    hf_put_cache_hints(call, &w);
    hf_json_end_object(&w);
    return skill_serve_answer(call, &text);
}

static int skill_serve_get(haft_call *call, haft_value *params, const struct skill_set *set)
{
    const char *uri = skill_serve_text(params, "uri");
    const struct skill *skill = uri ? hf_skill_set_skill(set, uri) : NULL;
    haft_buffer text;
    struct json_writer w;

    if (!uri)
        return skill_serve_refuse(call, "Invalid params: \"uri\"", "must be a string");
    if (!skill || skill_serve_permits(call, uri) != 1)
        return skill_serve_refuse(call, uri,
                                  "is not the SKILL.md of a skill that this server offers");
    w = skill_serve_begin(call, &text);
    hf_json_raw(json_key(&w, "skill"), skill->json.data, skill->json.size);
    hf_put_cache_hints(call, &w);
    hf_json_end_object(&w);
    return skill_serve_answer(call, &text);
}

/* ---- directories ---- */

static void skill_serve_put_child(struct json_writer *w, const struct skill_set *set,
                                  const struct skill_entry *entry)
{
    const struct skill *skill = entry->directory ? NULL : hf_skill_set_skill(set, entry->uri);

    hf_json_begin_object(w);
    hf_json_text(json_key(w, "uri"), entry->uri);
    hf_json_text(json_key(w, "name"), skill ? skill->name : entry->name);
    if (skill)
        hf_json_text(json_key(w, "description"), skill->description);
    hf_json_text(json_key(w, "mimeType"), entry->mime_type);
    if (!entry->directory)
        hf_json_unsigned(json_key(w, "size"), entry->contents.size);
    hf_json_end_object(w);
}

/* Writes a page of the direct children. Returns the last one if there are more, NULL otherwise. */
static const struct skill_entry *skill_serve_put_children(haft_call *call, struct json_writer *w,
                                                          const struct skill_set *set,
                                                          const char *root, const char *after)
{
    size_t most = call->server->options.page_size ? call->server->options.page_size : SIZE_MAX;
    size_t i = hf_skill_set_entry_after(set, *after ? after : root), size = strlen(root), n = 0;
    const struct skill_entry *last = NULL;

    for (; i < set->n_entries; i++) {
        const struct skill_entry *entry = set->entries[i];

        if (strncmp(entry->uri, root, size) != 0)
            break;
        if (strchr(entry->uri + size, '/') || skill_serve_permits(call, entry->uri) != 1)
            continue;
        if (n++ == most || w->out->size > SERVE_PAGE)
            return last;
        skill_serve_put_child(w, set, entry);
        last = entry;
    }
    return NULL;
}

static int skill_serve_put_directory(haft_call *call, const struct skill_set *set, const char *uri,
                                     const char *after)
{
    const char *root = haft_arena_printf(call->arena, "%s/", uri);
    const struct skill_entry *last;
    haft_buffer text;
    struct json_writer w;

    if (!root)
        return HAFT_ENOMEM;
    if (*after && strncmp(after, root, strlen(root)) != 0)
        return skill_serve_refuse(call, NULL, "Invalid params: the cursor is not valid");
    w = skill_serve_begin(call, &text);
    hf_json_begin_array(json_key(&w, "resources"));
    last = skill_serve_put_children(call, &w, set, root, after);
    hf_json_end_array(&w);
    if (last)
        hf_json_text(json_key(&w, "nextCursor"), last->uri);
    hf_json_end_object(&w);
    return skill_serve_answer(call, &text);
}

static int skill_serve_directory(haft_call *call, haft_value *params, const struct skill_set *set)
{
    const char *uri = skill_serve_text(params, "uri"), *after;
    const struct skill_entry *entry;

    if (!uri)
        return skill_serve_refuse(call, "Invalid params: \"uri\"", "must be a string");
    if (!skill_serve_cursor(params, &after))
        return skill_serve_refuse(call, NULL, "Invalid params: the cursor is not valid");
    entry = hf_skill_set_entry(set, uri);
    return entry && entry->directory && skill_serve_permits(call, uri) == 1
               ? skill_serve_put_directory(call, set, uri, after)
               : skill_serve_refuse(call, uri, "is not a directory resource of this server");
}

/* ---- dispatch ---- */

/* Answers a call from the set that is offered when it starts. */
static int skill_serve_with(haft_call *call, haft_value *params, struct skill_service *service,
                            int (*answer)(haft_call *call, haft_value *params,
                                          const struct skill_set *set))
{
    struct skill_set *set = skill_serve_take(service);
    int status = set ? answer(call, params, set)
                     : skill_serve_refuse(call, NULL, "this server offers no skills");

    hf_skill_set_drop(set);
    return status;
}

static int skill_serve_on_list(haft_call *call, haft_value *params, void *data)
{
    return skill_serve_with(call, params, data, skill_serve_list);
}

static int skill_serve_on_get(haft_call *call, haft_value *params, void *data)
{
    return skill_serve_with(call, params, data, skill_serve_get);
}

static int skill_serve_on_directory(haft_call *call, haft_value *params, void *data)
{
    return skill_serve_with(call, params, data, skill_serve_directory);
}

/* ---- files ---- */

static int skill_serve_read(haft_call *call, const char *uri)
{
    const struct skill_set *set = (const struct skill_set *)call->item->module;
    const struct skill_entry *entry = hf_skill_set_entry(set, uri);

    if (!entry)
        return HAFT_ENOTFOUND;
    if (entry->directory)
        return skill_serve_refuse(call, uri, "is a directory: use resources/directory/read");
    return haft_embed(call, &(haft_contents){.uri = entry->uri,
                                             .mime_type = entry->mime_type,
                                             .text = entry->text ? entry->contents.data : NULL,
                                             .bytes = entry->text ? NULL : entry->contents.data,
                                             .size = entry->contents.size});
}

static int skill_serve_make_items(haft_server *server, struct skill_set *set, struct item **items)
{
    haft_resource *resource = haft_arena_zalloc(set->arena, set->n_skills + 1, sizeof *resource);
    int status = resource ? 0 : HAFT_ENOMEM;

    for (size_t i = 0; i < set->n_skills && !status; i++, resource++) {
        const struct skill *skill = set->skills[i];
        const struct skill_entry *entry = hf_skill_set_entry(set, skill->uri);

        *resource = (haft_resource)HAFT_INIT(
            haft_resource, .uri = skill->uri, .name = skill->name,
            .description = skill->description, .mime_type = entry->mime_type,
            .size = (int64_t)entry->contents.size, .read = skill_serve_read);
        status = hf_resource_item(server, HAFT_OFFER_RESOURCE, resource, &set->module, &items[i]);
    }
    if (status)
        return status;
    *resource =
        (haft_resource)HAFT_INIT(haft_resource, .uri = SERVE_TEMPLATE, .name = "skill-file",
                                 .description = "A file of a skill", .read = skill_serve_read);
    return hf_resource_item(server, HAFT_OFFER_TEMPLATE, resource, &set->module,
                            &items[set->n_skills]);
}

/* ---- sets ---- */

/* Offers a set in place of the present one, in one step. */
static int skill_serve_swap(struct skill_service *service, struct skill_set *set,
                            struct item **items)
{
    struct skill_set *before = service->now;
    const struct item *clash = NULL;
    int status = skill_serve_make_items(service->server, set, items);

    if (before)
        before->module.leaving = true;
    if (!status)
        status = hf_catalogue_swap(service->server, items, set->n_skills + 1, &clash);
    for (size_t i = 0; i <= set->n_skills && items[i]; i++)
        hf_item_drop(items[i]);
    if (status) {
        if (before)
            before->module.leaving = false;
        return clash ? hf_server_refuse(service->server, status, clash->name,
                                        "another resource has the URI of this skill")
                     : status;
    }
    hf_server_lock(service->server);
    service->now = set;
    hf_server_unlock(service->server);
    hf_skill_set_drop(before);
    return 0;
}

static int skill_serve_load(struct skill_service *service)
{
    haft_server *server = service->server;
    haft_reason reason = {.code = 0};
    struct skill_set *set;
    struct item **items;
    int status = hf_skill_set_read(server->allocator, service->sources, server->options.max_message,
                                   &set, &reason);

    if (status)
        return hf_server_refuse(server, status, reason.path, "%s", reason.text);
    if (service->now && hf_skill_set_equal(service->now, set)) {
        hf_skill_set_drop(set);
        return 0;
    }
    items = haft_arena_zalloc(set->arena, set->n_skills + 2, sizeof(struct item *));
    status = items ? skill_serve_swap(service, set, items)
                   : hf_server_refuse(server, HAFT_ENOMEM, "skills", "out of memory");
    if (status)
        hf_skill_set_drop(set);
    else
        hf_server_log(server, HAFT_INFO, "%zu skill%s offered", set->n_skills,
                      set->n_skills == 1 ? " is" : "s are");
    return status;
}

/* ---- the service ---- */

static void skill_serve_release(struct extension *extension)
{
    hf_skill_set_drop(((struct skill_service *)extension)->now);
}

static void skill_serve_reload(struct extension *extension)
{
    struct skill_service *service = (struct skill_service *)extension;

    if (skill_serve_load(service))
        hf_server_log(service->server, HAFT_ERROR,
                      "the skills could not be read again; the server offers what it did before");
}

static struct skill_service *skill_serve_find(haft_server *server)
{
    struct extension *at = atomic_load(&server->changes.extensions);

    while (at && at->release != skill_serve_release)
        at = at->next;
    return (struct skill_service *)at;
}

/* A service with its methods; they answer when there is a set. */
static struct skill_service *skill_serve_new(haft_server *server)
{
    struct skill_service *service = hf_server_zalloc(server, sizeof *service);

    if (!service)
        return NULL;
    service->extension = (struct extension){.name = "io.modelcontextprotocol/skills",
                                            .settings = "{\"directoryRead\":true}",
                                            .reload = skill_serve_reload,
                                            .release = skill_serve_release};
    service->server = server;
    return haft_on(server, "skills/list", skill_serve_on_list, service) ||
                   haft_on(server, "skills/get", skill_serve_on_get, service) ||
                   haft_on(server, "resources/directory/read", skill_serve_on_directory, service)
               ? NULL
               : service;
}

/* Whether each segment of a prefix names something. */
static bool skill_serve_prefix_is_valid(const char *prefix)
{
    if (haft_utf8_valid(prefix, strlen(prefix)) != strlen(prefix))
        return false;
    for (;;) {
        size_t size = strcspn(prefix, "/");

        if (!size || (size <= 2 && strspn(prefix, ".") >= size))
            return false;
        if (!prefix[size])
            return true;
        prefix += size + 1;
    }
}

static struct skill_source *skill_serve_new_source(haft_server *server, const char *directory,
                                                   const haft_skill_options *options)
{
    struct skill_source *source = hf_server_zalloc(server, sizeof *source);

    if (!source)
        return NULL;
    source->options = *options;
    source->directory = hf_server_copy(server, directory);
    if (options->prefix)
        source->options.prefix = hf_server_copy(server, options->prefix);
    if (!options->max_bytes)
        source->options.max_bytes = SERVE_BYTES;
    if (!options->max_skills)
        source->options.max_skills = SERVE_SKILLS;
    return source->directory && !options->prefix == !source->options.prefix ? source : NULL;
}

/* Puts a source in the place of another, and back if it is refused; either may be NULL. */
static int skill_serve_put(struct skill_service *service, struct skill_source **place,
                           struct skill_source *source)
{
    struct skill_source *before = *place;
    bool first = !service->now;
    int status;

    if (source)
        source->next = before ? before->next : NULL;
    *place = source ? source : before ? before->next : NULL;
    status = skill_serve_load(service);
    if (status)
        *place = before;
    else if (first)
        hf_server_declare(service->server, &service->extension);
    return status;
}

/* Returns the place of the source that the configuration names, or the end of the list: if there is none, or
 * without `configured`. */
static struct skill_source **skill_serve_place(struct skill_service *service, bool configured)
{
    struct skill_source **place = &service->sources;

    while (*place && !(configured && (*place)->configured))
        place = &(*place)->next;
    return place;
}

static int skill_serve_set(haft_server *server, const char *directory,
                           const haft_skill_options *options, bool configured)
{
    struct skill_service *service = skill_serve_find(server);
    struct skill_source *source = NULL, **place;

    if (!service)
        service = skill_serve_new(server);
    if (service && directory)
        source = skill_serve_new_source(server, directory, options);
    if (!service || (directory && !source))
        return hf_server_refuse(server, HAFT_ENOMEM, directory ? directory : "skills",
                                "out of memory");
    place = skill_serve_place(service, configured);
    if (source)
        source->configured = configured;
    return skill_serve_put(service, place, source);
}

int haft_server_add_skills(haft_server *server, const char *directory,
                           const haft_skill_options *options)
{
    haft_skill_options own;

    if (!server) /* creation failed: haft_main reports it */
        return HAFT_EINVAL;
    if (!hf_struct_read(&own, sizeof own, options))
        return hf_server_refuse(server, HAFT_EINVAL, "haft_skill_options", STRUCT_UNSIZED);
    if (!directory || !*directory)
        return hf_server_refuse(server, HAFT_EINVAL, "skills", "the directory is missing");
    if (own.prefix && !skill_serve_prefix_is_valid(own.prefix))
        return hf_server_refuse(server, HAFT_EINVAL, "skills",
                                "the prefix must be a path such as acme/billing");
    return skill_serve_set(server, directory, &own, false);
}

int haft_server_reload_skills(haft_server *server)
{
    struct skill_service *service = server ? skill_serve_find(server) : NULL;

    return service ? skill_serve_load(service) : HAFT_EINVAL;
}

/* ---- a directory that a configuration names ---- */

/* The directory that the configuration names now; NULL if there is none. */
static const char *skill_serve_configured(haft_server *server)
{
    struct skill_service *service = skill_serve_find(server);
    const struct skill_source *source = service ? *skill_serve_place(service, true) : NULL;

    return source ? source->directory : NULL;
}

static bool skill_serve_differs(haft_server *server, const char *directory)
{
    const char *now = skill_serve_configured(server);

    return !now != !directory || (now && strcmp(now, directory) != 0);
}

int hf_server_set_skills(haft_server *server, const char *directory)
{
    return skill_serve_differs(server, directory)
               ? skill_serve_set(server, directory, HAFT_WITH(haft_skill_options, .prefix = NULL),
                                 true)
               : 0;
}

int hf_server_try_skills(haft_server *server, const char *directory, haft_reason *reterr_reason)
{
    struct skill_source source = {
        .directory = directory, .options = {.max_bytes = SERVE_BYTES, .max_skills = SERVE_SKILLS}};
    struct skill_set *set;
    int status;

    if (!directory || !skill_serve_differs(server, directory))
        return 0;
    status = hf_skill_set_read(server->allocator, &source, server->options.max_message, &set,
                               reterr_reason);
    if (!status)
        hf_skill_set_drop(set);
    return status;
}
