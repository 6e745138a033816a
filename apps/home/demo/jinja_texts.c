/* jinja_texts.c - filters for text and for lists. */
#include "demo/jinja_value.h"

/* ---- text ---- */

/* The text in which each letter went through a function that knows the one before it. */
static struct jinja_value texts_each(struct jinja_run *run, const struct jinja_arguments *of,
                                     char (*change)(char letter, char before))
{
    const char *text = demo_jinja_text_argument(run, of, 0);
    char *copy = haft_arena_copy(run->demo->scratch, text, strlen(text)), before = ' ';

    for (char *at = copy; at && *at; at++) {
        char now = *at;

        *at = change(now, before);
        before = now;
    }
    return jinja_text(copy);
}

static char texts_up(char letter, char before)
{
    (void)before;
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 32) : letter;
}

static char texts_down(char letter, char before)
{
    (void)before;
    return ascii_lower(letter);
}

static char texts_title(char letter, char before)
{
    return strchr(" -_", before) ? texts_up(letter, before) : ascii_lower(letter);
}

struct jinja_value demo_filter_upper(struct jinja_run *run, const struct jinja_arguments *of)
{
    return texts_each(run, of, texts_up);
}

struct jinja_value demo_filter_lower(struct jinja_run *run, const struct jinja_arguments *of)
{
    return texts_each(run, of, texts_down);
}

struct jinja_value demo_filter_title(struct jinja_run *run, const struct jinja_arguments *of)
{
    return texts_each(run, of, texts_title);
}

struct jinja_value demo_filter_capitalize(struct jinja_run *run, const struct jinja_arguments *of)
{
    const char *text = demo_jinja_text_argument(run, of, 0);
    char *copy = haft_arena_copy(run->demo->scratch, text, strlen(text));

    for (char *at = copy; at && *at; at++)
        *at = at == copy ? texts_up(*at, ' ') : ascii_lower(*at);
    return jinja_text(copy);
}

struct jinja_value demo_filter_trim(struct jinja_run *run, const struct jinja_arguments *of)
{
    const char *text = demo_jinja_text_argument(run, of, 0);
    size_t size;

    text += strspn(text, " \t\r\n");
    size = strlen(text);
    while (size && strchr(" \t\r\n", text[size - 1]))
        size--;
    return jinja_text(haft_arena_copy(run->demo->scratch, text, size));
}

struct jinja_value demo_filter_replace(struct jinja_run *run, const struct jinja_arguments *of)
{
    const char *text = demo_jinja_text_argument(run, of, 0), *at;
    const char *old = demo_jinja_text_argument(run, of, 1);
    const char *new = demo_jinja_text_argument(run, of, 2);
    haft_buffer out;

    if (!*old)
        return jinja_text(text);
    out = demo_buffer(run->demo);
    while ((at = strstr(text, old))) {
        haft_buffer_add(&out, text, (size_t)(at - text));
        haft_buffer_puts(&out, new);
        text = at + strlen(old);
    }
    haft_buffer_puts(&out, text);
    return jinja_text(demo_take(run->demo, &out));
}

struct jinja_value demo_filter_string(struct jinja_run *run, const struct jinja_arguments *of)
{
    return jinja_text(demo_jinja_text_argument(run, of, 0));
}

struct jinja_value demo_filter_default(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct jinja_value boolean = demo_jinja_argument(of, 2, "boolean"), value = of->at[0];

    (void)run;
    if (value.kind == JINJA_UNDEFINED ||
        (demo_jinja_is_true(boolean) && !demo_jinja_is_true(value)))
        return of->n > 1 ? of->at[1] : jinja_text("");
    return value;
}

struct jinja_value demo_filter_iif(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct jinja_value yes = demo_jinja_argument(of, 1, "if_true");
    struct jinja_value no = demo_jinja_argument(of, 2, "if_false");

    (void)run;
    if (of->n && demo_jinja_is_true(of->at[0]))
        return yes.kind == JINJA_UNDEFINED ? jinja_bool(true) : yes;
    return no.kind == JINJA_UNDEFINED ? jinja_bool(false) : no;
}

/* ---- lists ---- */

struct jinja_value demo_filter_length(struct jinja_run *run, const struct jinja_arguments *of)
{
    haft_value *list = demo_jinja_list(run, of->at[0]);

    if (of->at[0].kind == JINJA_TEXT)
        return jinja_int((double)haft_utf8_length(of->at[0].text, strlen(of->at[0].text)));
    if (!list)
        demo_jinja_fail(run, "TypeError: object has no len()");
    return jinja_int((double)yyjson_arr_size(list));
}

struct jinja_value demo_filter_join(struct jinja_run *run, const struct jinja_arguments *of)
{
    haft_value *list = demo_jinja_list(run, of->at[0]);
    haft_buffer out = demo_buffer(run->demo);

