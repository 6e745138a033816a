/* bounds.c - detects bounds that no value can satisfy.
 *
 * In a declaration or a builder, a minimum of 5 with a maximum of 3 is a mistake and is reported
 * when the schema is created. In a document it is valid JSON Schema and accepted. */
#include "json/json.h"
#include "schema/model/node.h"

static bool bounds_leave_nothing(const struct check *low, const yyjson_val *from,
                                 const struct check *high, const yyjson_val *to)
{
    int order = hf_json_compare(from, to);

    return order > 0 || (order == 0 && ((low->op == CHECK_MIN && low->exclusive) ||
                                        (high->op == CHECK_MAX && high->exclusive)));
}

static bool numbers_cross(const struct check *low, const struct check *high)
{
    bool widths = low->op == CHECK_INT_FORMAT || low->op == CHECK_FLOAT_FORMAT;
    bool width = high->op == CHECK_INT_FORMAT || high->op == CHECK_FLOAT_FORMAT;

    return (low->op == CHECK_MIN || widths) && (high->op == CHECK_MAX || width) &&
           bounds_leave_nothing(low, &low->bound, high, width ? &high->bound2 : &high->bound);
}

static bool sizes_cross(const struct check *low, const struct check *high)
{
    static const struct {
        enum check_op min, max, exact;
    } sizes[] = {
        {CHECK_MIN_LENGTH, CHECK_MAX_LENGTH, CHECK_LENGTH},
        {CHECK_MIN_ITEMS, CHECK_MAX_ITEMS, CHECK_ITEMS},
        {CHECK_MIN_PROPERTIES, CHECK_MAX_PROPERTIES, CHECK_REFINE}, /* there is no exact check */
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if ((low->op == sizes[i].min || low->op == sizes[i].exact) &&
            (high->op == sizes[i].max || high->op == sizes[i].exact))
            return low->size > high->size;
    return false;
}

bool hf_node_bounds_cross(const struct node *node)
{
    for (size_t i = 0; i < node->n_checks; i++)
        for (size_t k = 0; k < node->n_checks; k++)
            if (numbers_cross(&node->checks[i], &node->checks[k]) ||
                sizes_cross(&node->checks[i], &node->checks[k]))
                return true;
    return false;
}
