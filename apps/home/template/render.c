/* template/render.c - renders the nodes of a template. */
#include <string.h>
#include <yyjson.h>

#include "base/base.h"
#include "template/node.h"
#include "template/token.h"

/* A context with the variables of the block that made it. */
struct render_frame {
    const struct render_frame *parent;
    struct template_value value;
    bool is_context; /* `..` counts it */
    bool has_loop;   /* @index ... */
    size_t index;
    bool first, last;
    struct template_value key;
    const struct template_node *names; /* block parameters */
};

struct renderer {
    const struct template_options *options;
    haft_arena *arena;
    haft_buffer *out;
    haft_reason *reason;
    haft_value *root;
    size_t steps, max_output;
    unsigned depth;
};

struct template_value template_value_of(haft_value *json)
{
    switch (yyjson_get_type(json)) {
    case YYJSON_TYPE_NULL:
        return (struct template_value){.kind = TEMPLATE_NULL};
    case YYJSON_TYPE_BOOL:
        return (struct template_value){.kind = TEMPLATE_BOOLEAN, .boolean = yyjson_get_bool(json)};
    case YYJSON_TYPE_NUM:
        return (struct template_value){.kind = TEMPLATE_NUMBER, .number = yyjson_get_num(json)};
    case YYJSON_TYPE_STR:
        return (struct template_value){
            .kind = TEMPLATE_TEXT, .text = yyjson_get_str(json), .size = yyjson_get_len(json)};
    case YYJSON_TYPE_ARR:
    case YYJSON_TYPE_OBJ:
        return (struct template_value){.kind = TEMPLATE_JSON, .json = json};
    default:
        return (struct template_value){.kind = TEMPLATE_UNDEFINED};
    }
}

/* As JavaScript has it. */
bool template_is_true(const struct template_value *value)
{
    switch (value->kind) {
    case TEMPLATE_BOOLEAN:
        return value->boolean;
    case TEMPLATE_NUMBER:
        return value->number != 0;
    case TEMPLATE_TEXT:
        return value->size > 0;
    case TEMPLATE_JSON:
        return true;
    default:
        return false;
    }
}

/* As Handlebars has it: 0 is not empty, and an array without items is. */
static bool render_is_empty(const struct template_value *value)
{
    if (value->kind == TEMPLATE_JSON)
        return yyjson_is_arr(value->json) && !yyjson_arr_size(value->json);
    return value->kind != TEMPLATE_NUMBER && !template_is_true(value);
}

static int render_fail(struct renderer *r, const struct template_node *node, int code,
                       const char *format, const char *text, size_t size)
{
    template_fault(r->reason, node->line, format, (int)(size > 60 ? 60 : size), text);
    if (r->reason)
        r->reason->code = code;
    return code;
}

/* ---- output ---- */

static int render_put(struct renderer *r, const struct template_node *node, const char *text,
                      size_t size)
{
    if (size > r->max_output - r->out->size)
        return render_fail(r, node, HAFT_ETOOBIG, "the output is too long%.*s", "", 0);
    haft_buffer_add(r->out, text, size);
    return r->out->status;
}

static int render_put_escaped(struct renderer *r, const struct template_node *node,
                              const char *text, size_t size)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'&', "&amp;"},   {'<', "&lt;"},   {'>', "&gt;"},  {'"', "&quot;"},
                    {'\'', "&#x27;"}, {'`', "&#x60;"}, {'=', "&#x3D;"}};
    size_t from = 0;
    int status = 0;

    for (size_t i = 0; !status && i < size; i++)
        for (size_t k = 0; k < sizeof entities / sizeof entities[0]; k++)
            if (text[i] == entities[k].c) {
                status = render_put(r, node, text + from, i - from);
                if (!status)
                    status = render_put(r, node, entities[k].entity, strlen(entities[k].entity));
                from = i + 1;
            }
    return status ? status : render_put(r, node, text + from, size - from);
}

static int render_put_value(struct renderer *r, const struct template_node *node,
                            const struct template_value *value, unsigned depth);

/* An array is its items with commas between, as JavaScript prints it. */
static int render_put_array(struct renderer *r, const struct template_node *node, haft_value *array,
                            unsigned depth)
{
    yyjson_val *item;
    size_t i, n;
    int status = 0;

    if (depth > TEMPLATE_MAX_DEPTH)
        return render_fail(r, node, HAFT_EDEPTH, "an array is nested too deep%.*s", "", 0);
    yyjson_arr_foreach(array, i, n, item) {
        struct template_value value = template_value_of(item);

        if (i)
            status = render_put(r, node, ",", 1);
        if (!status)
            status = render_put_value(r, node, &value, depth + 1);
        if (status)
            return status;
    }
    return 0;
}

