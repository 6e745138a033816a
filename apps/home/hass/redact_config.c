/* redact_config.c - the configuration of an automation, as the model may read it.
 *
 * A step can name an area, a code or a device of a hidden entity without its id.  So what is shown is what may
 * also be written: a trigger, a condition or a step of which anything cannot be checked is "[hidden]". */
#include "hass/decide.h"
#include "hass/redact.h"

static void redact_config_part(struct hass *hass, haft_arena *arena, struct json_writer *w,
                               const char *key, yyjson_val *value)
{
    enum reach_verdict verdict = hass_decide_part(hass, arena, key, value);

    if (verdict == REACH_NO_MEMORY)
        w->out->status = HAFT_ENOMEM;
    else if (verdict)
        hf_json_text(w, "[hidden]");
    else
        hf_json_value(w, value);
}

/* With the lock held. */
static void redact_config_write(struct hass *hass, haft_arena *arena, yyjson_val *config,
                                struct json_writer *w)
{
    yyjson_val *name, *value, *item;
    size_t i, n, k, max;

    hf_json_begin_object(w);
    yyjson_obj_foreach(config, i, n, name, value) {
        const char *key = yyjson_get_str(name);

        hf_json_name(w, key, yyjson_get_len(name));
        if (!yyjson_is_arr(value)) {
            redact_config_part(hass, arena, w, key, value);
            continue;
        }
        hf_json_begin_array(w);
        yyjson_arr_foreach(value, k, max, item)
            redact_config_part(hass, arena, w, key, item);
        hf_json_end_array(w);
    }
    hf_json_end_object(w);
}

int hass_redact_config(struct hass *hass, haft_arena *arena, yyjson_val *config,
                       yyjson_val **ret_config)
{
    haft_buffer out;
    struct json_writer w = {.out = &out};
    const char *why;
    size_t at;
    int status;

    *ret_config = config;
    if (!hass->entities || !yyjson_is_obj(config))
        return 0;
    haft_buffer_init(&out, hass->allocator, 64 << 20);
    uv_mutex_lock(&hass->lock);
    redact_config_write(hass, arena, config, &w);
    uv_mutex_unlock(&hass->lock);
    status = out.status;
    if (!status)
        status = hf_json_parse(out.data, out.size, arena, ret_config, &at, &why);
    haft_buffer_finish(&out);
    return status;
}
