/* shop_todo.c - a to-do list, as routes that are also tools. */
#include "shop.h"

HAFT_STRUCT(todo,
    HAFT_INTEGER(id, "Its number"),
    HAFT_STRING(title, "What is to be done"),
    HAFT_BOOLEAN(done, "Whether it is"));

static int show_todo(haft_call *call, const struct shop_todo *found, todo *out)
{
    out->id = (int64_t)found->number;
    out->title = haft_call_printf(call, "%s", found->title);
    out->done = found->done;
    return out->title ? 0 : HAFT_ENOMEM;
}

HAFT_STRUCT(list_args,
    HAFT_OPTIONAL(HAFT_BOOLEAN(done, "Only those that are done, or only the others")));
HAFT_STRUCT(todo_list, HAFT_ARRAY(todos, HAFT_OBJECT(one, todo, "One of them"), "What there is"));

static int list_todos(haft_call *call, const list_args *in, todo_list *out)
{
    struct shop_todo found;
    int status = 0;

    out->todos = haft_call_alloc(call, SHOP_TODOS * sizeof *out->todos);
    if (!out->todos)
        return HAFT_ENOMEM;
    for (size_t i = 0; !status && i < SHOP_TODOS && shop_todo_at(shop_here(), i, &found); i++)
        if (!in->has_done || in->done == found.done)
            status = show_todo(call, &found, &out->todos[out->n_todos++]);
    return status;
}
HAFT_ROUTE(list_todos, "GET", "/todos", list_args, todo_list, "List what is to be done",
           .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

/* A character has at most four bytes. */
HAFT_STRUCT(add_args,
    HAFT_STRING(title, "What is to be done", .min = 1, .max = (SHOP_NAME - 1) / 4));

static int add_todo(haft_call *call, const add_args *in, todo *out)
{
    struct shop_todo made;

    if (shop_todo_add(shop_here(), in->title, &made))
        return haft_problem(call, 409, "There are %d things to do already.", SHOP_TODOS);
    haft_response_set_status(call, 201);
    return show_todo(call, &made, out);
}
HAFT_ROUTE(add_todo, "POST", "/todos", add_args, todo, "Note down something that is to be done",
           .annotations = {.destructive = HAFT_NO, .open_world = HAFT_NO});

HAFT_STRUCT(set_args,
    HAFT_INTEGER(id, "Its number", .min = 1),
    HAFT_DEFAULT(HAFT_BOOLEAN(done, "Whether it is done"), true));

static int set_todo(haft_call *call, const set_args *in, todo *out)
{
    struct shop_todo found;

    if (!shop_todo_set(shop_here(), (uint64_t)in->id, in->done, &found))
        return haft_problem(call, 404, "There is nothing to do of number %lld.", (long long)in->id);
    return show_todo(call, &found, out);
}
HAFT_ROUTE(set_todo, "PATCH", "/todos/{id}", set_args, todo, "Say that something is done, or not",
           .annotations = {.destructive = HAFT_NO, .idempotent = HAFT_YES, .open_world = HAFT_NO});

HAFT_STRUCT(todo_key, HAFT_INTEGER(id, "Its number", .min = 1));

static int remove_todo(haft_call *call, const todo_key *in)
{
    if (!shop_todo_remove(shop_here(), (uint64_t)in->id))
        return haft_problem(call, 404, "There is nothing to do of number %lld.", (long long)in->id);
    return 0;
}
HAFT_ROUTE_IN(remove_todo, "DELETE", "/todos/{id}", todo_key, "Take something off the list",
              .annotations = {.destructive = HAFT_YES, .open_world = HAFT_NO});

const haft_route *const shop_todo_list[] = {
    &list_todos_route, &add_todo_route, &set_todo_route, &remove_todo_route, NULL,
};