static int render_put_value(struct renderer *r, const struct template_node *node,
                            const struct template_value *value, unsigned depth)
{
    static const char object[] = "[object Object]";
    char number[NUMBER_TEXT];

    switch (value->kind) {
    case TEMPLATE_BOOLEAN:
        return value->boolean ? render_put(r, node, "true", 4) : render_put(r, node, "false", 5);
    case TEMPLATE_NUMBER:
        return render_put(r, node, number, hf_number_to_text(value->number, number));
    case TEMPLATE_TEXT:
        return node->escape ? render_put_escaped(r, node, value->text, value->size)
                            : render_put(r, node, value->text, value->size);
    case TEMPLATE_JSON:
        return yyjson_is_arr(value->json) ? render_put_array(r, node, value->json, depth)
                                          : render_put(r, node, object, sizeof object - 1);
    default:
        return 0;
    }
}

/* ---- paths ---- */

static bool render_part_is(const struct template_part *part, const char *text)
{
    return part->size == strlen(text) && !memcmp(part->text, text, part->size);
}

/* The number of UTF-16 units of a text, which is what JavaScript calls its length. */
static size_t render_text_length(const char *text, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            n += (unsigned char)text[i] >= 0xF0 ? 2 : 1;
    return n;
}

static struct template_value render_member(const struct template_value *of,
                                           const struct template_part *part)
{
    struct template_value none = {.kind = TEMPLATE_UNDEFINED};
    size_t index = 0;

    if (of->kind == TEMPLATE_TEXT && render_part_is(part, "length"))
        return (struct template_value){.kind = TEMPLATE_NUMBER,
                                       .number = (double)render_text_length(of->text, of->size)};
    if (of->kind != TEMPLATE_JSON)
        return none;
    if (yyjson_is_obj(of->json))
        return template_value_of(yyjson_obj_getn(of->json, part->text, part->size));
    if (render_part_is(part, "length"))
        return (struct template_value){.kind = TEMPLATE_NUMBER,
                                       .number = (double)yyjson_arr_size(of->json)};
    if (!part->size || part->size > 9)
        return none;
    for (size_t i = 0; i < part->size; i++) {
        if (part->text[i] < '0' || part->text[i] > '9')
            return none;
        index = index * 10 + (size_t)(part->text[i] - '0');
    }
    return template_value_of(yyjson_arr_get(of->json, index));
}

static const struct render_frame *render_context(const struct render_frame *frame)
{
    while (!frame->is_context && frame->parent)
        frame = frame->parent;
    return frame;
}

static struct template_value render_data(const struct renderer *r, const struct render_frame *frame,
                                         const struct template_part *name, unsigned ups)
{
    if (render_part_is(name, "root"))
        return template_value_of(r->root);
    for (; frame; frame = frame->parent) {
        if (!frame->has_loop)
            continue;
        if (ups) {
            ups--;
            continue;
        }
        if (render_part_is(name, "index"))
            return (struct template_value){.kind = TEMPLATE_NUMBER, .number = (double)frame->index};
        if (render_part_is(name, "key"))
            return frame->key;
        if (render_part_is(name, "first"))
            return (struct template_value){.kind = TEMPLATE_BOOLEAN, .boolean = frame->first};
        if (render_part_is(name, "last"))
            return (struct template_value){.kind = TEMPLATE_BOOLEAN, .boolean = frame->last};
        break;
    }
    return (struct template_value){.kind = TEMPLATE_UNDEFINED};
}

/* A block parameter of that name. */
static bool render_named(const struct render_frame *frame, const struct template_part *name,
                         struct template_value *ret)
{
    for (; frame; frame = frame->parent)
        for (size_t i = 0; frame->names && i < frame->names->n_names; i++)
            if (frame->names->names[i].size == name->size &&
                !memcmp(frame->names->names[i].text, name->text, name->size)) {
                *ret = i ? frame->key : frame->value;
                return true;
            }
    return false;
}

static struct template_value render_path(const struct renderer *r, const struct render_frame *frame,
                                         const struct template_expression *path)
{
    struct template_value value;
    size_t i = 0;

    if (path->is_data) {
        value = path->n_parts ? render_data(r, frame, &path->parts[0], path->ups)
                              : (struct template_value){.kind = TEMPLATE_UNDEFINED};
        i = 1;
    } else if (!path->is_this && path->n_parts && render_named(frame, &path->parts[0], &value)) {
        i = 1;
    } else {
        frame = render_context(frame);
        for (unsigned up = path->ups; up; up--) {
            if (!frame->parent)
                return (struct template_value){.kind = TEMPLATE_UNDEFINED};
            frame = render_context(frame->parent);
        }
        value = frame->value;
    }
    for (; i < path->n_parts; i++)
        value = render_member(&value, &path->parts[i]);
    return value;
}

