/* reach.c - see reach.h.  With a filter, commands and requests that are not in a table here are refused. */
#include "hass/reach.h"

#include "base/percent.h"
#include "hass/decide.h"
#include "hass/filter.h"
#include "hass/read.h"

/* ---- errors ---- */

static int reach_refuse(const struct hass_wait *wait, const char *what)
{
    return hass_fail(
        wait->call,
        "%s is refused: it cannot be limited to the entities that this server may use (--entities).",
        what);
}

static const char *const reach_places[] = {
#define HASS_REGISTRY_(name, text, key) text,
    HASS_REGISTRIES(HASS_REGISTRY_)
#undef HASS_REGISTRY_
};

static int reach_fail(const struct hass_wait *wait, const struct reach *reach)
{
    const char *place = reach_places[reach->which];

    switch (reach->verdict) {
    case REACH_ALLOWED:
        return 0;
    case REACH_NO_ENTITY:
        return hass_fail_entity(wait->hass, wait->call, reach->what);
    case REACH_NO_PLACE:
        return hass_fail(wait->call, "%c%s not found: %s.", place[0] - 'a' + 'A', place + 1,
                         reach->what);
    case REACH_NO_TARGET:
        return hass_fail(wait->call, "The service %s has no entity to act on.", reach->what);
    case REACH_INVALID:
        return hass_fail(wait->call, "\"%s\" must be a string or an array of strings.",
                         reach->what);
    case REACH_REFUSED:
        return reach_refuse(wait, reach->what);
    default:
        return hass_no_memory(wait->call);
    }
}

/* hass_decide_value or hass_decide_config. */
typedef enum reach_verdict reach_check(struct hass *hass, haft_arena *arena, yyjson_val *value,
                                       const char **ret_what);

/* Checks a value; an error of the call only if that was not possible. */
static int reach_look(const struct hass_wait *wait, reach_check *check, yyjson_val *value,
                      struct reach *ret_reach)
{
    haft_arena *arena = haft_call_arena(wait->call);
    struct reach reach = {.verdict = REACH_ALLOWED};
    int status = hass_lock_ready(wait, true);

    if (status)
        return status;
    reach.verdict = check(wait->hass, arena, value, &reach.what);
    reach.what = haft_arena_copy(arena, reach.what, strlen(reach.what));
    uv_mutex_unlock(&wait->hass->lock);
    if (!reach.what)
        return hass_no_memory(wait->call);
    *ret_reach = reach;
    return 0;
}

static int reach_value(const struct hass_wait *wait, reach_check *check, yyjson_val *value)
{
    struct reach reach;
    int status = reach_look(wait, check, value, &reach);

    return status ? status : reach_fail(wait, &reach);
}

/* ---- scripts, automations and scenes ---- */

/* Checks the configuration at that path: 0 if it is harmless or, with `may_lack`, not there. */
static int reach_config(const struct hass_wait *wait, const char *path, const char *what,
                        bool may_lack)
{
    struct hass_answer answer;
    struct reach reach;
    yyjson_val *config;
    int status = hass_exchange(wait, "GET", path, NULL, &answer);

    if (status)
        return status;
    if (answer.status == 404 && may_lack)
        return 0;
    config = answer.status == 200
                 ? haft_json_read(answer.body, answer.size, 0, haft_call_arena(wait->call), NULL)
                 : NULL;
    if (!yyjson_is_obj(config))
        return reach_refuse(wait, what);
    status = reach_look(wait, hass_decide_config, config, &reach);
    if (!status && reach.verdict) /* what it reaches is not said */
        status = reach_refuse(wait, what);
    return status;
}

/* With the lock held: the id by which an entity is configured; NULL if it has none. */
static const char *reach_config_id(const struct hass *hass, haft_arena *arena, const char *id)
{
    const struct state *state = hass_table_find(&hass->states, id, strlen(id));
    yyjson_val *attributes;
    const char *why;
    size_t at;

    if (!strncmp(id, "script.", 7))
        return id + 7;
    if (!state ||
        hf_json_parse(state_attributes(state), state->attributes, arena, &attributes, &at, &why))
        return NULL;
    return yyjson_get_str(yyjson_obj_get(attributes, "id"));
}

