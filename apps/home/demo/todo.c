/* todo.c - to-do lists: items are records of JSON, and the state is the number of those that are open. */
#include "demo/command.h"

static const struct demo_field todo_add_fields[] = {
    {.name = "item", .kind = FIELD_TEXT, .required = true},
    {.name = "due_date", .kind = FIELD_TIME},
    {.name = "due_datetime", .kind = FIELD_TIME},
    {.name = "description", .kind = FIELD_TEXT},
};
static const struct demo_field todo_update_fields[] = {
    {.name = "item", .kind = FIELD_TEXT, .required = true},
    {.name = "rename", .kind = FIELD_TEXT},
    {.name = "status", .kind = FIELD_CHOICE, .choices = "needs_action,completed"},
    {.name = "due_date", .kind = FIELD_TIME},
    {.name = "due_datetime", .kind = FIELD_TIME},
    {.name = "description", .kind = FIELD_TEXT},
};
static const struct demo_field todo_remove_fields[] = {
    {.name = "item", .kind = FIELD_TEXTS, .required = true}};
static const struct demo_field todo_get_fields[] = {{.name = "status", .kind = FIELD_TEXTS}};

/* A list as it is changed. */
struct todo_list {
    yyjson_alc alc;
    yyjson_mut_doc *doc;
    yyjson_mut_val *root, *items;
};

static int todo_open(struct todo_list *list, struct demo *demo, const char *id)
{
    haft_value *record = demo_record_value(demo, DEMO_LISTS, id);

    list->doc = yyjson_mut_doc_new(demo_alc(demo, &list->alc));
    list->root = list->doc && record ? yyjson_val_mut_copy(list->doc, record) : NULL;
    list->items = yyjson_mut_obj_get(list->root, "items");
    return list->items ? 0 : HAFT_ENOMEM;
}

/* Writes the list back, and the number of open items as the state. */
static int todo_save(struct todo_list *list, struct demo_call *call, struct demo_entity *entity)
{
    struct demo *demo = call->demo;
    char *json = yyjson_mut_val_write_opts(list->root, 0, &list->alc, NULL, NULL), number[32];
    yyjson_mut_arr_iter iter;
    yyjson_mut_val *item;
    int open = 0;

    yyjson_mut_arr_iter_init(list->items, &iter);
    while ((item = yyjson_mut_arr_iter_next(&iter)))
        open += yyjson_mut_equals_str(yyjson_mut_obj_get(item, "status"), "needs_action");
    if (!json || demo_record_put(demo, DEMO_LISTS, entity->id, json))
        return HAFT_ENOMEM;
    snprintf(number, sizeof number, "%d", open);
    demo_tell_todo(demo, entity->id);
    return demo_set_state(call, entity, number);
}

static yyjson_mut_val *todo_find(struct todo_list *list, const char *name)
{
    yyjson_mut_arr_iter iter;
    yyjson_mut_val *item;

    yyjson_mut_arr_iter_init(list->items, &iter);
    while ((item = yyjson_mut_arr_iter_next(&iter)))
        if (yyjson_mut_equals_str(yyjson_mut_obj_get(item, "uid"), name) ||
            yyjson_mut_equals_str(yyjson_mut_obj_get(item, "summary"), name))
            return item;
    return NULL;
}

static int todo_put(struct todo_list *list, yyjson_mut_val *item, const char *name,
                    const char *text)
{
    yyjson_mut_obj_remove_key(item, name);
    return yyjson_mut_obj_add_val(list->doc, item, name, yyjson_mut_strcpy(list->doc, text))
               ? 0
               : HAFT_ENOMEM;
}

/* What add_item and update_item have in common. */
static int todo_put_details(struct todo_list *list, yyjson_mut_val *item, haft_value *data)
{
    const char *due = demo_text(data, "due_date"), *description = demo_text(data, "description");

    due = due ? due : demo_text(data, "due_datetime");
    if (due && todo_put(list, item, "due", due))
        return HAFT_ENOMEM;
    return description ? todo_put(list, item, "description", description) : 0;
}

static int todo_add(struct demo_call *call, struct demo_entity *entity)
{
    const char *summary = demo_text(call->data, "item");
    char uid[DEMO_UUID + 1];
    struct todo_list list;
    yyjson_mut_val *item;

    if (!summary || !*summary)
        return demo_fail(call, DEMO_INVALID, NULL,
                         "length of value must be at least 1 for dictionary value @ data['item']");
    if (todo_open(&list, call->demo, entity->id))
        return HAFT_ENOMEM;
    demo_uuid(call->demo, uid);
    item = yyjson_mut_obj(list.doc);
    if (!item || todo_put(&list, item, "summary", summary) || todo_put(&list, item, "uid", uid) ||
        todo_put(&list, item, "status", "needs_action") ||
        todo_put_details(&list, item, call->data) || !yyjson_mut_arr_append(list.items, item))
        return HAFT_ENOMEM;
    return todo_save(&list, call, entity);
}

