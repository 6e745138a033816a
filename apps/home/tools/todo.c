/* todo - lists, adds and finishes items of a to-do list. */
#include <string.h>

#include "tools/records.h"

enum { TODO_CREATE = 1, TODO_DELETE = 2, TODO_UPDATE = 4, TODO_DATE = 16, TODO_DATETIME = 32 };
enum { TODO_MOST = 100, TODO_TEXT = 500 };

HAFT_ENUMERATION(todo_action, add, list, done, clear);
HAFT_STRUCT(todo_args,
    HAFT_ENUM(action, todo_action, "clear removes what is done"),
    HAFT_OPTIONAL(HAFT_STRING(item, "Text or uid", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(due, "Date or time, for add")),
    HAFT_OPTIONAL(HAFT_STRING(list, "Entity id")));
HAFT_STRUCT(todo_item,
    HAFT_STRING(summary, NULL),
    HAFT_BOOLEAN(done, NULL),
    HAFT_OPTIONAL(HAFT_STRING(uid, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(due, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(description, NULL)));
HAFT_STRUCT(todo_result,
    HAFT_STRING(list, NULL),
    HAFT_ARRAY(items, HAFT_OBJECT(item, todo_item, NULL), NULL),
    HAFT_INTEGER(total, NULL));

/* Of add_item and update_item. */
HAFT_STRUCT(todo_data,
    HAFT_STRING(item, "Item"),
    HAFT_OPTIONAL(HAFT_STRING(status, "Status")),
    HAFT_OPTIONAL(HAFT_STRING(due_date, "Date")),
    HAFT_OPTIONAL(HAFT_STRING(due_datetime, "Time")));
HAFT_STRUCT(todo_target,
    HAFT_STRING(entity_id, "List"));

static void todo_check(haft_refinement *refinement, const todo_args *in)
{
    bool needs = in->action == todo_action_add || in->action == todo_action_done;

    if (needs && !in->has_item)
        haft_refinement_add_issue(refinement, "item", "add and done need an item");
    if (!needs && in->has_item)
        haft_refinement_add_issue(refinement, "item", "only add and done take an item");
    if (in->action != todo_action_add && in->has_due)
        haft_refinement_add_issue(refinement, "due", "only add takes a due date");
}
HAFT_REFINE(todo_args, todo_check);

/* The named list, or else the only one. */
static int todo_choose(haft_call *call, const todo_args *in, entity *ret_list)
{
    const char *possible = NULL;
    struct hass_states states;
    const entity *found = NULL;
    size_t n = 0;
    int status;

    if (in->has_list)
        return hass_require(call, in->list, "todo", ret_list);
    status = hass_states(call, &states);
    for (size_t i = 0; !status && i < states.n; i++) {
        if (strcmp(states.at[i].domain, "todo") != 0)
            continue;
        found = &states.at[i];
        possible =
            n++ ? haft_call_printf(call, "%s, %s", possible, found->entity_id) : found->entity_id;
        if (!possible)
            status = HAFT_ENOMEM;
    }
    if (status)
        return status;
    if (n == 1)
        return hass_require(call, found->entity_id, "todo", ret_list);
    return n ? home_fail(call, "There are several to-do lists; say which in \"list\": %s.",
                         possible)
             : home_fail(call, "There is no to-do list.");
}

static int todo_change(haft_call *call, const todo_args *in, entity *list)
{
    bool has_time = in->has_due && strpbrk(in->due, "T:");
    todo_data data = {.item = in->item,
                      .has_status = in->action == todo_action_done,
                      .status = "completed",
                      .has_due_date = in->has_due && !has_time,
                      .due_date = in->due,
                      .has_due_datetime = has_time,
                      .due_datetime = in->due};
    const char *json;
    int status;

    if (in->action == todo_action_clear) {
        status = home_needs(call, list, TODO_DELETE, "does not let items be removed");
        if (!status)
            status = home_confirm(call, "clear a list", "Remove what is done from %s (%s)?",
                                  list->name, list->entity_id);
        return status ? status : hass_act(call, list, "remove_completed_items", NULL, list);
    }
    status = in->action == todo_action_add
                 ? home_needs(call, list, TODO_CREATE, "does not take new items")
                 : home_needs(call, list, TODO_UPDATE, "does not let items be changed");
    if (!status && in->has_due)
        status = home_needs(call, list, has_time ? TODO_DATETIME : TODO_DATE,
                            has_time ? "has no due times" : "has no due dates");
    if (status)
        return status;
    json = hass_data(call, &todo_data_type, &data);
    return json ? hass_act(call, list, in->action == todo_action_add ? "add_item" : "update_item",
                           json, list)
                : HAFT_EFAIL;
}

static int todo_text(haft_call *call, haft_value *item, const char *key, bool *ret_has,
                     const char **ret_text)
{
    haft_value *value = yyjson_obj_get(item, key);

    *ret_has = yyjson_is_str(value);
    if (!*ret_has)
        return 0;
    *ret_text = home_short(call, yyjson_get_str(value), yyjson_get_len(value), TODO_TEXT);
    return *ret_text ? 0 : HAFT_ENOMEM;
}

static int todo_read(haft_call *call, const entity *list, todo_result *out)
{
    struct hass_service service = {
        .domain = "todo", .service = "get_items", .wants_response = true};
    todo_target target = {.entity_id = list->entity_id};
    haft_value *response, *items, *item;
    size_t i, n;
    int status;

    service.data = hass_data(call, &todo_target_type, &target);
    status = service.data ? hass_call(call, &service, NULL, &response) : HAFT_EFAIL;
    if (status)
        return status;
    items = yyjson_obj_get(yyjson_obj_get(response, list->entity_id), "items");
    if (!yyjson_is_arr(items))
        return home_fail(call, "Home Assistant did not send the items of %s.", list->entity_id);
    out->items = haft_call_alloc(call, TODO_MOST * sizeof *out->items);
    if (!out->items)
        return HAFT_ENOMEM;
    yyjson_arr_foreach(items, i, n, item) {
        todo_item *to = &out->items[out->n_items];
        bool named;

        out->total++;
        if (out->n_items == TODO_MOST || !yyjson_is_obj(item))
            continue;
        *to = (todo_item){.summary = "",
                          .done = yyjson_equals_str(yyjson_obj_get(item, "status"), "completed")};
        if (todo_text(call, item, "summary", &named, &to->summary) ||
            todo_text(call, item, "uid", &to->has_uid, &to->uid) ||
            todo_text(call, item, "due", &to->has_due, &to->due) ||
            todo_text(call, item, "description", &to->has_description, &to->description))
            return HAFT_ENOMEM;
        out->n_items++;
    }
    return 0;
}

static int todo(haft_call *call, const todo_args *in, todo_result *out)
{
    entity list;
    int status = todo_choose(call, in, &list);

    out->list = status ? "" : list.entity_id;
    if (!status && in->action != todo_action_list)
        status = todo_change(call, in, &list);
    return status ? status : todo_read(call, &list, out);
}
HAFT_TOOL(todo, todo_args, todo_result,
          "Show, add or finish items of a to-do list. At most 100 are returned.", HOME_WRITES);
HOME_EXPORT(todo);