static int reach_owner(const struct hass_wait *wait, const char *id)
{
    haft_arena *arena = haft_call_arena(wait->call);
    const char *config;
    haft_buffer path;
    int status = hass_lock_ready(wait, true);

    if (status)
        return status;
    config = reach_config_id(wait->hass, arena, id);
    uv_mutex_unlock(&wait->hass->lock);
    if (!config)
        return reach_refuse(wait, id);
    haft_buffer_init(&path, wait->hass->allocator, 4096);
    haft_buffer_printf(&path, "/api/config/%.*s/config/", (int)strcspn(id, "."), id);
    hf_percent_encode(&path, config, strlen(config));
    haft_buffer_add(&path, "", 1);
    status = path.status ? hass_no_memory(wait->call) : reach_config(wait, path.data, id, false);
    haft_buffer_finish(&path);
    return status;
}

int hass_reach_service(const struct hass_wait *wait, const struct hass_service *service,
                       yyjson_val *data, yyjson_val **ret_data)
{
    struct hass *hass = wait->hass;
    struct reach reach;
    int status = hass_lock_ready(wait, false);

    if (status)
        return status;
    reach = hass_decide(hass, haft_call_arena(wait->call), service, data);
    uv_mutex_unlock(&hass->lock);
    status = reach_fail(wait, &reach);
    for (size_t i = 0; !status && i < reach.n_owners; i++)
        status = reach_owner(wait, reach.owners[i]);
    if (!status)
        *ret_data = reach.data;
    return status;
}

/* ---- ids of configurations ---- */

/* Whether a visible entity of the domain is configured by that id; with the lock held. */
static bool reach_shows_config(const struct hass *hass, haft_arena *arena, const char *domain,
                               const char *config)
{
    size_t size = strlen(domain);

    for (size_t i = 0; i < hass->states.n_slots; i++) {
        const struct state *state = hass->states.slots[i];
        const char *id = state ? state_id(state) : "";

        if (!strncmp(id, domain, size) && id[size] == '.' && hass_shows(hass, id)) {
            const char *known = reach_config_id(hass, arena, id);

            if (known && !strcmp(known, config))
                return true;
        }
    }
    return false;
}

/* ---- commands ---- */

/* Those that tools use, and that only read. */
static const char *const reach_commands[] = {"config/entity_registry/list",
                                             "hacs/repositories/list",
                                             "recorder/statistics_during_period",
                                             "supervisor/api",
                                             "trace/get",
                                             "trace/list",
                                             "validate_config"};

static int reach_trace(const struct hass_wait *wait, yyjson_val *fields)
{
    const char *domain = yyjson_get_str(yyjson_obj_get(fields, "domain"));
    const char *item = yyjson_get_str(yyjson_obj_get(fields, "item_id"));
    bool shows;
    int status;

    if (!domain || !item) /* of all of them, hidden ones too */
        return reach_refuse(wait, "A list of all traces");
    status = hass_lock_ready(wait, true);
    if (status)
        return status;
    shows = reach_shows_config(wait->hass, haft_call_arena(wait->call), domain, item);
    uv_mutex_unlock(&wait->hass->lock);
    return shows ? 0 : hass_fail(wait->call, "not_found: The trace could not be found");
}

/* Add-ons may be listed.  To stop one, or to start one, can be to stop hidden entities. */
static bool reach_knows_endpoint(yyjson_val *fields)
{
    const char *endpoint = yyjson_get_str(yyjson_obj_get(fields, "endpoint"));
    const char *info = "/addons/*/info";

    return endpoint && yyjson_equals_str(yyjson_obj_get(fields, "method"), "get") &&
           (!strcmp(endpoint, "/addons") ||
            (hf_glob_match(info, strlen(info), endpoint) && !strchr(endpoint + 8, '.') &&
             !strchr(endpoint, '%') && strchr(endpoint + 8, '/') == strrchr(endpoint, '/')));
}

int hass_reach_command(const struct hass_wait *wait, const char *type, yyjson_val *fields)
{
    size_t i = 0, n = sizeof reach_commands / sizeof *reach_commands;

    if (!wait->hass->entities)
        return 0;
    while (i < n && strcmp(reach_commands[i], type) != 0)
        i++;
    if (i == n || (!strcmp(type, "supervisor/api") && !reach_knows_endpoint(fields)))
        return reach_refuse(wait, type);
    if (!strncmp(type, "trace/", 6)) {
        int status = reach_trace(wait, fields);

        if (status)
            return status;
    }
    if (!strcmp(type, "validate_config"))
        return reach_value(wait, hass_decide_config, fields);
    return strcmp(type, "supervisor/api") != 0 ? reach_value(wait, hass_decide_value, fields) : 0;
}

