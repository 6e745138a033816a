/* automation_config - reads and edits the configuration of automations.
 *
 * An edit replaces a whole configuration, which another program may have changed in the meantime.  So update
 * and delete need the hash that get returned; another one is refused.  The replaced or removed configuration is
 * in the result, as `backup`, and can be written back with update or create. */
#include <stdlib.h>
#include <string.h>

#include "json/writer.h"
#include "tools/records.h"

enum { CONFIG_MOST = 256 << 10 };

HAFT_ENUMERATION(config_action, get, create, update, delete);
HAFT_STRUCT(automation_config_args,
    HAFT_ENUM(action, config_action, "What to do"),
    HAFT_OPTIONAL(HAFT_STRING(automation_id, "Id or entity id", .min = 1)),
    HAFT_OPTIONAL(HAFT_MAP(config, HAFT_JSON(value, NULL), "alias, triggers, conditions, actions, mode")),
    HAFT_OPTIONAL(HAFT_STRING(expected_hash, "Hash that get returned, for update and delete")));
HAFT_STRUCT(automation_config_result,
    HAFT_STRING(id, NULL),
    HAFT_OPTIONAL(HAFT_MAP(config, HAFT_JSON(value, NULL), NULL)),
    HAFT_OPTIONAL(HAFT_STRING(hash, NULL)),
    HAFT_OPTIONAL(HAFT_MAP(backup, HAFT_JSON(value, NULL), NULL)));

/* An object, by its members. */
struct config_object {
    const char **keys;
    haft_value **values;
    size_t n;
};

static void config_check_args(haft_refinement *refinement, const automation_config_args *in)
{
    bool writes = in->action == config_action_create || in->action == config_action_update;
    bool locks = in->action == config_action_update || in->action == config_action_delete;

    if (in->action != config_action_create && !in->has_automation_id)
        haft_refinement_add_issue(refinement, "automation_id", "needed, except for create");
    if (writes != in->has_config)
        haft_refinement_add_issue(refinement, "config",
                                  "needed for create and update, and only there");
    if (locks != in->has_expected_hash)
        haft_refinement_add_issue(refinement, "expected_hash",
                                  "needed for update and delete, and only there: call get first");
}
HAFT_REFINE(automation_config_args, config_check_args);

/* ---- the hash ---- */

struct config_member {
    haft_value *key, *value;
};

static int config_order(const void *left, const void *right)
{
    const struct config_member *l = left, *r = right;

    return strcmp(yyjson_get_str(l->key), yyjson_get_str(r->key));
}

/* Canonical JSON: members in the order of their names.  It nests no deeper than a message may. */
static void config_write(haft_arena *arena, haft_value *value, struct json_writer *w)
{
    size_t i, n, k = 0;
    haft_value *key, *item;
    struct config_member *members;

    if (yyjson_is_arr(value)) {
        hf_json_begin_array(w);
        yyjson_arr_foreach(value, i, n, item)
            config_write(arena, item, w);
        hf_json_end_array(w);
        return;
    }
    if (!yyjson_is_obj(value)) {
        hf_json_value(w, value);
        return;
    }
    members = haft_arena_alloc(arena, (yyjson_obj_size(value) + 1) * sizeof *members);
    if (!members) {
        w->out->status = HAFT_ENOMEM;
        return;
    }
    yyjson_obj_foreach(value, i, n, key, item)
        members[k++] = (struct config_member){key, item};
    qsort(members, k, sizeof *members, config_order);
    hf_json_begin_object(w);
    for (i = 0; i < k; i++) {
        hf_json_name(w, yyjson_get_str(members[i].key), yyjson_get_len(members[i].key));
        config_write(arena, members[i].value, w);
    }
    hf_json_end_object(w);
}

/* FNV-1a of the canonical JSON, 16 digits: it guards against accidents, and is the same in every process. */
static const char *config_hash(haft_call *call, haft_value *config)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, 16 << 20);
    config_write(haft_call_arena(call), config, &w);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    status = text.status;
    haft_buffer_finish(&text);
    return status ? NULL : haft_call_printf(call, "%016llx", (unsigned long long)hash);
}