    for (size_t i = 0; i < yyjson_arr_size(list); i++) {
        if (i)
            haft_buffer_puts(&out, demo_jinja_text_argument(run, of, 1));
        haft_buffer_puts(&out, demo_jinja_text(run, demo_jinja_of_json(yyjson_arr_get(list, i))));
    }
    return jinja_text(demo_take(run->demo, &out));
}

struct jinja_value demo_filter_list(struct jinja_run *run, const struct jinja_arguments *of)
{
    haft_value *list = demo_jinja_list(run, of->at[0]);

    if (!list)
        demo_jinja_fail(run, "TypeError: object is not iterable");
    return demo_jinja_of_json(list);
}

struct jinja_value demo_filter_first(struct jinja_run *run, const struct jinja_arguments *of)
{
    return demo_jinja_of_json(yyjson_arr_get_first(demo_jinja_list(run, of->at[0])));
}

struct jinja_value demo_filter_last(struct jinja_run *run, const struct jinja_arguments *of)
{
    return demo_jinja_of_json(yyjson_arr_get_last(demo_jinja_list(run, of->at[0])));
}

/* A member of a member: "attributes.brightness". */
static haft_value *texts_path(haft_value *of, const char *path)
{
    while (of && *path) {
        size_t size = strcspn(path, ".");

        of = yyjson_obj_getn(of, path, size);
        path += size;
        path += *path == '.';
    }
    return of;
}

struct jinja_value demo_filter_map(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct jinja_value attribute = demo_jinja_argument(of, 9, "attribute");
    haft_value *list = demo_jinja_list(run, of->at[0]);
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    if (attribute.kind != JINJA_TEXT)
        demo_jinja_fail(run, "TemplateSyntaxError: the demo home's map takes an attribute only");
    hf_json_begin_array(&w);
    for (size_t i = 0; attribute.kind == JINJA_TEXT && i < yyjson_arr_size(list); i++) {
        haft_value *value = texts_path(yyjson_arr_get(list, i), attribute.text);

        if (value)
            hf_json_value(&w, value);
        else
            hf_json_null(&w);
    }
    hf_json_end_array(&w);
    return demo_jinja_of_json(demo_parse(run->demo, demo_take(run->demo, &out)));
}

static bool texts_select(struct jinja_run *run, const struct jinja_arguments *of, haft_value *item)
{
    haft_value *value = texts_path(item, demo_jinja_text_argument(run, of, 1));
    const char *test = demo_jinja_text_argument(run, of, 2);
    struct jinja_value left = demo_jinja_of_json(value);
    bool comparable;
    int order;

    if (!*test)
        return demo_jinja_is_true(left);
    if (!strcmp(test, "defined"))
        return value;
    if (!strcmp(test, "in") && of->n > 3)
        return left.kind == JINJA_TEXT && demo_lists(of->at[3].json, left.text);
    if (of->n < 4) {
        demo_jinja_fail(run, "TemplateRuntimeError: No test named '%s'.", test);
        return false;
    }
    order = demo_jinja_compare(run, left, of->at[3], &comparable);
    if (!strcmp(test, "eq") || !strcmp(test, "==") || !strcmp(test, "equalto"))
        return !order;
    if (!strcmp(test, "ne") || !strcmp(test, "!="))
        return order;
    if (!strcmp(test, "gt") || !strcmp(test, ">"))
        return comparable && order > 0;
    if (!strcmp(test, "lt") || !strcmp(test, "<"))
        return comparable && order < 0;
    demo_jinja_fail(run, "TemplateRuntimeError: No test named '%s'.", test);
    return false;
}

static struct jinja_value texts_filter(struct jinja_run *run, const struct jinja_arguments *of,
                                       bool keep)
{
    haft_value *list = demo_jinja_list(run, of->at[0]);
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_array(&w);
    for (size_t i = 0; i < yyjson_arr_size(list); i++)
        if (texts_select(run, of, yyjson_arr_get(list, i)) == keep)
            hf_json_value(&w, yyjson_arr_get(list, i));
    hf_json_end_array(&w);
    return demo_jinja_of_json(demo_parse(run->demo, demo_take(run->demo, &out)));
}

struct jinja_value demo_filter_selectattr(struct jinja_run *run, const struct jinja_arguments *of)
{
    return texts_filter(run, of, true);
}

struct jinja_value demo_filter_rejectattr(struct jinja_run *run, const struct jinja_arguments *of)
{
    return texts_filter(run, of, false);
}

struct jinja_value demo_filter_to_json(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct jinja_value value = of->at[0];
    haft_buffer out = demo_buffer(run->demo);

    if (value.kind == JINJA_JSON)
        haft_json_write(value.json, &out);
    else if (value.kind == JINJA_TEXT)
        haft_buffer_json_string(&out, value.text, strlen(value.text));
    else if (value.kind == JINJA_BOOL)
        haft_buffer_puts(&out, value.number > 0 ? "true" : "false");
    else if (demo_jinja_is_number(value))
        haft_buffer_json_number(&out, value.number);
    else
        haft_buffer_puts(&out, "null");
    return jinja_text(demo_take(run->demo, &out));
}
