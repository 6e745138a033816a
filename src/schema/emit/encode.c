/* encode.c - encodes C structs as JSON and validates them while writing.
 *
 * A scalar is converted to a JSON value on the stack and walked like a value from a client, so a
 * handler's result is subject to the same rules, and reports the same issues, as a client's
 * arguments. */
#include <string.h>

#include "schema/model/sized.h"
#include "schema/walk/walk.h"

struct encode {
    struct walk w;
    haft_buffer *buffer;
};

static unsigned encode_value(struct encode *e, const struct node *node, struct place from,
                             const struct path *at);

static unsigned encode_text(struct encode *e, const struct node *node, const char *text,
                            size_t size, const struct path *at)
{
    yyjson_val value = {0};

    if (haft_utf8_valid(text, size) != size)
        return hf_report_custom(&e->w, at, "Invalid string: not valid UTF-8", ABORT);
    yyjson_set_strn(&value, text, size);
    haft_buffer_json_string(e->buffer, text, size);
    return hf_walk(&e->w, node, &value, at, NULL, NOWHERE);
}

static unsigned encode_bytes(struct encode *e, struct place from, const struct path *at)
{
    const unsigned char *bytes =
        *(unsigned char *const *)(const void *)(from.base + from.member->offset);
    size_t size = *(const size_t *)(const void *)(from.base + from.member->count);
    char *text;

    if (!bytes && size)
        return hf_report_type(&e->w, at, NULL, "string", NULL, NULL, ABORT);
    text = size < SIZE_MAX / 2 ? haft_arena_alloc(e->w.arena, HAFT_BASE64_SIZE(size) + 1) : NULL;
    if (!text)
        return hf_walk_stop(&e->w, HAFT_ENOMEM);
    buffer_literal(e->buffer, "\"");
    buffer_add(e->buffer, text, haft_base64_encode(bytes, size, text));
    buffer_literal(e->buffer, "\"");
    return PASS;
}

/* The index of the enumerator with this C value; past the end if there is none. */
static size_t find_number(const struct node *node, const char *member)
{
    size_t n = yyjson_arr_size(node->values), i = 0;
    uint64_t mask = UINT64_MAX >> (64 - node->size * 8), bits = sized_get(member, node->size);

    while (i < n && ((uint64_t)node->numbers[i] & mask) != bits)
        i++;
    return i;
}

static unsigned encode_enum(struct encode *e, const struct node *node, const char *member,
                            const struct path *at)
{
    size_t index =
        node->numbers ? find_number(node, member) : (size_t)sized_get_signed(member, sizeof(int));
    yyjson_val *name = yyjson_arr_get(node->values, index);

    if (!name)
        return hf_report_value(&e->w, at, node);
    haft_buffer_json_string(e->buffer, yyjson_get_str(name), yyjson_get_len(name));
    return PASS;
}

static unsigned encode_json(struct encode *e, const struct node *node, yyjson_val *value,
                            const struct path *at)
{
    yyjson_val *key;
    int status;

    if (!value)
        return hf_report_type(&e->w, at, NULL, "nonoptional", NULL, NULL, ABORT);
    status = hf_json_check(value, e->w.schema->max_depth - e->w.depth, e->w.arena, &key);
    if (status == HAFT_EINVAL)
        return hf_report_duplicate(&e->w, at, key);
    if (status)
        return hf_walk_stop(&e->w, status);
    haft_json_write(value, e->buffer);
    if (e->buffer->status == HAFT_EUTF8) {
        e->buffer->status = 0;
        return hf_report_custom(&e->w, at, "Invalid string: not valid UTF-8", ABORT);
    }
    return hf_walk(&e->w, node, value, at, NULL, NOWHERE);
}

/* ---- containers ---- */

/* A placeholder for the container being written, for checks of its size. */
static yyjson_val stand_in(yyjson_type type, size_t n)
{
    yyjson_val value = {.tag = (uint64_t)n << YYJSON_TAG_BIT | type};

    return value;
}

/* Parses what was just written, for the few checks that need the whole value. */
static yyjson_val *encode_written(struct encode *e, size_t start)
{
    yyjson_val *value = NULL;
    const char *reason;
    size_t offset;

    if (e->buffer->status || hf_json_parse(e->buffer->data + start, e->buffer->size - start,
                                           e->w.arena, &value, &offset, &reason))
        hf_walk_stop(&e->w, e->buffer->status ? e->buffer->status : HAFT_ENOMEM);
    return value;
}