/* ---- requests ---- */

/* Those that tools use. */
static const struct {
    const char *method, *path;
    const char *needs; /* part of the query */
} reach_requests[] = {
    {"GET", "/api/camera_proxy/*", NULL},
    {"*", "/api/config/automation/config/*", NULL},
    {"GET", "/api/error_log", NULL},
    {"GET", "/api/hassio/core/logs", NULL},
    {"GET", "/api/history/period*", "filter_entity_id="},
    {"GET", "/api/logbook*", "entity="},
    {"GET", "/api/services", NULL},
};

static const char reach_config_path[] = "/api/config/automation/config/";

bool hass_is_config_path(const char *path)
{
    return !strncmp(path, reach_config_path, strlen(reach_config_path));
}

static bool reach_knows_request(const char *method, const char *path, const char *query)
{
    for (size_t i = 0; i < sizeof reach_requests / sizeof *reach_requests; i++) {
        const char *m = reach_requests[i].method, *p = reach_requests[i].path,
                   *q = reach_requests[i].needs;

        if (hf_glob_match(m, strlen(m), method) && hf_glob_match(p, strlen(p), path))
            return !q || (query && strstr(query, q));
    }
    return false;
}

/* Whether a configuration may be made: there is none of that id, also none that is hidden. */
static int reach_make(const struct hass_wait *wait, const char *path, const char *id)
{
    struct hass_answer answer;
    int status = hass_exchange(wait, "GET", path, NULL, &answer);

    if (status || answer.status == 404)
        return status;
    return hass_fail(wait->call, "The automation %s cannot be created; try again without its id.",
                     id);
}

/* A configuration is read if its entity is visible, and changed if what it does is, and will be. */
static int reach_edit(const struct hass_wait *wait, const char *method, const char *id,
                      const char *raw_path, const char *body)
{
    haft_arena *arena = haft_call_arena(wait->call);
    bool shows, reads = !strcmp(method, "GET");
    yyjson_val *config;
    int status = hass_lock_ready(wait, reads);

    if (status)
        return status;
    shows = !strchr(id, '/') && reach_shows_config(wait->hass, arena, "automation", id);
    uv_mutex_unlock(&wait->hass->lock);
    if (strchr(id, '/') || (!shows && strcmp(method, "POST") != 0))
        return hass_fail(wait->call, "Resource not found: automation %s.", id);
    if (reads)
        return 0;
    status = shows ? reach_config(wait, raw_path, id, true) : reach_make(wait, raw_path, id);
    if (status || !body)
        return status;
    config = haft_json_read(body, strlen(body), 0, arena, NULL);
    return config ? reach_value(wait, hass_decide_config, config)
                  : hass_fail(wait->call, "The configuration is not valid JSON.");
}

int hass_reach_request(const struct hass_wait *wait, const char *method, const char *path,
                       const char *body)
{
    haft_arena *arena = haft_call_arena(wait->call);
    size_t size = strcspn(path, "?"), from = 0, end;
    const char *plain, *query;
    struct reach reach = {.verdict = REACH_NO_ENTITY};
    int status;

    if (!wait->hass->entities)
        return 0;
    plain = hf_percent_decode(arena, path, size, false, &status);
    query = path[size]
                ? hf_percent_decode(arena, path + size + 1, strlen(path + size + 1), true, &status)
                : "";
    if (!plain || !query || strstr(plain, "..") || !reach_knows_request(method, plain, query))
        return reach_refuse(wait, "This request");
    if (hass_is_config_path(plain) != hass_is_config_path(path))
        return reach_refuse(wait, "This request");
    if (hass_is_config_path(plain))
        return reach_edit(wait, method, plain + strlen(reach_config_path), path, body);
    plain = haft_arena_printf(arena, "%s %s", plain, query);
    status = plain ? hass_lock_ready(wait, true) : hass_no_memory(wait->call);
    if (status)
        return status;
    if (hass_find_hidden(wait->hass, plain, strlen(plain), &from, &end))
        reach.what = haft_arena_copy(arena, plain + from, end - from);
    else
        reach.verdict = REACH_ALLOWED;
    uv_mutex_unlock(&wait->hass->lock);
    if (reach.verdict && !reach.what)
        return hass_no_memory(wait->call);
    return reach_fail(wait, &reach);
}
