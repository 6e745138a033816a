/* template - renders a Handlebars template over the cached states. */
#include <string.h>

#include "json/writer.h"
#include "template/template.h"
#include "tools/common.h"

HAFT_STRUCT(template_args,
    HAFT_STRING(template, "Handlebars template", .min = 1, .max = 16384),
    HAFT_OPTIONAL(HAFT_MAP(context, HAFT_JSON(value, "Value"), "Values for the template")));

HAFT_STRUCT(template_result,
    HAFT_STRING(result, "Rendered text"));

enum { TEMPLATE_MOST_DATA = 16 << 20 };

/* What helpers are called with. */
struct template_run {
    haft_call *call;
    struct hass_states states;
};

/* ---- helpers ---- */

static const entity *template_find(const struct template_run *run, const struct template_value *id)
{
    size_t low = 0, high = run->states.n;
    const char *wanted;

    if (id->kind != TEMPLATE_TEXT)
        return NULL;
    wanted = haft_call_printf(run->call, "%.*s", (int)id->size, id->text);
    while (wanted && low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(run->states.at[middle].entity_id, wanted);

        if (!order)
            return &run->states.at[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static struct template_value template_text(const char *text)
{
    return (struct template_value){.kind = text ? TEMPLATE_TEXT : TEMPLATE_UNDEFINED,
                                   .text = text,
                                   .size = text ? strlen(text) : 0};
}

static struct template_value template_state(void *context, const struct template_value *arguments,
                                            size_t n)
{
    const entity *found = template_find(context, &arguments[0]);

    (void)n;
    return template_text(found ? found->state : NULL);
}

static struct template_value template_attribute(void *context,
                                                const struct template_value *arguments, size_t n)
{
    const struct template_run *run = context;
    const entity *found = template_find(run, &arguments[0]);
    const char *name = NULL;

    (void)n;
    if (found && arguments[1].kind == TEMPLATE_TEXT)
        name = haft_call_printf(run->call, "%.*s", (int)arguments[1].size, arguments[1].text);
    return template_value_of(name ? entity_attribute(found, name) : NULL);
}

static struct template_value template_is_state(void *context,
                                               const struct template_value *arguments, size_t n)
{
    const entity *found = template_find(context, &arguments[0]);
    const struct template_value *wanted = &arguments[1];

    (void)n;
    return (struct template_value){.kind = TEMPLATE_BOOLEAN,
                                   .boolean = found && wanted->kind == TEMPLATE_TEXT &&
                                              strlen(found->state) == wanted->size &&
                                              !memcmp(found->state, wanted->text, wanted->size)};
}

static const struct template_helper template_helpers[] = {
    {"state", 1, 1, template_state},
    {"attribute", 2, 2, template_attribute},
    {"is_state", 2, 2, template_is_state},
    {NULL, 0, 0, NULL},
};

/* ---- what the template is rendered over ---- */

static void template_write_entity(struct json_writer *w, const entity *one)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "entity_id"), one->entity_id);
    hf_json_text(json_key(w, "state"), one->state);
    hf_json_text(json_key(w, "domain"), one->domain);
    hf_json_text(json_key(w, "name"), one->name);
    if (one->has_area)
        hf_json_text(json_key(w, "area"), one->area);
    hf_json_text(json_key(w, "last_changed"), one->last_changed);
    hf_json_begin_object(json_key(w, "attributes"));
    for (size_t i = 0; i < one->n_attributes; i++)
        hf_json_value(hf_json_name(w, one->attributes_keys[i], strlen(one->attributes_keys[i])),
                      one->attributes[i]);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

/* Members of the context, and `states` with the entities by domain and id, as in
 * {{states.light.kitchen.state}}; what the context has hides what is ours. */
static void template_write_root(const struct template_run *run, const template_args *in,
                                struct json_writer *w)
{
    bool own = false;

    hf_json_begin_object(w);
    for (size_t i = 0; i < in->n_context; i++) {
        own = own || !strcmp(in->context_keys[i], "states");
        hf_json_value(hf_json_name(w, in->context_keys[i], strlen(in->context_keys[i])),
                      in->context[i]);
    }
    if (!own && strstr(in->template, "states")) {
        const char *domain = "";

        hf_json_begin_object(json_key(w, "states"));
        for (size_t i = 0; i < run->states.n; i++) {
            const entity *one = &run->states.at[i];
            const char *id = strchr(one->entity_id, '.');

            if (!id)
                continue;
            if (strcmp(domain, one->domain) != 0) {
                if (*domain)
                    hf_json_end_object(w);
                domain = one->domain;
                hf_json_begin_object(hf_json_name(w, domain, strlen(domain)));
            }
            template_write_entity(hf_json_name(w, id + 1, strlen(id + 1)), one);
        }
        if (*domain)
            hf_json_end_object(w);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
}

static int template_root(const struct template_run *run, const template_args *in,
                         haft_value **ret_root)
{
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, TEMPLATE_MOST_DATA);
    template_write_root(run, in, &w);
    status = text.status;
    if (!status) {
        *ret_root = haft_json_read(text.data, text.size, 0, haft_call_arena(run->call), NULL);
        status = *ret_root ? 0 : HAFT_ENOMEM;
    }
    haft_buffer_finish(&text);
    return status;
}

static bool template_stops(void *context)
{
    const struct template_run *run = context;

    return haft_call_cancelled(run->call);
}

static int template_run(haft_call *call, const template_args *in,
                        const struct template_options *options, haft_value *root,
                        template_result *out)
{
    haft_reason reason = {0};
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, 1 << 20);
    status = template_render(in->template, strlen(in->template), root, options,
                             haft_call_arena(call), &text, &reason);
    if (!status) {
        out->result = haft_arena_copy(haft_call_arena(call), text.size ? text.data : "", text.size);
        status = out->result ? 0 : HAFT_ENOMEM;
    } else if (status != HAFT_ENOMEM) {
        status = home_fail(call, "The template cannot be rendered: %s", reason.text);
    }
    haft_buffer_finish(&text);
    return status;
}

static int template(haft_call *call, const template_args *in, template_result *out)
{
    struct template_run run = {.call = call};
    const struct template_options options = {
        .helpers = template_helpers, .context = &run, .stop = template_stops};
    haft_value *root = NULL;
    int status = hass_states(call, &run.states);

    if (!status)
        status = template_root(&run, in, &root);
    return status ? status : template_run(call, in, &options, root, out);
}
HAFT_TOOL(template, template_args, template_result,
          "Render a Handlebars template over the cached states: {{state \"light.x\"}}, {{attribute "
          "\"light.x\" \"brightness\"}}, {{#if (is_state \"light.x\" \"on\")}}, {{#each "
          "states.light}}{{name}}: {{state}}{{/each}}.",
          HOME_READS_HERE);
HOME_EXPORT(template);
