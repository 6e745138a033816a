/* list_devices - lists entities, by domain and area.
 *
 * States of Home Assistant say nothing about areas; they come from its registries, by hass_states. */
#include <string.h>

#include "tools/common.h"

HAFT_STRUCT(list_devices_args,
    HAFT_OPTIONAL(HAFT_STRING(domain, "Domain, such as light")),
    HAFT_OPTIONAL(HAFT_STRING(area, "Id or name of an area")));
HAFT_STRUCT(list_devices_result,
    HAFT_ARRAY(devices, HAFT_OBJECT(item, entity, NULL), NULL),
    HAFT_INTEGER(total, "How many match"),
    HAFT_INTEGER(without_area, "How many of the domain are in no area"),
    HAFT_BOOLEAN(truncated, NULL));

/* An error unless there are entities of the domain; it names the existing domains. */
static int devices_domain(haft_call *call, const struct hass_states *states, const char *domain)
{
    const char *possible = NULL, *latest = "";

    for (size_t i = 0; i < states->n; i++) {
        if (!strcmp(states->at[i].domain, domain))
            return 0;
        if (!strcmp(states->at[i].domain, latest))
            continue;
        latest = states->at[i].domain;
        possible = possible ? haft_call_printf(call, "%s, %s", possible, latest) : latest;
        if (!possible)
            return HAFT_ENOMEM;
    }
    return home_fail(call, "There are no entities of the domain \"%s\". Domains: %s.", domain,
                     possible ? possible : "none");
}

static int list_devices(haft_call *call, const list_devices_args *in, list_devices_result *out)
{
    struct hass_states states;
    struct hass_area area = {NULL, NULL, NULL};
    const entity **matches;
    size_t n = 0;
    int status = hass_states(call, &states);

    if (!status && in->has_area)
        status = hass_area(call, in->area, &area);
    if (!status && in->has_domain)
        status = devices_domain(call, &states, in->domain);
    if (status)
        return status;
    matches = haft_call_alloc(call, (states.n + 1) * sizeof *matches);
    if (!matches)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states.n; i++) {
        const entity *one = &states.at[i];

        if (in->has_domain && strcmp(one->domain, in->domain) != 0)
            continue;
        out->without_area += !one->has_area;
        if (!in->has_area || (one->has_area && !strcmp(one->area, area.name)))
            matches[n++] = one;
    }
    out->total = (int64_t)n;
    return home_result(call, matches, n, &out->devices, &out->n_devices, &out->truncated);
}
HAFT_TOOL(list_devices, list_devices_args, list_devices_result,
          "List Home Assistant devices, optionally filtered by domain or area. At most 100 are "
          "returned, evenly chosen; use search_entities to find others.",
          HOME_READS);
HOME_EXPORT(list_devices);