static bool checks_unique(const struct node *node)
{
    for (size_t i = 0; i < node->n_checks; i++)
        if (node->checks[i].op == CHECK_UNIQUE)
            return true;
    return false;
}

/* Returns the items and their number. */
static char *items_of(const struct node *node, struct place from, size_t *ret_n)
{
    char *member = from.base + from.member->offset;

    *ret_n = from.member->count != NO_MEMBER
                 ? *(const size_t *)(const void *)(from.base + from.member->count)
                 : node->size / node->array->items->size;
    return node->store == STORE_INLINE ? member : *(char *const *)(const void *)member;
}

static unsigned encode_array(struct encode *e, const struct node *node, struct place from,
                             const struct path *at)
{
    size_t n = 0, start = e->buffer->size;
    char *items = items_of(node, from, &n);
    yyjson_val whole = stand_in(YYJSON_TYPE_ARR, n), *value = &whole;
    unsigned verdict = PASS;

    if (node->store == STORE_INLINE && n > node->size / node->array->items->size)
        return hf_walk_checks(&e->w, node, value, at, verdict, n, NOWHERE) | ABORT;
    if (n && !items)
        return hf_report_type(&e->w, at, node, "array", NULL, NULL, ABORT);
    buffer_literal(e->buffer, "[");
    for (size_t i = 0; i < n && !e->w.status && !e->buffer->status; i++) {
        struct path here = {at, NULL, i};
        struct member member = {i * node->array->items->size, NO_MEMBER, NO_MEMBER, NO_MEMBER,
                                NO_MEMBER};

        if (i)
            buffer_literal(e->buffer, ",");
        verdict |= encode_value(e, node->array->items, (struct place){items, &member}, &here);
    }
    buffer_literal(e->buffer, "]");
    if (checks_unique(node)) {
        /* Incomplete items cannot be compared. */
        if (verdict)
            verdict |= ABORT;
        else
            value = encode_written(e, start);
    }
    return e->w.status ? ABORT_ALL : hf_walk_checks(&e->w, node, value, at, verdict, n, NOWHERE);
}

static unsigned encode_entry(struct encode *e, const struct node *node, const char *key,
                             struct place from, const struct path *at)
{
    struct path here = {at, key ? key : "", 0};
    unsigned verdict;

    if (!key)
        return hf_report_type(&e->w, &here, NULL, "string", NULL, NULL, ABORT);
    /* Such a key cannot be part of a path either. */
    if (haft_utf8_valid(key, strlen(key)) != strlen(key))
        return hf_report_custom(&e->w, at, "Invalid key: not valid UTF-8", ABORT);
    verdict = encode_text(e, node->object->names, key, strlen(key), &here);
    buffer_literal(e->buffer, ":");
    return verdict | encode_value(e, node->object->extra_node, from, &here);
}

static unsigned encode_map(struct encode *e, const struct node *node, struct place from,
                           const struct path *at)
{
    char *values = *(char *const *)(const void *)(from.base + from.member->offset);
    const char *const *keys =
        *(const char *const *const *)(const void *)(from.base + from.member->keys);
    size_t n = *(const size_t *)(const void *)(from.base + from.member->count);
    size_t start = e->buffer->size;
    yyjson_val whole = stand_in(YYJSON_TYPE_OBJ, n), *value, *key;
    unsigned verdict = PASS;
    int twice = 0;

    if (n && (!values || !keys))
        return hf_report_type(&e->w, at, node, "record", NULL, NULL, ABORT);
    buffer_literal(e->buffer, "{");
    for (size_t i = 0; i < n && !e->w.status && !e->buffer->status; i++) {
        struct member member = {i * node->object->extra_node->size, NO_MEMBER, NO_MEMBER, NO_MEMBER,
                                NO_MEMBER};

        if (i)
            buffer_literal(e->buffer, ",");
        verdict |= encode_entry(e, node, keys[i], (struct place){values, &member}, at);
    }
    buffer_literal(e->buffer, "}");
    if (!verdict && n > 1) {
        value = encode_written(e, start);
        if (value)
            twice = hf_json_duplicate(value, e->w.arena, &key);
        if (twice < 0)
            return hf_walk_stop(&e->w, twice);
        if (twice)
            verdict |= hf_report_duplicate(&e->w, at, key);
    }
    return e->w.status ? ABORT_ALL : hf_walk_checks(&e->w, node, &whole, at, verdict, n, NOWHERE);
}

