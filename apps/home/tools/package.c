/* package - what HACS, the community store, offers and has installed. */
#include <string.h>

#include "tools/records.h"

enum { PACKAGE_MOST = 50, PACKAGE_TEXT = 300 };

HAFT_ENUMERATION(package_action, list, install, uninstall, update);
HAFT_ENUMERATION(package_category, integration, plugin, theme, template, appdaemon, python_script);
HAFT_STRUCT(package_args,
    HAFT_ENUM(action, package_action, "list without a name: installed ones"),
    HAFT_ENUM(category, package_category, "Kind"),
    HAFT_OPTIONAL(HAFT_STRING(name, "owner/name; list: words to find", .min = 1)));
HAFT_STRUCT(package_item,
    HAFT_STRING(name, NULL),
    HAFT_BOOLEAN(installed, NULL),
    HAFT_OPTIONAL(HAFT_STRING(version, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(available, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(description, NULL)));
HAFT_STRUCT(package_result,
    HAFT_ARRAY(repositories, HAFT_OBJECT(item, package_item, NULL), NULL),
    HAFT_INTEGER(total, NULL));

HAFT_STRUCT(package_query,
    HAFT_ARRAY(categories, HAFT_STRING(item, "Kind"), "Kinds"));
HAFT_STRUCT(package_request,
    HAFT_STRING(repository, "Id"));

static void package_check(haft_refinement *refinement, const package_args *in)
{
    if (in->action != package_action_list && !in->has_name)
        haft_refinement_add_issue(refinement, "name", "every action but list needs a name");
}
HAFT_REFINE(package_args, package_check);

static int package_ask(haft_call *call, const char *type, const char *fields,
                       haft_value **ret_result)
{
    int status =
        fields ? hass_command(call, type, fields, "unknown_command", ret_result) : HAFT_EFAIL;

    if (!status && !*ret_result)
        status = home_fail(call, "HACS is not installed in this Home Assistant.");
    return status;
}

/* All repositories of the category, an array. */
static int package_read(haft_call *call, const package_args *in, haft_value **ret_list)
{
    const char *category = HOME_NAME(package_category, in->category);
    package_query query = {.n_categories = 1, .categories = &category};
    int status = package_ask(call, "hacs/repositories/list",
                             hass_data(call, &package_query_type, &query), ret_list);

    if (!status && !yyjson_is_arr(*ret_list))
        status = home_fail(call, "HACS did not send its repositories.");
    return status;
}

/* ---- which ---- */

/* Whether a text has a part, ignoring case. */
static bool package_has(const char *text, const char *part)
{
    size_t n = text ? strlen(text) : 0, size = strlen(part);

    for (size_t i = 0; i + size <= n; i++) {
        size_t k = 0;

        while (k < size && (text[i + k] | ('a' - 'A')) == (part[k] | ('a' - 'A')))
            k++;
        if (k == size)
            return true;
    }
    return false;
}

static bool package_is_listed(const package_args *in, haft_value *of)
{
    if (!in->has_name)
        return yyjson_is_true(yyjson_obj_get(of, "installed"));
    return package_has(home_member(of, "full_name"), in->name) ||
           package_has(home_member(of, "name"), in->name) ||
           package_has(home_member(of, "description"), in->name);
}

/* Only a whole name is acted on. */
static int package_choose(haft_call *call, const package_args *in, haft_value *list,
                          haft_value **ret_one)
{
    const char *similar = NULL;
    haft_value *item;
    size_t i, n, found = 0;

    yyjson_arr_foreach(list, i, n, item) {
        const char *name = home_member(item, "full_name");

        if (name && home_same_text(name, in->name)) {
            *ret_one = item;
            return 0;
        }
        if (!name || !package_has(name, in->name) || found++ >= 5)
            continue;
        similar = similar ? haft_call_printf(call, "%s, %s", similar, name) : name;
        if (!similar)
            return HAFT_ENOMEM;
    }
    return home_fail(
        call, "HACS has no %s \"%s\".%s%s%s", HOME_NAME(package_category, in->category), in->name,
        similar ? " Similar: " : " Use the whole name, owner/name", similar ? similar : "", ".");
}

/* ---- the result ---- */

static int package_member(haft_call *call, haft_value *from, const char *key, bool *ret_has,
                          const char **ret_text)
{
    const char *text = home_member(from, key);

    *ret_has = text && *text;
    *ret_text = *ret_has ? home_short(call, text, strlen(text), PACKAGE_TEXT) : NULL;
    return *ret_has && !*ret_text ? HAFT_ENOMEM : 0;
}

static int package_add(haft_call *call, haft_value *from, package_result *out)
{
    package_item *to = &out->repositories[out->n_repositories];
    bool named;

    *to = (package_item){.installed = yyjson_is_true(yyjson_obj_get(from, "installed"))};
    if (package_member(call, from, "full_name", &named, &to->name) ||
        package_member(call, from, "installed_version", &to->has_version, &to->version) ||
        package_member(call, from, "available_version", &to->has_available, &to->available) ||
        package_member(call, from, "description", &to->has_description, &to->description))
        return HAFT_ENOMEM;
    out->n_repositories += named;
    return 0;
}

static int package_list(haft_call *call, const package_args *in, haft_value *list,
                        package_result *out)
{
    haft_value *item;
    size_t i, n;
    int status;

    yyjson_arr_foreach(list, i, n, item) {
        if (!package_is_listed(in, item))
            continue;
        out->total++;
        if (out->n_repositories < PACKAGE_MOST && (status = package_add(call, item, out)))
            return status;
    }
    return 0;
}

/* Ids are numbers in text, and in older versions of HACS numbers. */
static const char *package_id(haft_call *call, haft_value *one)
{
    haft_value *id = yyjson_obj_get(one, "id");

    return yyjson_is_str(id) ? yyjson_get_str(id)
                             : haft_call_printf(call, "%lld", (long long)yyjson_get_sint(id));
}

static int package_change(haft_call *call, const package_args *in, haft_value *list,
                          package_result *out)
{
    bool removes = in->action == package_action_uninstall;
    package_request request = {.repository = NULL};
    haft_value *one, *result;
    int status = package_choose(call, in, list, &one);

    if (status)
        return status;
    if (in->action != package_action_install && !yyjson_is_true(yyjson_obj_get(one, "installed")))
        return home_fail(call, "%s is not installed.", home_member(one, "full_name"));
    status = home_confirm(call, "change packages", "%s %s by HACS?",
                          removes                               ? "Remove"
                          : in->action == package_action_update ? "Update"
                                                                : "Install",
                          home_member(one, "full_name"));
    if (status)
        return status;
    request.repository = package_id(call, one);
    if (!request.repository)
        return HAFT_ENOMEM;
    status = package_ask(call, removes ? "hacs/repository/remove" : "hacs/repository/download",
                         hass_data(call, &package_request_type, &request), &result);
    if (!status)
        status = package_read(call, in, &list);
    if (!status)
        status = package_choose(call, in, list, &one);
    out->total = 1;
    return status ? status : package_add(call, one, out);
}

static int package(haft_call *call, const package_args *in, package_result *out)
{
    haft_value *list;
    int status = package_read(call, in, &list);

    out->repositories = haft_call_alloc(call, PACKAGE_MOST * sizeof *out->repositories);
    if (!status && !out->repositories)
        status = HAFT_ENOMEM;
    if (status)
        return status;
    return in->action == package_action_list ? package_list(call, in, list, out)
                                             : package_change(call, in, list, out);
}
HAFT_TOOL(package, package_args, package_result,
          "Find or manage packages of HACS. The user may be asked.", HOME_WRITES);
HOME_EXPORT(package);
