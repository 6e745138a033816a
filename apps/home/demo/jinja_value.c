/* jinja_value.c - values of templates: what they are, how they are printed and compared. */
#include "demo/jinja_value.h"

struct jinja_value demo_jinja_of_json(haft_value *json)
{
    switch (yyjson_get_type(json)) {
    case YYJSON_TYPE_STR:
        return jinja_text(yyjson_get_str(json));
    case YYJSON_TYPE_BOOL:
        return jinja_bool(yyjson_get_bool(json));
    case YYJSON_TYPE_NUM:
        return (struct jinja_value){.kind = yyjson_is_int(json) ? JINJA_INT : JINJA_FLOAT,
                                    .number = yyjson_get_num(json)};
    case YYJSON_TYPE_ARR:
    case YYJSON_TYPE_OBJ:
        return (struct jinja_value){.kind = JINJA_JSON, .json = json};
    case YYJSON_TYPE_NULL:
        return jinja_none();
    default:
        return jinja_undefined("item");
    }
}

bool demo_jinja_is_number(struct jinja_value value)
{
    return value.kind == JINJA_INT || value.kind == JINJA_FLOAT || value.kind == JINJA_BOOL;
}

bool demo_jinja_read_number(struct jinja_value value, double *ret_number)
{
    char *end;

    if (demo_jinja_is_number(value)) {
        *ret_number = value.number;
        return true;
    }
    if (value.kind != JINJA_TEXT || !*value.text)
        return false;
    *ret_number = strtod(value.text, &end);
    return !end[strspn(end, " ")];
}

bool demo_jinja_is_true(struct jinja_value value)
{
    switch (value.kind) {
    case JINJA_BOOL:
    case JINJA_INT:
    case JINJA_FLOAT:
        return value.number < 0 || value.number > 0;
    case JINJA_TEXT:
        return *value.text;
    case JINJA_JSON:
        return yyjson_get_len(value.json) > 0;
    case JINJA_STATES:
        return true;
    default:
        return false;
    }
}

/* JSON with the words and the quotes of Python. */
static const char *value_repr(struct jinja_run *run, haft_value *json)
{
    static const char *const words[][2] = {{"true", "True"}, {"false", "False"}, {"null", "None"}};
    haft_buffer in = demo_buffer(run->demo), out = demo_buffer(run->demo);
    bool quoted = false;
    char *text;

    haft_json_write(json, &in);
    text = demo_take(run->demo, &in);
    for (const char *at = text ? text : ""; *at; at++) {
        size_t k = 0;

        if (*at == '"') {
            quoted = !quoted;
            haft_buffer_add(&out, "'", 1);
        } else if (quoted && *at == '\\' && at[1]) {
            at++;
            haft_buffer_add(&out, at, 1);
        } else if (quoted) {
            haft_buffer_add(&out, at, 1);
        } else if (*at == ',' || *at == ':') {
            haft_buffer_add(&out, at, 1);
            haft_buffer_add(&out, " ", 1);
        } else {
            while (k < 3 && strncmp(at, words[k][0], strlen(words[k][0])) != 0)
                k++;
            if (k < 3) {
                haft_buffer_puts(&out, words[k][1]);
                at += strlen(words[k][0]) - 1;
            } else {
                haft_buffer_add(&out, at, 1);
            }
        }
    }
    text = demo_take(run->demo, &out);
    return text ? text : "";
}

const char *demo_jinja_text(struct jinja_run *run, struct jinja_value value)
{
    char number[NUMBER_TEXT], *text = NULL;

    switch (value.kind) {
    case JINJA_TEXT:
        return value.text ? value.text : "";
    case JINJA_NONE:
        return "None";
    case JINJA_BOOL:
        return value.number > 0 ? "True" : "False";
    case JINJA_INT:
    case JINJA_FLOAT:
        hf_number_to_text(value.number, number);
        text = demo_format(run->demo, "%s%s", number,
                           value.kind == JINJA_FLOAT && !strpbrk(number, ".en") ? ".0" : "");
        return text ? text : "";
    case JINJA_JSON:
        return value_repr(run, value.json);
    case JINJA_STATES:
        return "<template AllStates>";
    default:
        return "";
    }
}