/* ---- what Home Assistant has ---- */

/* The id of the configuration: that of an entity is an attribute. */
static int config_find_id(haft_call *call, const char *text, const char **ret_id)
{
    entity of;
    int status;

    *ret_id = text;
    if (strncmp(text, "automation.", 11) != 0) {
        if (!strchr(text, '.'))
            return 0;
        return home_fail(call, "%s is not an automation.", text);
    }
    status = hass_state(call, text, &of);
    if (status)
        return status;
    *ret_id = entity_text(&of, "id");
    return *ret_id ? 0
                   : home_fail(call, "%s has no id, so it is in a file and cannot be edited here.",
                               text);
}

static const char *config_path(haft_call *call, const char *id)
{
    const char *encoded = home_encode(call, id);

    return encoded ? haft_call_printf(call, "/api/config/automation/config/%s", encoded) : NULL;
}

/* *ret_config is NULL if there is none. */
static int config_get(haft_call *call, const char *path, haft_value **ret_config)
{
    struct hass_answer answer;
    int status = hass_request(call, "GET", path, NULL, "404", &answer);

    *ret_config = NULL;
    if (status || answer.status == 404)
        return status;
    status = hass_json(call, &answer, ret_config);
    if (!status && !yyjson_is_obj(*ret_config))
        status = home_fail(call, "Home Assistant did not send a configuration.");
    return status;
}

static int config_members(haft_call *call, haft_value *config, struct config_object *ret_object)
{
    size_t i, n, room = yyjson_obj_size(config) + 1;
    struct config_object object = {.keys = haft_call_alloc(call, room * sizeof *object.keys),
                                   .values = haft_call_alloc(call, room * sizeof *object.values)};
    haft_value *key, *value;

    if (!object.keys || !object.values)
        return HAFT_ENOMEM;
    yyjson_obj_foreach(config, i, n, key, value) {
        object.keys[object.n] = yyjson_get_str(key);
        object.values[object.n++] = value;
    }
    *ret_object = object;
    return 0;
}

static int config_keep_backup(haft_call *call, haft_value *config, automation_config_result *out)
{
    struct config_object object;
    int status = config_members(call, config, &object);

    if (status)
        return status;
    out->has_backup = true;
    out->n_backup = object.n;
    out->backup_keys = object.keys;
    out->backup = object.values;
    return 0;
}

/* The configuration as it is now. */
static int config_show(haft_call *call, haft_value *config, automation_config_result *out)
{
    struct config_object object;
    int status = config_members(call, config, &object);

    if (status)
        return status;
    out->has_config = out->has_hash = true;
    out->n_config = object.n;
    out->config_keys = object.keys;
    out->config = object.values;
    out->hash = config_hash(call, config);
    return out->hash ? 0 : HAFT_ENOMEM;
}

/* ---- checks of a new one ---- */

static haft_value *config_value(const automation_config_args *in, const char *key)
{
    for (size_t i = 0; i < in->n_config; i++)
        if (!strcmp(in->config_keys[i], key))
            return in->config[i];
    return NULL;
}

static int config_check_list(haft_call *call, const automation_config_args *in, const char *key,
                             const char *old, bool required)
{
    haft_value *value = config_value(in, key), *before = config_value(in, old);

    if (value && before)
        return home_fail(call, "config has both \"%s\" and \"%s\"; use \"%s\".", key, old, key);
    value = value ? value : before;
    if (!value && required && !config_value(in, "use_blueprint"))
        return home_fail(call, "config has no \"%s\".", key);
    if (value && !yyjson_is_arr(value) && !yyjson_is_obj(value) && !yyjson_is_str(value))
        return home_fail(call, "\"%s\" of config must be an array.", key);
    return 0;
}