static int todo_missing(struct demo_call *call, const char *name)
{
    return demo_fail(call, DEMO_VALIDATION, "item_not_found", "Unable to find to-do list item: %s",
                     name ? name : "");
}

static int todo_update(struct demo_call *call, struct demo_entity *entity)
{
    const char *name = demo_text(call->data, "item"), *rename = demo_text(call->data, "rename");
    const char *status = demo_text(call->data, "status");
    struct todo_list list;
    yyjson_mut_val *item;

    if (yyjson_obj_size(call->data) < 3 && !rename && !status &&
        !yyjson_obj_get(call->data, "due_date") && !yyjson_obj_get(call->data, "due_datetime") &&
        !yyjson_obj_get(call->data, "description"))
        return demo_fail(call, DEMO_INVALID, NULL,
                         "must contain at least one of rename, status, due_date, due_datetime, "
                         "description.");
    if (todo_open(&list, call->demo, entity->id))
        return HAFT_ENOMEM;
    item = todo_find(&list, name ? name : "");
    if (!item)
        return todo_missing(call, name);
    if ((rename && todo_put(&list, item, "summary", rename)) ||
        (status && todo_put(&list, item, "status", status)) ||
        todo_put_details(&list, item, call->data))
        return HAFT_ENOMEM;
    return todo_save(&list, call, entity);
}

static void todo_take_out(struct todo_list *list, const yyjson_mut_val *gone, const char *status)
{
    yyjson_mut_arr_iter iter;
    yyjson_mut_val *item;

    yyjson_mut_arr_iter_init(list->items, &iter);
    while ((item = yyjson_mut_arr_iter_next(&iter)))
        if (item == gone ||
            (status && yyjson_mut_equals_str(yyjson_mut_obj_get(item, "status"), status)))
            yyjson_mut_arr_iter_remove(&iter);
}

static int todo_remove(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *names = yyjson_obj_get(call->data, "item");
    size_t n = yyjson_is_arr(names) ? yyjson_arr_size(names) : 1;
    struct todo_list list;

    if (todo_open(&list, call->demo, entity->id))
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const char *name = yyjson_get_str(yyjson_is_arr(names) ? yyjson_arr_get(names, i) : names);
        yyjson_mut_val *item = name ? todo_find(&list, name) : NULL;

        if (!item)
            return todo_missing(call, name);
        todo_take_out(&list, item, NULL);
    }
    return todo_save(&list, call, entity);
}

static int todo_remove_completed(struct demo_call *call, struct demo_entity *entity)
{
    struct todo_list list;

    if (todo_open(&list, call->demo, entity->id))
        return HAFT_ENOMEM;
    todo_take_out(&list, NULL, "completed");
    return todo_save(&list, call, entity);
}

static void todo_write_items(struct json_writer *w, haft_value *record, haft_value *statuses)
{
    haft_value *items = yyjson_obj_get(record, "items");

    hf_json_begin_object(w);
    hf_json_begin_array(json_key(w, "items"));
    for (size_t i = 0; i < yyjson_arr_size(items); i++) {
        const char *status = demo_text(yyjson_arr_get(items, i), "status");

        if (!statuses || (status && demo_lists(statuses, status)))
            hf_json_value(w, yyjson_arr_get(items, i));
    }
    hf_json_end_array(w);
    hf_json_end_object(w);
}

/* The lists of several entities are members of one response. */
static int todo_get(struct demo_call *call, struct demo_entity *entity)
{
    struct demo *demo = call->demo;
    haft_value *record = demo_record_value(demo, DEMO_LISTS, entity->id);
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    if (!record)
        return HAFT_ENOMEM;
    hf_json_begin_object(&w);
    if (call->response)
        hf_json_raw_members(&w, call->response + 1, strlen(call->response) - 2);
    hf_json_name(&w, entity->id, strlen(entity->id));
    todo_write_items(&w, record, yyjson_obj_get(call->data, "status"));
    hf_json_end_object(&w);
    call->response = demo_take(demo, &out);
    return call->response ? 0 : HAFT_ENOMEM;
}