/* Whether an optional property has a value. */
static bool is_present(const struct property *property, const char *base)
{
    const struct member *member = &property->member;

    if (member->null != NO_MEMBER && *(const bool *)(base + member->null))
        return member->has == NO_MEMBER || *(const bool *)(base + member->has);
    if (member->has != NO_MEMBER)
        return *(const bool *)(base + member->has);
    return property->node->store != STORE_POINTER ||
           *(void *const *)(const void *)(base + member->offset);
}

static unsigned encode_struct(struct encode *e, const struct node *node, struct place from,
                              const struct path *at)
{
    yyjson_val object;
    unsigned verdict = PASS;
    size_t n = 0;
    char *base = from.base + from.member->offset;

    buffer_literal(e->buffer, "{");
    for (size_t i = 0; i < node->object->n_properties; i++) {
        const struct property *property = &node->object->properties[i];
        struct path here = {at, property->name, 0};

        if (e->w.status || e->buffer->status ||
            (property->presence == PRESENCE_OPTIONAL && !is_present(property, base)))
            continue;
        if (n++)
            buffer_literal(e->buffer, ",");
        haft_buffer_json_string(e->buffer, property->name, property->size);
        buffer_literal(e->buffer, ":");
        if (property->member.offset == NO_MEMBER)
            haft_json_write(yyjson_arr_get_first(property->node->values), e->buffer);
        else
            verdict |=
                encode_value(e, property->node, (struct place){base, &property->member}, &here);
    }
    buffer_literal(e->buffer, "}");
    if (e->w.status)
        return ABORT_ALL;
    if (!node->n_checks)
        return verdict;
    object = stand_in(YYJSON_TYPE_OBJ, n);
    return hf_walk_checks(&e->w, node, &object, at, verdict, n, from);
}

static unsigned encode_choice(struct encode *e, const struct node *node, struct place from,
                              const struct path *at)
{
    const struct rule *rule = &node->rules[0];
    int kind = *(const int *)(const void *)(from.base + from.member->offset);
    struct member member = rule->member;

    if (kind < 0 || (size_t)kind >= rule->n_nodes)
        return rule->members
                   ? hf_report_custom(&e->w, at, "Invalid input: none of its cases", ABORT)
                   : hf_report_discriminator(&e->w, at, rule);
    member = hf_member_inside(rule->members ? &rule->members[kind] : &member, from.member->offset);
    return encode_value(e, rule->nodes[kind], (struct place){from.base, &member}, at);
}

static unsigned encode_pointer(struct encode *e, const struct node *node, struct place from,
                               const struct path *at)
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    char *to = *(char *const *)(const void *)(from.base + from.member->offset);

    if (!to)
        return hf_report_type(&e->w, at, node, node->expected, NULL, NULL, ABORT);
    return encode_value(e, node->as, (struct place){to, &whole}, at);
}

/* ---- a value ---- */

/* NaN and the infinities are not JSON. */
static COLD unsigned report_infinite(struct encode *e, double number, const struct path *at)
{
    return hf_report_custom(&e->w, at,
                            number != number ? "Invalid input: expected number, received NaN"
                                             : "Invalid input: expected number, received Infinity",
                            ABORT);
}

static unsigned encode_number(struct encode *e, const struct node *node, const char *at_member,
                              const struct path *at)
{
    yyjson_val value = {0};

    if (node->store == STORE_INTEGER) {
        int64_t integer = *(const int64_t *)(const void *)at_member;

        yyjson_set_sint(&value, integer);
        haft_buffer_json_integer(e->buffer, integer);
    } else {
        double number = *(const double *)(const void *)at_member;

        if (!(number - number == 0))
            return report_infinite(e, number, at);
        yyjson_set_real(&value, number);
        haft_buffer_json_number(e->buffer, number);
    }
    return hf_walk(&e->w, node, &value, at, NULL, NOWHERE);
}

static unsigned encode_sized(struct encode *e, const struct node *node, const char *member,
                             const struct path *at)
{
    yyjson_val value = {0};

    if (node->store == STORE_UNSIGNED)
        yyjson_set_uint(&value, sized_get(member, node->size));
    else
        yyjson_set_sint(&value, sized_get_signed(member, node->size));
    haft_json_write(&value, e->buffer);
    return hf_walk(&e->w, node, &value, at, NULL, NOWHERE);
}