static int config_check(haft_call *call, const automation_config_args *in, const char *id)
{
    static const char *const modes[] = {"single", "restart", "queued", "parallel"};
    haft_value *alias = config_value(in, "alias"), *mode = config_value(in, "mode"),
               *own = config_value(in, "id");
    bool known = !mode;
    int status;

    if (!yyjson_is_str(alias) || !yyjson_get_len(alias))
        return home_fail(call, "config needs an \"alias\", the name of the automation.");
    if (own && (!yyjson_is_str(own) || strcmp(yyjson_get_str(own), id) != 0))
        return home_fail(call,
                         "The id in config is not %s. Nothing was written, because that would "
                         "overwrite another automation.",
                         id);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        known = known || yyjson_equals_str(mode, modes[i]);
    if (!known)
        return home_fail(call, "\"mode\" of config must be single, restart, queued or parallel.");
    status = config_check_list(call, in, "triggers", "trigger", true);
    if (!status)
        status = config_check_list(call, in, "conditions", "condition", false);
    return status ? status : config_check_list(call, in, "actions", "action", true);
}

/* The parts that Home Assistant can check beforehand, by their new or old names. */
static const char *config_parts(haft_call *call, const automation_config_args *in, bool old,
                                bool *ret_any)
{
    static const char *const names[][2] = {
        {"triggers", "trigger"}, {"conditions", "condition"}, {"actions", "action"}};
    haft_buffer text;
    struct json_writer w = {.out = &text};
    const char *copy = NULL;

    *ret_any = false;
    haft_buffer_init(&text, NULL, CONFIG_MOST);
    hf_json_begin_object(&w);
    for (size_t i = 0; i < 3; i++) {
        haft_value *value = config_value(in, names[i][0]);

        value = value ? value : config_value(in, names[i][1]);
        if (!value)
            continue;
        *ret_any = true;
        hf_json_value(hf_json_name(&w, names[i][old], strlen(names[i][old])), value);
    }
    hf_json_end_object(&w);
    if (!text.status)
        copy = haft_arena_copy(haft_call_arena(call), text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

/* Versions before 2024.11 have the old names alone. */
static int config_validate(haft_call *call, const automation_config_args *in)
{
    bool any;
    const char *fields = config_parts(call, in, false, &any);
    haft_value *verdict, *key, *part;
    size_t i, n;
    int status;

    if (!fields)
        return HAFT_ENOMEM;
    if (!any)
        return 0;
    status = hass_command(call, "validate_config", fields, "invalid_format", &verdict);
    if (!status && !verdict) {
        fields = config_parts(call, in, true, &any);
        status =
            fields ? hass_command(call, "validate_config", fields, NULL, &verdict) : HAFT_ENOMEM;
    }
    if (status || !yyjson_is_obj(verdict))
        return status;
    yyjson_obj_foreach(verdict, i, n, key, part) {
        const char *error = home_member(part, "error");

        if (yyjson_is_false(yyjson_obj_get(part, "valid")))
            return home_fail(call, "Home Assistant does not accept the %s: %s", yyjson_get_str(key),
                             error ? error : "no reason was given");
    }
    return 0;
}

/* ---- actions ---- */

/* The configuration with its id, as JSON. */
static int config_body(haft_call *call, const automation_config_args *in, const char *id,
                       const char **ret_body)
{
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, CONFIG_MOST);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "id"), id);
    for (size_t i = 0; i < in->n_config; i++)
        if (strcmp(in->config_keys[i], "id") != 0)
            hf_json_value(hf_json_name(&w, in->config_keys[i], strlen(in->config_keys[i])),
                          in->config[i]);
    hf_json_end_object(&w);
    status = text.status;
    *ret_body = status ? NULL : haft_arena_copy(haft_call_arena(call), text.data, text.size);
    haft_buffer_finish(&text);
    if (status == HAFT_ETOOBIG)
        return home_fail(call, "The configuration is over %d KB.", CONFIG_MOST >> 10);
    return *ret_body ? 0 : HAFT_ENOMEM;
}

