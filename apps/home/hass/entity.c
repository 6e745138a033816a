/* entity.c - looking at the attributes of an entity. */
#include "hass/hass.h"
#include "json/json.h"

haft_value *entity_attribute(const entity *of, const char *name)
{
    for (size_t i = 0; i < of->n_attributes; i++)
        if (!strcmp(of->attributes_keys[i], name))
            return of->attributes[i];
    return NULL;
}

double entity_number(const entity *of, const char *name, double otherwise)
{
    haft_value *value = entity_attribute(of, name);

    return value && yyjson_is_num(value) ? yyjson_get_num(value) : otherwise;
}

const char *entity_text(const entity *of, const char *name)
{
    return yyjson_get_str(entity_attribute(of, name));
}

bool entity_supports(const entity *of, unsigned feature)
{
    haft_value *value = entity_attribute(of, "supported_features");

    return yyjson_is_uint(value) && (yyjson_get_uint(value) & feature) == feature;
}

bool entity_lists(const entity *of, const char *name, const char *value)
{
    haft_value *array = entity_attribute(of, name), *item;
    size_t i, max;

    yyjson_arr_foreach(array, i, max, item)
        if (yyjson_equals_str(item, value))
            return true;
    return false;
}