/* ---- expressions ---- */

static int render_value(struct renderer *r, const struct render_frame *frame,
                        const struct template_node *node, const struct template_expression *e,
                        struct template_value *ret);

static const struct template_helper *render_helper(const struct renderer *r,
                                                   const struct template_expression *e)
{
    if (e->kind == EXPRESSION_LITERAL || e->n_parts != 1 || e->is_data || e->is_this)
        return NULL;
    for (const struct template_helper *h = r->options->helpers; h && h->name; h++)
        if (render_part_is(&e->parts[0], h->name))
            return h;
    return NULL;
}

static bool render_is_lookup(const struct template_expression *e)
{
    return e->kind == EXPRESSION_CALL && e->n_parts == 1 && !e->is_this && !e->is_data &&
           render_part_is(&e->parts[0], "lookup");
}

static struct template_value render_lookup(const struct template_value *of,
                                           const struct template_value *key)
{
    char number[NUMBER_TEXT];
    struct template_part part = {key->text, key->size};

    if (key->kind == TEMPLATE_NUMBER)
        part = (struct template_part){number, hf_number_to_text(key->number, number)};
    else if (key->kind != TEMPLATE_TEXT)
        return (struct template_value){.kind = TEMPLATE_UNDEFINED};
    return render_member(of, &part);
}

static int render_call(struct renderer *r, const struct render_frame *frame,
                       const struct template_node *node, const struct template_expression *e,
                       const struct template_helper *helper, struct template_value *ret)
{
    struct template_value arguments[TEMPLATE_MAX_ARGUMENTS];
    size_t least = helper ? helper->least : 2, most = helper ? helper->most : 2;

    for (size_t i = 0; i < e->n_arguments; i++) {
        int status = render_value(r, frame, node, e->arguments[i], &arguments[i]);

        if (status)
            return status;
    }
    if (e->n_arguments < least || e->n_arguments > most)
        return render_fail(r, node, HAFT_EINVAL,
                           "wrong number of arguments for the helper \"%.*s\"", e->parts[0].text,
                           e->parts[0].size);
    *ret = helper ? helper->call(r->options->context, arguments, e->n_arguments)
                  : render_lookup(&arguments[0], &arguments[1]);
    return 0;
}

static int render_value(struct renderer *r, const struct render_frame *frame,
                        const struct template_node *node, const struct template_expression *e,
                        struct template_value *ret)
{
    const struct template_helper *helper = render_helper(r, e);

    if (e->kind == EXPRESSION_LITERAL) {
        *ret = e->literal;
        return 0;
    }
    if (helper || render_is_lookup(e))
        return render_call(r, frame, node, e, helper, ret);
    if (e->kind == EXPRESSION_CALL)
        return render_fail(r, node, HAFT_EINVAL, "unknown helper \"%.*s\"",
                           e->n_parts ? e->parts[0].text : "", e->n_parts ? e->parts[0].size : 0);
    *ret = render_path(r, frame, e);
    return 0;
}

/* ---- blocks ---- */

static int render_nodes(struct renderer *r, const struct render_frame *frame,
                        const struct template_node *node);

static int render_body(struct renderer *r, const struct render_frame *frame,
                       const struct template_node *block, const struct template_value *value)
{
    struct render_frame inner = {
        .parent = frame, .value = *value, .is_context = true, .names = block};

    return render_nodes(r, &inner, block->body);
}

static int render_item(struct renderer *r, const struct render_frame *frame,
                       const struct template_node *block, haft_value *item,
                       struct template_value key, size_t i, size_t n)
{
    struct render_frame inner = {.parent = frame,
                                 .value = template_value_of(item),
                                 .is_context = true,
                                 .has_loop = true,
                                 .index = i,
                                 .first = !i,
                                 .last = i + 1 == n,
                                 .key = key,
                                 .names = block};

    return render_nodes(r, &inner, block->body);
}

static int render_each(struct renderer *r, const struct render_frame *frame,
                       const struct template_node *block, const struct template_value *value)
{
    yyjson_val *item, *key;
    size_t i, n = 0;
    int status = 0;

    if (value->kind == TEMPLATE_JSON && yyjson_is_arr(value->json)) {
        yyjson_arr_foreach(value->json, i, n, item) {
            status = render_item(
                r, frame, block, item,
                (struct template_value){.kind = TEMPLATE_NUMBER, .number = (double)i}, i, n);
            if (status)
                return status;
        }
    } else if (value->kind == TEMPLATE_JSON) {
        yyjson_obj_foreach(value->json, i, n, key, item) {
            status = render_item(r, frame, block, item, template_value_of(key), i, n);
            if (status)
                return status;
        }
    }
    return n ? 0 : render_nodes(r, frame, block->otherwise);
}