const struct demo_service demo_services_todo[] = {
    {"add_item", "Adds a new to-do list item.", todo_add, SERVICE_TARGET, 1,
     SERVICE_FIELDS(todo_add_fields)},
    {"update_item", "Updates an existing to-do list item.", todo_update, SERVICE_TARGET, 4,
     SERVICE_FIELDS(todo_update_fields)},
    {"remove_item", "Removes an existing to-do list item.", todo_remove, SERVICE_TARGET, 2,
     SERVICE_FIELDS(todo_remove_fields)},
    {"remove_completed_items", "Removes all to-do list items that have been completed.",
     todo_remove_completed, SERVICE_TARGET, 2, NULL, 0},
    {"get_items", "Gets items on a to-do list.", todo_get, SERVICE_TARGET | SERVICE_RESPONDS_ONLY,
     0, SERVICE_FIELDS(todo_get_fields)},
    {0},
};

/* ---- commands ---- */

static char *todo_json(struct demo *demo, const char *id)
{
    haft_value *record = demo_record_value(demo, DEMO_LISTS, id);
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    if (!record)
        out.status = HAFT_ENOMEM;
    todo_write_items(&w, record, NULL);
    return demo_take(demo, &out);
}

void demo_tell_todo(struct demo *demo, const char *entity_id)
{
    for (struct demo_session *session = demo->sessions; session; session = session->next)
        for (struct demo_subscription *at = session->subscriptions; at; at = at->next)
            if (at->kind == DEMO_ON_TODO && !strcmp(at->what, entity_id)) {
                char *json = todo_json(demo, entity_id);

                if (json)
                    demo_send_event(session, at->id, json);
                else
                    demo_end(session);
            }
}

/* The list that the command is about; NULL with the error sent. */
static const char *todo_subject(struct demo_command *command)
{
    const char *id = demo_text(command->message, "entity_id");

    if (demo_record(command->demo, DEMO_LISTS, id) && demo_find(command->demo, id))
        return id;
    demo_error(command,
               !strcmp(command->type, "todo/item/subscribe") ? "invalid_entity_id" : "not_found",
               !strcmp(command->type, "todo/item/subscribe")
                   ? demo_complain(command->demo, "To-do list entity not found: %s", id)
                   : "Entity not found");
    return NULL;
}

static void todo_item_list(struct demo_command *command)
{
    const char *id = todo_subject(command);

    if (id)
        demo_result_json(command, todo_json(command->demo, id));
}

static void todo_item_subscribe(struct demo_command *command)
{
    const char *id = todo_subject(command);
    char *json = id ? todo_json(command->demo, id) : NULL;

    if (!id)
        return;
    if (!json || demo_subscribe(command->session, command->id, DEMO_ON_TODO, id)) {
        demo_error_subscribe(command);
        return;
    }
    demo_result_null(command);
    demo_send_event(command->session, command->id, json);
}

static void todo_item_move(struct demo_command *command)
{
    struct demo *demo = command->demo;
    const char *id = todo_subject(command), *uid = demo_text(command->message, "uid");
    const char *previous = demo_text(command->message, "previous_uid");
    struct demo_call call = {.demo = demo};
    struct todo_list list;
    yyjson_mut_val *item, *after;
    size_t place = 0;

    if (!id)
        return;
    if (todo_open(&list, demo, id)) {
        demo_error_memory(command);
        return;
    }
    item = todo_find(&list, uid);
    after = previous ? todo_find(&list, previous) : NULL;
    if (!item || (previous && !after)) {
        demo_error(
            command, "failed",
            demo_complain(demo, "Item '%s' not found in todo list %s", item ? previous : uid, id));
        return;
    }
    todo_take_out(&list, item, NULL);
    while (after && yyjson_mut_arr_get(list.items, place) != after)
        place++;
    demo_context_new(demo, NULL, true, &call.context);
    if (!yyjson_mut_arr_insert(list.items, item, after ? place + 1 : 0) ||
        todo_save(&list, &call, demo_find(demo, id)))
        demo_error_memory(command);
    else
        demo_result_null(command);
}

static const struct demo_field todo_entity_fields[] = {
    {.name = "entity_id", .kind = FIELD_ENTITY, .required = true}};
static const struct demo_field todo_move_fields[] = {
    {.name = "entity_id", .kind = FIELD_ENTITY, .required = true},
    {.name = "uid", .kind = FIELD_TEXT, .required = true},
    {.name = "previous_uid", .kind = FIELD_TEXT}};

const struct demo_command_row demo_commands_todo[] = {
    {"todo/item/list", todo_item_list, COMMAND_FIELDS(todo_entity_fields)},
    {"todo/item/subscribe", todo_item_subscribe, COMMAND_FIELDS(todo_entity_fields)},
    {"todo/item/move", todo_item_move, COMMAND_FIELDS(todo_move_fields)},
    {0},
};
