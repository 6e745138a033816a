/* resources.c - the home as resources: states of entities, pictures of cameras, areas, and a summary. */
#include "resources.h"

#include <stdio.h>
#include <string.h>

#include "picture.h"
#include "tools/common.h"

/* ---- answers ---- */

/* Answers with JSON of a declared type. */
static int resource_answer(haft_call *call, const char *uri, const haft_type *type,
                           const void *value)
{
    const char *json = hass_data(call, type, value);

    return json ? haft_embed(
                      call,
                      &(haft_contents){.uri = uri, .mime_type = "application/json", .text = json})
                : HAFT_EFAIL;
}

/* ---- ha://states/{id} ---- */

static int resource_state(haft_call *call, const char *uri)
{
    entity one;
    int status = hass_state(call, haft_variable(call, "id"), &one);

    if (!status)
        status = home_whole(call, &one);
    return status ? status : resource_answer(call, uri, &entity_type, &one);
}

static int resource_complete_state(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    return home_complete_entity(call, NULL, value);
}

/* ---- ha://camera/{id} ---- */

static int resource_camera(haft_call *call, const char *uri)
{
    struct hass_answer picture;
    entity camera;
    int status = hass_state(call, haft_variable(call, "id"), &camera);

    if (!status && strcmp(camera.domain, "camera") != 0) {
        home_fail(call, "%s is not a camera.", camera.entity_id);
        return HAFT_ENOTFOUND;
    }
    if (!status)
        status = hass_require(call, camera.entity_id, "camera", &camera);
    if (!status)
        status = home_picture(call, &camera, &picture);
    return status ? status
                  : haft_embed(call, &(haft_contents){.uri = uri,
                                                      .mime_type = picture.type,
                                                      .bytes = picture.body,
                                                      .size = picture.size});
}

static int resource_complete_camera(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    return home_complete_entity(call, "camera", value);
}

/* ---- ha://areas ---- */

HAFT_STRUCT(area_item,
    HAFT_STRING(id, NULL),
    HAFT_STRING(name, NULL),
    HAFT_OPTIONAL(HAFT_STRING(floor, NULL)),
    HAFT_ARRAY(entities, HAFT_STRING(id, NULL), NULL));
HAFT_STRUCT(area_list,
    HAFT_ARRAY(areas, HAFT_OBJECT(area, area_item, NULL), NULL),
    HAFT_ARRAY(without_area, HAFT_STRING(id, NULL), NULL));

/* The entities whose area has that name; NULL: those without one. */
static int areas_collect(haft_call *call, const struct hass_states *states, const char *name,
                         const char ***ret_ids, size_t *ret_n)
{
    size_t n = 0;

    *ret_ids = haft_call_alloc(call, (states->n + 1) * sizeof **ret_ids);
    if (!*ret_ids)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states->n; i++) {
        const entity *one = &states->at[i];

        if (name ? one->has_area && !strcmp(one->area, name) : !one->has_area)
            (*ret_ids)[n++] = one->entity_id;
    }
    *ret_n = n;
    return 0;
}

static int resource_read_home(haft_call *call, struct hass_states *ret_states,
                              struct hass_areas *ret_areas)
{
    int status = hass_states(call, ret_states);

    return status ? status : hass_areas(call, ret_areas);
}

static int resource_areas(haft_call *call, const char *uri)
{
    area_list list = {.n_areas = 0};
    struct hass_states states;
    struct hass_areas areas;
    int status = resource_read_home(call, &states, &areas);

    if (status)
        return status;
    list.areas = haft_arena_zalloc(haft_call_arena(call), areas.n + 1, sizeof *list.areas);
    if (!list.areas)
        return HAFT_ENOMEM;
    for (size_t i = 0; !status && i < areas.n; i++) {
        area_item *area = &list.areas[list.n_areas++];

        *area = (area_item){.id = areas.at[i].id,
                            .name = areas.at[i].name,
                            .has_floor = areas.at[i].floor,
                            .floor = areas.at[i].floor};
        status = areas_collect(call, &states, area->name, &area->entities, &area->n_entities);
    }
    if (!status)
        status = areas_collect(call, &states, NULL, &list.without_area, &list.n_without_area);
    return status ? status : resource_answer(call, uri, &area_list_type, &list);
}

