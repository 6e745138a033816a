/* addon - add-ons of Home Assistant OS, by its Supervisor. */
#include <string.h>

#include "tools/records.h"

enum { ADDON_MOST = 100, ADDON_TEXT = 300 };

HAFT_ENUMERATION(addon_action, list, info, start, stop, restart, install, update, uninstall);
HAFT_STRUCT(addon_args,
    HAFT_ENUM(action, addon_action, "What to do"),
    HAFT_OPTIONAL(HAFT_STRING(slug, "Which")));
HAFT_STRUCT(addon_item,
    HAFT_STRING(slug, NULL),
    HAFT_STRING(name, NULL),
    HAFT_OPTIONAL(HAFT_STRING(state, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(version, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(version_latest, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(description, NULL)));
HAFT_STRUCT(addon_result,
    HAFT_ARRAY(addons, HAFT_OBJECT(item, addon_item, NULL), NULL));

HAFT_STRUCT(supervisor_request,
    HAFT_STRING(endpoint, "Path"),
    HAFT_STRING(method, "Method"),
    HAFT_OPTIONAL(HAFT_INTEGER(timeout, "Seconds")));

/* A slug is part of a path: nothing but letters, digits, '_' and '-'. */
static void addon_check(haft_refinement *refinement, const addon_args *in)
{
    if (in->action != addon_action_list && !in->has_slug)
        haft_refinement_add_issue(refinement, "slug", "every action but list needs a slug");
    if (in->has_slug &&
        in->slug[strspn(in->slug,
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")])
        haft_refinement_add_issue(refinement, "slug", "a slug is like core_ssh");
}
HAFT_REFINE(addon_args, addon_check);

static int addon_ask(haft_call *call, const char *method, const char *endpoint,
                     haft_value **ret_result)
{
    bool posts = !strcmp(method, "post");
    supervisor_request request = {
        .endpoint = endpoint, .method = method, .has_timeout = posts, .timeout = 600};
    const char *fields = endpoint ? hass_data(call, &supervisor_request_type, &request) : NULL;
    int status;

    if (!endpoint)
        return HAFT_ENOMEM;
    status = fields ? hass_command(call, "supervisor/api", fields, "unknown_command", ret_result)
                    : HAFT_EFAIL;
    if (!status && !*ret_result)
        status = home_fail(call, "There is no Supervisor here. Add-ons need Home Assistant OS.");
    return status;
}

static int addon_member(haft_call *call, haft_value *from, const char *key, bool *ret_has,
                        const char **ret_text)
{
    const char *text = home_member(from, key);

    *ret_has = text;
    *ret_text = text ? home_short(call, text, strlen(text), ADDON_TEXT) : NULL;
    return text && !*ret_text ? HAFT_ENOMEM : 0;
}

static int addon_add(haft_call *call, haft_value *from, addon_result *out)
{
    addon_item *to = &out->addons[out->n_addons];
    bool named;

    *to = (addon_item){.slug = NULL};
    if (addon_member(call, from, "slug", &named, &to->slug) ||
        addon_member(call, from, "name", &named, &to->name) ||
        addon_member(call, from, "state", &to->has_state, &to->state) ||
        addon_member(call, from, "version", &to->has_version, &to->version) ||
        addon_member(call, from, "version_latest", &to->has_version_latest, &to->version_latest) ||
        addon_member(call, from, "description", &to->has_description, &to->description))
        return HAFT_ENOMEM;
    if (to->slug)
        out->n_addons++;
    to->name = to->name ? to->name : to->slug;
    return 0;
}

static int addon_list(haft_call *call, addon_result *out)
{
    haft_value *result, *list, *item;
    size_t i, n;
    int status = addon_ask(call, "get", "/addons", &result);

    list = status ? NULL : yyjson_obj_get(result, "addons");
    if (!status && !yyjson_is_arr(list))
        status = home_fail(call, "The Supervisor did not send its add-ons.");
    if (status)
        return status;
    yyjson_arr_foreach(list, i, n, item)
        if (out->n_addons < ADDON_MOST && (status = addon_add(call, item, out)))
            break;
    return status;
}

static int addon_change(haft_call *call, const addon_args *in)
{
    const char *action = HOME_NAME(addon_action, in->action), *path;
    haft_value *result;
    int status = in->action == addon_action_start
                     ? 0
                     : home_confirm(call, "change add-ons", "%c%s the add-on %s?",
                                    action[0] - 'a' + 'A', action + 1, in->slug);

    if (status)
        return status;
    path = in->action == addon_action_install || in->action == addon_action_update
               ? haft_call_printf(call, "/store/addons/%s/%s", in->slug, action)
               : haft_call_printf(call, "/addons/%s/%s", in->slug, action);
    return addon_ask(call, "post", path, &result);
}

/* After a change the add-on is read back. */
static int addon(haft_call *call, const addon_args *in, addon_result *out)
{
    haft_value *result;
    int status = 0;

    out->addons = haft_call_alloc(call, ADDON_MOST * sizeof *out->addons);
    if (!out->addons)
        return HAFT_ENOMEM;
    if (in->action == addon_action_list)
        return addon_list(call, out);
    if (in->action != addon_action_info)
        status = addon_change(call, in);
    if (!status && in->action == addon_action_uninstall)
        return addon_list(call, out);
    if (!status)
        status =
            addon_ask(call, "get", haft_call_printf(call, "/addons/%s/info", in->slug), &result);
    return status ? status : addon_add(call, result, out);
}
HAFT_TOOL(addon, addon_args, addon_result,
          "List or manage add-ons of Home Assistant OS. The user may be asked.", HOME_WRITES);
HOME_EXPORT(addon);