/* Writes it, and reads back what Home Assistant has made of it; with --entities a new automation may be
 * one that cannot be seen yet, so that what was sent is shown. */
static int config_put(haft_call *call, const automation_config_args *in, const char *id,
                      const char *path, automation_config_result *out)
{
    bool reads = in->action == config_action_update || !hass_is_filtered(call);
    struct hass_answer answer;
    haft_value *config = NULL;
    const char *body;
    int status = config_validate(call, in);

    if (!status)
        status = config_body(call, in, id, &body);
    if (!status)
        status = hass_request(call, "POST", path, body, NULL, &answer);
    if (!status && reads)
        status = config_get(call, path, &config);
    else if (!status)
        config = haft_json_read(body, strlen(body), 0, haft_call_arena(call), NULL);
    if (!status && !config)
        status =
            home_fail(call, "Home Assistant took the automation %s, but does not have it.", id);
    return status ? status : config_show(call, config, out);
}

static int config_expect(haft_call *call, const automation_config_args *in, const char *id,
                         haft_value *config)
{
    const char *hash = config_hash(call, config);

    if (!hash)
        return HAFT_ENOMEM;
    if (home_same_text(hash, in->expected_hash))
        return 0;
    return home_fail(call,
                     "The automation %s is not what was read: its hash is %s, not %s. Nothing was "
                     "changed; call get and look at it again.",
                     id, hash, in->expected_hash);
}

static int config_delete(haft_call *call, const char *id, const char *path, haft_value *config)
{
    const char *alias = home_member(config, "alias");
    struct hass_answer answer;
    int status = home_confirm(call, "delete automations", "Delete the automation %s (%s)?",
                              alias ? alias : "without a name", id);

    return status ? status : hass_request(call, "DELETE", path, NULL, NULL, &answer);
}

/* Acts on an existing configuration. */
static int config_act(haft_call *call, const automation_config_args *in, const char *path,
                      haft_value *config, automation_config_result *out)
{
    int status;

    if (in->action == config_action_get)
        return config_show(call, config, out);
    status = config_expect(call, in, out->id, config);
    if (!status)
        status = config_keep_backup(call, config, out);
    if (status)
        return status;
    return in->action == config_action_update ? config_put(call, in, out->id, path, out)
                                              : config_delete(call, out->id, path, config);
}

static int config_create(haft_call *call, const automation_config_args *in, const char *path,
                         automation_config_result *out)
{
    haft_value *config = NULL;
    int status = 0;

    if (!hass_is_filtered(call))
        status = config_get(call, path, &config);
    else if (in->has_automation_id) /* the answer would tell whether a hidden one has it */
        status = home_fail(
            call,
            "With --entities a new automation gets its id from haft: leave automation_id out.");
    if (!status && config)
        status = home_fail(call, "There is an automation %s already; use update.", out->id);
    return status ? status : config_put(call, in, out->id, path, out);
}

static int automation_config(haft_call *call, const automation_config_args *in,
                             automation_config_result *out)
{
    haft_value *config;
    const char *path;
    int status = 0;

    if (in->has_automation_id)
        status = config_find_id(call, in->automation_id, &out->id);
    else /* as the editor of Home Assistant makes one */
        out->id = haft_call_printf(call, "%lld", (long long)hass_now(call));
    if (!status && !out->id)
        status = HAFT_ENOMEM;
    if (!status && in->has_config)
        status = config_check(call, in, out->id);
    if (status)
        return status;
    path = config_path(call, out->id);
    if (!path)
        return HAFT_ENOMEM;
    if (in->action == config_action_create)
        return config_create(call, in, path, out);
    status = config_get(call, path, &config);
    if (status)
        return status;
    return config ? config_act(call, in, path, config, out)
                  : home_fail(call, "There is no automation with the id %s.", out->id);
}
HAFT_TOOL(
    automation_config, automation_config_args, automation_config_result,
    "Read or edit the configuration of an automation. The replaced configuration is returned as backup.",
    HOME_WRITES);
HOME_EXPORT(automation_config);