/* Writes the shortest decimal of the float, not the digits of the double it converts to. */
static unsigned encode_float(struct encode *e, const struct node *node, const char *member,
                             const struct path *at)
{
    yyjson_val value = {0};
    float narrow;
    double number;

    memcpy(&narrow, member, sizeof narrow);
    number = hf_float_to_number(narrow);
    if (!(number - number == 0))
        return report_infinite(e, number, at);
    yyjson_set_real(&value, number);
    haft_buffer_json_number(e->buffer, number);
    return hf_walk(&e->w, node, &value, at, NULL, NOWHERE);
}

/* A string that fills its array completely, without a NUL, is an error. */
static unsigned encode_chars(struct encode *e, const struct node *node, const char *member,
                             const struct path *at)
{
    const char *end = memchr(member, 0, node->size);

    return end ? encode_text(e, node, member, (size_t)(end - member), at)
               : hf_report_custom(&e->w, at, "Invalid string: not NUL-terminated", ABORT);
}

/* Encodes a member that is narrower than its kind. */
static COLD unsigned encode_narrow(struct encode *e, const struct node *node, struct place from,
                                   const struct path *at)
{
    const char *member = from.base + from.member->offset;

    switch ((enum store)node->store) {
    case STORE_TEXT:
        return encode_chars(e, node, member, at);
    case STORE_FLOAT:
        return encode_float(e, node, member, at);
    default:
        return encode_sized(e, node, member, at);
    }
}

/* Whether a nullable value is null: null_x says so; an item, which has no null_x, is a NULL
 * pointer. */
static bool is_null(struct place from)
{
    if (from.member->null != NO_MEMBER)
        return *(const bool *)(from.base + from.member->null);
    return !*(void *const *)(const void *)(from.base + from.member->offset);
}

static unsigned encode_value(struct encode *e, const struct node *node, struct place from,
                             const struct path *at)
{
    const char *member = from.base + from.member->offset;
    const char *text;
    unsigned verdict;

    if (node->nullable && is_null(from)) {
        buffer_literal(e->buffer, "null");
        return PASS;
    }
    switch ((enum store)node->store) {
    case STORE_BOOLEAN:
        haft_buffer_puts(e->buffer, *(const bool *)member ? "true" : "false");
        return PASS;
    case STORE_INTEGER:
    case STORE_NUMBER:
        return encode_number(e, node, member, at);
    case STORE_STRING:
        text = *(const char *const *)(const void *)member;
        return text ? encode_text(e, node, text, strlen(text), at)
                    : hf_report_type(&e->w, at, node, NULL, NULL, NULL, ABORT);
    case STORE_BYTES:
        return encode_bytes(e, from, at);
    case STORE_ENUM:
        return encode_enum(e, node, member, at);
    case STORE_JSON:
        return encode_json(e, node, *(yyjson_val *const *)(const void *)member, at);
    case STORE_CHOICE:
        return encode_choice(e, node, from, at);
    case STORE_POINTER:
        return encode_pointer(e, node, from, at);
    case STORE_STRUCT:
    case STORE_ARRAY:
    case STORE_MAP:
    case STORE_INLINE:
        break;
    default:
        return encode_narrow(e, node, from, at);
    }
    if (e->w.depth == e->w.schema->max_depth)
        return hf_walk_stop(&e->w, HAFT_EDEPTH);
    e->w.depth++;
    if (node->store == STORE_STRUCT)
        verdict = encode_struct(e, node, from, at);
    else if (node->store == STORE_MAP)
        verdict = encode_map(e, node, from, at);
    else
        verdict = encode_array(
            e, node,
            node->list ? (struct place){from.base + from.member->offset, &node->inner} : from, at);
    e->w.depth--;
    return verdict;
}

int haft_schema_encode(const haft_schema *schema, const void *value, haft_arena *arena,
                       haft_buffer *buffer, haft_issues *reterr_issues)
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    struct encode e = {.w = {.schema = schema,
                             .arena = arena,
                             .issues = reterr_issues,
                             .scratch = {.arena = arena},
                             .steps = schema->max_steps},
                       .buffer = buffer};
    size_t start = buffer->size;
    unsigned verdict;

    *reterr_issues = (haft_issues){NULL, 0, 0};
    if (!schema->typed)
        return HAFT_EINVAL;
    if (buffer->status)
        return buffer->status;
    /* The value is only read; the cast is needed because decoding writes to places. */
    verdict =
        encode_value(&e, schema->root, (struct place){(char *)(uintptr_t)value, &whole}, NULL);
    if (!e.w.status)
        e.w.status = buffer->status;
    if (!e.w.status && !verdict)
        return 0;
    buffer->size = start;
    return hf_walk_finish(&e.w, verdict);
}
