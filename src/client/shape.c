/* shape.c - checks a value against its shape.
 *
 * The recursion is bounded by the tables, regardless of the value. */
#include "client/shape.h"

#include <stdio.h>
#include <string.h>

/* The path of the current value; truncated if it is too long.  Only a walk that is known to find a
 * fault keeps it. */
struct shape_walk {
    haft_reason *reason;
    bool keeps_path;
    char path[sizeof((haft_reason *)0)->path];
    size_t size;
};

static int shape_check_value(struct shape_walk *walk, const struct shape *shape, yyjson_val *value);

/* Appends a step to the path; returns its previous length. */
static size_t shape_enter(struct shape_walk *walk, const char *format, ...) HAFT_PRINTF_(2, 3);
static size_t shape_enter(struct shape_walk *walk, const char *format, ...)
{
    size_t before = walk->size, room = sizeof walk->path - before;
    va_list args;
    int n;

    if (!walk->keeps_path)
        return before;
    va_start(args, format);
    n = vsnprintf(walk->path + before, room, format, args);
    va_end(args);
    walk->size += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    return before;
}

static void shape_leave(struct shape_walk *walk, size_t before)
{
    walk->size = before;
    walk->path[before] = '\0';
}

static size_t shape_enter_member(struct shape_walk *walk, const char *name)
{
    return shape_enter(walk, "%s%s", walk->size ? "." : "", name);
}

static const char *shape_type_text(yyjson_val *value)
{
    return yyjson_is_null(value)   ? "null"
           : yyjson_is_bool(value) ? "a boolean"
           : yyjson_is_num(value)  ? "a number"
           : yyjson_is_str(value)  ? "a string"
           : yyjson_is_arr(value)  ? "an array"
                                   : "an object";
}

static bool shape_fits(enum shape_type type, yyjson_val *value)
{
    switch (type) {
    case SHAPE_OBJECT:
        return yyjson_is_obj(value);
    case SHAPE_ARRAY:
        return yyjson_is_arr(value);
    case SHAPE_STRING:
        return yyjson_is_str(value);
    case SHAPE_BOOLEAN:
        return yyjson_is_bool(value);
    case SHAPE_INTEGER:
        return yyjson_is_int(value);
    }
    return false;
}

static int shape_check_members(struct shape_walk *walk, const struct shape_member *member,
                               yyjson_val *object)
{
    int status = 0;

    for (; member && member->name && !status; member++) {
        yyjson_val *value = yyjson_obj_get(object, member->name);
        size_t before;

        if (!member->required && (!value || yyjson_is_null(value)))
            continue;
        before = shape_enter_member(walk, member->name);
        status = shape_check_value(walk, member->shape, value);
        shape_leave(walk, before);
    }
    return status;
}

static int shape_check_case(struct shape_walk *walk, const struct shape_case *one,
                            yyjson_val *object)
{
    yyjson_val *type = yyjson_obj_get(object, "type");

    while (one && one->type && !yyjson_equals_str(type, one->type))
        one++;
    return one ? shape_check_members(walk, one->members, object) : 0;
}

static int shape_check_each(struct shape_walk *walk, const struct shape *shape, yyjson_val *value)
{
    yyjson_val *key, *one;
    size_t i, n, before;
    int status = 0;

    yyjson_arr_foreach(value, i, n, one) {
        before = shape_enter(walk, "[%zu]", i);
        status = shape_check_value(walk, shape, one);
        shape_leave(walk, before);
        if (status)
            return status;
    }
    yyjson_obj_foreach(value, i, n, key, one) {
        before = shape_enter_member(walk, yyjson_get_str(key));
        status = shape_check_value(walk, shape, one);
        shape_leave(walk, before);
        if (status)
            return status;
    }
    return 0;
}

static int shape_check_value(struct shape_walk *walk, const struct shape *shape, yyjson_val *value)
{
    static const char *const names[] = {
        [SHAPE_OBJECT] = "an object",  [SHAPE_ARRAY] = "an array",     [SHAPE_STRING] = "a string",
        [SHAPE_BOOLEAN] = "a boolean", [SHAPE_INTEGER] = "an integer",
    };
    int status;

    if (!value)
        return hf_error_set(walk->reason, HAFT_EINVAL, walk->path, "is missing");
    if (!shape_fits(shape->type, value))
        return hf_error_set(walk->reason, HAFT_EINVAL, walk->path, "must be %s, not %s",
                            names[shape->type], shape_type_text(value));
    status = shape_check_members(walk, shape->members, value);
    if (!status)
        status = shape_check_case(walk, shape->cases, value);
    if (!status && shape->each)
        status = shape_check_each(walk, shape->each, value);
    return status;
}

int hf_shape_check(const struct shape *shape, yyjson_val *value, const char *path,
                   haft_reason *reterr_reason)
{
    struct shape_walk walk = {.reason = NULL};
    int status = shape_check_value(&walk, shape, value);

    if (!status || !reterr_reason)
        return status;
    walk.reason = reterr_reason;
    walk.keeps_path = true;
    shape_enter(&walk, "%s", path);
    return shape_check_value(&walk, shape, value);
}
