/* picture.c - see picture.h. */
#include "picture.h"

#include <string.h>

#include "tools/records.h"

int home_picture(haft_call *call, const entity *camera, struct hass_answer *ret_picture)
{
    const char *path = haft_call_printf(call, "/api/camera_proxy/%s", camera->entity_id);
    struct hass_answer answer;
    int status = path ? hass_request(call, "GET", path, NULL, NULL, &answer) : HAFT_ENOMEM;

    if (status)
        return status;
    if (strncmp(answer.type, "image/", 6) != 0 || !answer.size)
        return home_fail(call, "%s sent no picture.", camera->entity_id);
    if (answer.size > HOME_MOST_PICTURE)
        return home_fail(call, "The picture of %s has %zu bytes; at most %d are returned.",
                         camera->entity_id, answer.size, HOME_MOST_PICTURE);
    /* "image/png; charset=x" */
    answer.type = haft_call_printf(call, "%.*s", (int)strcspn(answer.type, "; "), answer.type);
    if (!answer.type)
        return HAFT_ENOMEM;
    *ret_picture = answer;
    return 0;
}