/* ---- ha://summary ---- */

HAFT_STRUCT(summary_domain,
    HAFT_STRING(domain, NULL),
    HAFT_INTEGER(total, NULL),
    HAFT_INTEGER(active, "On, open, playing, unlocked or home"));
HAFT_STRUCT(home_summary,
    HAFT_INTEGER(entities, NULL),
    HAFT_INTEGER(unavailable, NULL),
    HAFT_INTEGER(areas, NULL),
    HAFT_ARRAY(domains, HAFT_OBJECT(domain, summary_domain, NULL), NULL));

static bool summary_is_active(const entity *one)
{
    static const char *const active[] = {"on",       "open", "opening", "playing",
                                         "unlocked", "home", "cleaning"};

    for (size_t i = 0; i < sizeof active / sizeof *active; i++)
        if (!strcmp(one->state, active[i]))
            return true;
    return false;
}

/* States are sorted, so that those of a domain stand together. */
static int resource_summary(haft_call *call, const char *uri)
{
    home_summary summary = {.n_domains = 0};
    struct hass_states states;
    struct hass_areas areas;
    int status = resource_read_home(call, &states, &areas);

    if (status)
        return status;
    summary.domains =
        haft_arena_zalloc(haft_call_arena(call), states.n + 1, sizeof *summary.domains);
    if (!summary.domains)
        return HAFT_ENOMEM;
    summary.entities = (int64_t)states.n;
    summary.areas = (int64_t)areas.n;
    for (size_t i = 0; i < states.n; i++) {
        const entity *one = &states.at[i];

        if (!i || strcmp(one->domain, states.at[i - 1].domain) != 0)
            summary.domains[summary.n_domains++].domain = one->domain;
        summary.domains[summary.n_domains - 1].total++;
        summary.domains[summary.n_domains - 1].active += summary_is_active(one);
        summary.unavailable += !strcmp(one->state, "unavailable");
    }
    return resource_answer(call, uri, &home_summary_type, &summary);
}

/* ---- the table ---- */

#define SUMMARY_URI "ha://summary"

const haft_resource home_resources[] = {
    HAFT_INIT(haft_resource, .uri = "ha://areas", .name = "areas", .title = "Areas",
              .description = "Areas of the home, with the entities in them",
              .mime_type = "application/json", .read = resource_areas),
    HAFT_INIT(haft_resource, .uri = SUMMARY_URI, .name = "summary", .title = "Summary",
              .description = "How many entities there are, by domain, and how many are active",
              .mime_type = "application/json", .read = resource_summary),
    {.name = NULL},
};
const haft_resource home_templates[] = {
    HAFT_INIT(haft_resource, .uri = "ha://states/{id}", .name = "state", .title = "State",
              .description = "State and attributes of an entity; subscribers learn of changes",
              .mime_type = "application/json", .read = resource_state,
              .complete = resource_complete_state),
    HAFT_INIT(haft_resource, .uri = "ha://camera/{id}", .name = "camera", .title = "Camera",
              .description = "Current picture of a camera, as an image", .read = resource_camera,
              .complete = resource_complete_camera),
    {.name = NULL},
};

int home_add_resources(haft_server *server)
{
    int status = 0;

    for (size_t i = 0; !status && home_resources[i].name; i++)
        status = haft_resource_add(server, &home_resources[i]);
    for (size_t i = 0; !status && home_templates[i].name; i++)
        status = haft_template_add(server, &home_templates[i]);
    return status;
}

/* ---- updates ---- */

static void resource_changed(void *context, const char *entity_id)
{
    haft_server *server = context;
    char uri[300];

    haft_resource_updated(server, SUMMARY_URI);
    if (snprintf(uri, sizeof uri, "ha://states/%s", entity_id) < (int)sizeof uri)
        haft_resource_updated(server, uri);
}

void home_watch(struct hass *hass, haft_server *server)
{
    hass_watch(hass, resource_changed, server);
}
