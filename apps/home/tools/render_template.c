/* render_template - has Home Assistant render a template in its language, Jinja.  Such a template reads
 * everything, so the tool is off unless the operator wants it, and is not offered with --entities. */
#include <string.h>

#include "tools/records.h"

enum { RENDER_MOST = 64 << 10 };

HAFT_STRUCT(render_template_args,
    HAFT_STRING(template, "Jinja", .min = 1),
    HAFT_OPTIONAL(HAFT_MAP(variables, HAFT_JSON(value, NULL), "For the template")));
HAFT_STRUCT(render_template_result,
    HAFT_STRING(result, NULL));

static int render_template(haft_call *call, const render_template_args *in,
                           render_template_result *out)
{
    const char *body = hass_data(call, &render_template_args_type, in);
    struct hass_answer answer;
    int status;

    if (!body)
        return HAFT_EFAIL;
    status = hass_request(call, "POST", "/api/template", body, NULL, &answer);
    if (status)
        return status;
    out->result = home_short(call, answer.body, answer.size, RENDER_MOST);
    return out->result ? 0 : HAFT_ENOMEM;
}
HAFT_TOOL(render_template, render_template_args, render_template_result,
          "Render a Jinja template in Home Assistant.", HOME_READS);
HOME_EXPORT(render_template);
