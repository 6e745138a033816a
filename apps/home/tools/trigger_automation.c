/* trigger_automation - runs an automation now, and names the run, whose trace can be read. */
#include <string.h>

#include "tools/common.h"

HAFT_STRUCT(trigger_automation_args,
    HOME_ENTITY_ID,
    HAFT_DEFAULT(HAFT_BOOLEAN(skip_condition, "Run even if its conditions do not hold"), false));
HAFT_STRUCT(trigger_data,
    HAFT_BOOLEAN(skip_condition, "Skip conditions"));
HAFT_STRUCT(trigger_trace_fields,
    HAFT_STRING(domain, "Domain"),
    HAFT_STRING(item_id, "Id of the automation"));
HAFT_STRUCT(trigger_automation_result,
    HAFT_EXTENDS(entity),
    HAFT_OPTIONAL(HAFT_STRING(run_id, "Of trace_entity")));

/* The latest run of the automation; NULL if Home Assistant keeps no traces of it, or not for this token. */
static int trigger_latest_run(haft_call *call, const entity *automation, const char **ret_run)
{
    trigger_trace_fields fields = {.domain = "automation",
                                   .item_id = entity_text(automation, "id")};
    const char *json, *latest = "";
    haft_value *traces = NULL, *trace;
    size_t i, n;
    int status;

    *ret_run = NULL;
    if (!fields.item_id)
        return 0;
    json = hass_data(call, &trigger_trace_fields_type, &fields);
    if (!json)
        return HAFT_EFAIL;
    status = hass_command(call, "trace/list", json, "unauthorized", &traces);
    if (status || !yyjson_is_arr(traces))
        return status;
    yyjson_arr_foreach(traces, i, n, trace) {
        const char *start =
            yyjson_get_str(yyjson_obj_get(yyjson_obj_get(trace, "timestamp"), "start"));
        const char *run = yyjson_get_str(yyjson_obj_get(trace, "run_id"));

        if (start && run && strcmp(start, latest) >= 0) {
            latest = start;
            *ret_run = run;
        }
    }
    return 0;
}

static int trigger_automation(haft_call *call, const trigger_automation_args *in,
                              trigger_automation_result *out)
{
    trigger_data data = {.skip_condition = in->skip_condition};
    const char *json = hass_data(call, &trigger_data_type, &data), *before, *after;
    int status = json ? hass_require(call, in->entity_id, "automation", &out->base) : HAFT_EFAIL;

    if (!status)
        status = trigger_latest_run(call, &out->base, &before);
    if (!status)
        status = home_act(call, &out->base, "trigger", json, &out->base);
    if (!status)
        status = trigger_latest_run(call, &out->base, &after);
    if (status)
        return status;
    out->has_run_id = after && (!before || strcmp(before, after) != 0);
    out->run_id = after;
    return 0;
}
HAFT_TOOL(trigger_automation, trigger_automation_args, trigger_automation_result,
          "Run an automation now.", HOME_WRITES);
HOME_EXPORT(trigger_automation);