int demo_jinja_compare(struct jinja_run *run, struct jinja_value left, struct jinja_value right,
                       bool *ret_comparable)
{
    *ret_comparable = true;
    if (demo_jinja_is_number(left) && demo_jinja_is_number(right))
        return left.number < right.number ? -1 : left.number > right.number;
    if (left.kind == JINJA_TEXT && right.kind == JINJA_TEXT) {
        int order = strcmp(left.text, right.text);

        return order < 0 ? -1 : order > 0;
    }
    *ret_comparable = false;
    if (left.kind == JINJA_JSON && right.kind == JINJA_JSON)
        return !demo_equal(run->demo, left.json, right.json);
    return left.kind == right.kind && (left.kind == JINJA_NONE || left.kind == JINJA_UNDEFINED) ? 0
                                                                                                : 1;
}

/* ---- variables and members ---- */

static void value_read(struct jinja_run *run, const char *id)
{
    if (run->jinja->entities) {
        haft_buffer_puts(run->jinja->entities, id);
        haft_buffer_add(run->jinja->entities, "\n", 1);
    }
}

/* A state as an object with its attributes and its name. */
static haft_value *value_state(struct jinja_run *run, const struct demo_entity *entity)
{
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};
    const char *name = demo_name(run->demo, entity);

    value_read(run, entity->id);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "entity_id"), entity->id);
    hf_json_string(json_key(&w, "domain"), entity->id, strcspn(entity->id, "."));
    hf_json_text(json_key(&w, "object_id"), strchr(entity->id, '.') + 1);
    hf_json_text(json_key(&w, "name"), name);
    hf_json_text(json_key(&w, "state"), entity->state->text);
    hf_json_raw(json_key(&w, "attributes"), entity->state->attributes,
                strlen(entity->state->attributes));
    demo_time_write(json_key(&w, "last_changed"), entity->state->changed);
    demo_time_write(json_key(&w, "last_updated"), entity->state->updated);
    hf_json_end_object(&w);
    return demo_parse(run->demo, demo_take(run->demo, &out));
}

/* All states, or those of a domain, as an array. */
static haft_value *value_states(struct jinja_run *run, const char *domain)
{
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    run->jinja->all = run->jinja->all || !domain;
    hf_json_begin_array(&w);
    for (size_t i = 0; i < run->demo->n_entities && !run->quiet; i++)
        if (!domain || demo_is_in(run->demo->entities[i], domain))
            hf_json_value(&w, value_state(run, run->demo->entities[i]));
    hf_json_end_array(&w);
    return demo_parse(run->demo, demo_take(run->demo, &out));
}

haft_value *demo_jinja_list(struct jinja_run *run, struct jinja_value value)
{
    haft_buffer out;
    struct json_writer w = {.out = &out};
    yyjson_obj_iter iter;
    yyjson_val *key;

    if (value.kind == JINJA_STATES)
        return value_states(run, value.text);
    if (value.kind != JINJA_JSON)
        return NULL;
    if (yyjson_is_arr(value.json))
        return value.json;
    out = demo_buffer(run->demo);
    hf_json_begin_array(&w);
    yyjson_obj_iter_init(value.json, &iter);
    while ((key = yyjson_obj_iter_next(&iter)))
        hf_json_string(&w, yyjson_get_str(key), yyjson_get_len(key));
    hf_json_end_array(&w);
    return demo_parse(run->demo, demo_take(run->demo, &out));
}

struct jinja_value demo_jinja_variable(struct jinja_run *run, const char *name)
{
    haft_value *own = yyjson_obj_get(run->jinja->variables, name);

    for (struct jinja_variable *at = run->variables; at; at = at->next)
        if (!strcmp(at->name, name))
            return at->value;
    if (own)
        return demo_jinja_of_json(own);
    if (!strcmp(name, "states"))
        return (struct jinja_value){.kind = JINJA_STATES};
    if (!strcmp(name, "trigger") && run->jinja->trigger)
        return demo_jinja_of_json(demo_parse(run->demo, run->jinja->trigger));
    return jinja_undefined(name);
}

struct jinja_value demo_jinja_member(struct jinja_run *run, struct jinja_value of, const char *name)
{
    if (of.kind == JINJA_STATES && !of.text)
        return (struct jinja_value){.kind = JINJA_STATES, .text = name};
    if (of.kind == JINJA_STATES) {
        struct demo_entity *entity =
            demo_find(run->demo, demo_format(run->demo, "%s.%s", of.text, name));

        return entity ? demo_jinja_of_json(value_state(run, entity)) : jinja_undefined(name);
    }
    if (of.kind == JINJA_UNDEFINED) {
        demo_jinja_fail(run, "UndefinedError: '%s' is undefined", of.text);
        return jinja_none();
    }
    if (of.kind == JINJA_JSON && yyjson_is_obj(of.json) && yyjson_obj_get(of.json, name))
        return demo_jinja_of_json(yyjson_obj_get(of.json, name));
    return jinja_undefined(name);
}