/* {{#x}}: once with it, for each of its items, or not at all. */
static int render_plain_block(struct renderer *r, const struct render_frame *frame,
                              const struct template_node *block, const struct template_value *value)
{
    if (value->kind == TEMPLATE_BOOLEAN && value->boolean)
        return render_nodes(r, frame, block->body);
    if (value->kind <= TEMPLATE_BOOLEAN)
        return render_nodes(r, frame, block->otherwise);
    if (value->kind == TEMPLATE_JSON && yyjson_is_arr(value->json))
        return render_each(r, frame, block, value);
    return render_body(r, frame, block, value);
}

enum render_block { BLOCK_PLAIN, BLOCK_IF, BLOCK_UNLESS, BLOCK_EACH, BLOCK_WITH };

static enum render_block render_block_of(const struct template_expression *e)
{
    static const char *const names[] = {NULL, "if", "unless", "each", "with"};

    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
        if (e->n_parts == 1 && !e->is_this && !e->is_data && render_part_is(&e->parts[0], names[i]))
            return (enum render_block)i;
    return BLOCK_PLAIN;
}

static int render_block(struct renderer *r, const struct render_frame *frame,
                        const struct template_node *block)
{
    const struct template_expression *e = block->expression;
    enum render_block kind = render_block_of(e);
    struct template_node turned = *block;
    struct template_value value;
    bool is_true;
    int status;

    if (kind != BLOCK_PLAIN && e->n_arguments != 1)
        return render_fail(r, block, HAFT_EINVAL, "#%.*s requires exactly one argument",
                           e->parts[0].text, e->parts[0].size);
    status = render_value(r, frame, block, kind == BLOCK_PLAIN ? e : e->arguments[0], &value);
    if (status)
        return status;
    if (block->inverted) {
        turned.body = block->otherwise;
        turned.otherwise = block->body;
        block = &turned;
    }
    is_true = kind == BLOCK_WITH || e->include_zero
                  ? !render_is_empty(&value)
                  : !render_is_empty(&value) && template_is_true(&value);
    switch (kind) {
    case BLOCK_IF:
        return render_nodes(r, frame, is_true ? block->body : block->otherwise);
    case BLOCK_UNLESS:
        return render_nodes(r, frame, is_true ? block->otherwise : block->body);
    case BLOCK_EACH:
        return render_each(r, frame, block, &value);
    case BLOCK_WITH:
        return is_true ? render_body(r, frame, block, &value)
                       : render_nodes(r, frame, block->otherwise);
    default:
        return render_plain_block(r, frame, block, &value);
    }
}

static int render_node(struct renderer *r, const struct render_frame *frame,
                       const struct template_node *node)
{
    struct template_value value;
    int status;

    switch (node->kind) {
    case NODE_TEXT:
        return render_put(r, node, node->text, node->size);
    case NODE_VALUE:
        status = render_value(r, frame, node, node->expression, &value);
        return status ? status : render_put_value(r, node, &value, 0);
    default:
        return render_block(r, frame, node);
    }
}

static int render_nodes(struct renderer *r, const struct render_frame *frame,
                        const struct template_node *node)
{
    int status = 0;

    for (; node && !status; node = node->next) {
        if (!r->steps--)
            return render_fail(r, node, HAFT_ESTEPS, "the template takes too many steps%.*s", "",
                               0);
        if (r->options->stop && !(r->steps & 255) && r->options->stop(r->options->context))
            return render_fail(r, node, HAFT_ECLOSED, "the call was cancelled%.*s", "", 0);
        status = render_node(r, frame, node);
    }
    return status;
}

int template_render(const char *text, size_t size, haft_value *root,
                    const struct template_options *options, haft_arena *arena, haft_buffer *out,
                    haft_reason *reterr_reason)
{
    struct renderer r = {.options = options,
                         .arena = arena,
                         .out = out,
                         .reason = reterr_reason,
                         .root = root,
                         .steps = options->max_steps ? options->max_steps : 100000,
                         .max_output =
                             out->size + (options->max_output ? options->max_output : 256 << 10)};
    struct render_frame frame = {.value = template_value_of(root), .is_context = true};
    const struct template_node *first;
    int status = template_parse(text, size, arena, &first, reterr_reason);

    return status ? status : render_nodes(&r, &frame, first);
}
