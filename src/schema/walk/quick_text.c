/* quick_text.c - the fast lane from text: no document in between.
 *
 * Large arguments are mostly the same small object again and again, written by a program: no
 * escapes, keys in the order of the schema.  They are checked, and decoded into the C type, in one
 * pass over their text; reading them into a document first takes longer than all the rest.  As in
 * quick.c, whatever is unusual is not refused but left to the document and the walk, which decide;
 * so this can only ever agree with them. */
#include "schema/walk/lane.h"
#include "schema/walk/quick.h"

struct quick_text_fast {
    haft_arena *arena;
    size_t depth;    /* levels left */
    const char *end; /* of the text: a NUL, so that nothing runs past it */
};

/* Mostly there is none. */
static ALWAYS_INLINE char *quick_text_skip_space(char *at)
{
    if ((unsigned char)*at <= ' ')
        while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
            at++;
    return at;
}

/* Each returns what follows in the text, or NULL when the lane does not take it. */

/* ---- what has no parts ---- */

/* Up to the first quote, backslash or control character; *high gathers the bytes before it. */
static ALWAYS_INLINE char *skip_plain(char *at, uint64_t *high)
{
    uint64_t word;

    for (memcpy(&word, at, sizeof word); !word_ends_plain(word); memcpy(&word, at, sizeof word)) {
        *high |= word;
        at += sizeof word;
    }
    while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
        *high |= (unsigned char)*at++;
    return at;
}

/* A format whose texts are all of one size has none that JSON would write otherwise. */
static ALWAYS_INLINE char *read_sized(const struct quick_text_fast *fast, const struct node *node,
                                      char *text)
{
    size_t size = node->quick.size;

    return size && size < (size_t)(fast->end - text) && text[size] == '"' ? text + size : NULL;
}

static ALWAYS_INLINE char *read_string(struct quick_text_fast *fast, const struct node *node,
                                       char *at, char *base, const struct member *member)
{
    uint64_t high = 0;
    char *text = at + 1, *end = read_sized(fast, node, text);
    yyjson_val value = {.uni.str = text};
    size_t size;

    if (!end)
        end = skip_plain(text, &high);
    size = (size_t)(end - text);
    value.tag = (uint64_t)size << YYJSON_TAG_BIT | YYJSON_TYPE_STR | YYJSON_SUBTYPE_NOESC;
    if (*end != '"' || !fast_string(node, &value, base, member) ||
        ((high & EACH_BYTE(0x80)) && haft_utf8_valid(text, size) != size))
        return NULL;
    *end = '\0';
    return end + 1;
}

/* As a rule it is a small integer. */
static ALWAYS_INLINE char *quick_text_parse_number(char *at, yyjson_val *ret_value)
{
    enum { SURE_DIGITS = 18 };
    char *start = at;
    uint64_t integer = 0;

    for (; (unsigned char)(*at - '0') < 10; at++)
        integer = integer * 10 + (unsigned char)(*at - '0');
    ret_value->tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_UINT;
    ret_value->uni.u64 = integer;
    if (at == start || at - start > SURE_DIGITS || (*start == '0' && at - start > 1) ||
        *at == '.' || (*at | 0x20) == 'e')
        at = (char *)(uintptr_t)yyjson_read_number(start, ret_value, 0, NULL, NULL);
    return at;
}

static ALWAYS_INLINE char *quick_text_read_number(const struct node *node, char *at, char *base,
                                                  const struct member *member)
{
    yyjson_val value = {0};

    at = quick_text_parse_number(at, &value);
    return at && fast_number(node, &value, base, member) ? at : NULL;
}

static char *read_boolean(const struct node *node, char *at, char *base,
                          const struct member *member)
{
    bool value = *at == 't';
    size_t size = value ? 4 : 5;

    if (memcmp(at, value ? "true" : "false", size))
        return NULL;
    fast_boolean(node, value, base, member);
    return at + size;
}

/* For a member that is narrower than its kind; NULL for anything else, too. */
static COLD char *read_narrow(struct quick_text_fast *fast, const struct node *node, char *at,
                              char *base, const struct member *member)
{
    yyjson_val value = {0};
    char *end;

    if (*at == '"' && (node->quick.narrow >> YYJSON_TYPE_STR & 1)) {
        end = read_string(fast, node, at, NULL, member);
        if (end)
            yyjson_set_strn(&value, at + 1, (size_t)(end - at) - 2);
    } else if (node->quick.narrow >> YYJSON_TYPE_NUM & 1) {
        end = quick_text_parse_number(at, &value);
        if (end && !fast_number(node, &value, NULL, member))
            end = NULL;
    } else {
        return NULL;
    }
    return end && fast_narrow(node, &value, base, member) ? end : NULL;
}

static char *quick_text_read_array(struct quick_text_fast *fast, const struct node *node, char *at,
                                   char *base, const struct member *member);
static char *read_object(struct quick_text_fast *fast, const struct node *node, char *at,
                         char *base, const struct member *member);

static ALWAYS_INLINE bool takes(const struct node *node, unsigned type)
{
    return node->quick.types >> type & 1;
}

static ALWAYS_INLINE char *read(struct quick_text_fast *fast, const struct node *node, char *at,
                                char *base, const struct member *member)
{
    switch (*at) {
    case '"':
        return takes(node, YYJSON_TYPE_STR) ? read_string(fast, node, at, base, member)
                                            : read_narrow(fast, node, at, base, member);
    case '{':
        return takes(node, YYJSON_TYPE_OBJ) ? read_object(fast, node, at, base, member) : NULL;
    case '[':
        return takes(node, YYJSON_TYPE_ARR) ? quick_text_read_array(fast, node, at, base, member)
                                            : NULL;
    case 't':
    case 'f':
        return takes(node, YYJSON_TYPE_BOOL) ? read_boolean(node, at, base, member) : NULL;
    default:
        return takes(node, YYJSON_TYPE_NUM) ? quick_text_read_number(node, at, base, member)
                                            : read_narrow(fast, node, at, base, member);
    }
}

/* ---- what has parts ---- */

/* To the next part, or to the end. */
static ALWAYS_INLINE char *skip_comma(char *at, char end)
{
    at = quick_text_skip_space(at);
    if (*at == end)
        return at;
    at = *at == ',' ? quick_text_skip_space(at + 1) : NULL;
    return at && *at != end ? at : NULL;
}

/* Items whose number is known at their end. */
struct items {
    char *list;
    size_t n, room;
    bool inside; /* the struct: the room is all there is */
};

static bool quick_text_grow(struct quick_text_fast *fast, struct items *items, size_t stride)
{
    enum { FIRST_ROOM = 4 };
    size_t room = items->room ? items->room * 2 : FIRST_ROOM;
    char *list;

    if (items->inside || room > SIZE_MAX / 2 / (stride ? stride : 1))
        return false;
    list = hf_arena_resize(fast->arena, items->list, items->room * stride, room * stride);
    if (!list)
        return false;
    memset(list + items->room * stride, 0, (room - items->room) * stride);
    items->list = list;
    items->room = room;
    return true;
}

static APART char *quick_text_read_array(struct quick_text_fast *fast, const struct node *node,
                                         char *at, char *base, const struct member *member)
{
    const struct node *each = node->array->items;
    bool keeps = base && node->store == STORE_ARRAY;
    struct items items = {0};

    if (!fast->depth)
        return NULL;
    if (base && node->store == STORE_INLINE) {
        items = (struct items){base + member->offset, 0, node->quick.most_items, true};
        keeps = true;
    }
    fast->depth--;
    for (at = quick_text_skip_space(at + 1); at && *at != ']'; items.n++) {
        if (keeps && items.n == items.room && !quick_text_grow(fast, &items, each->size))
            return NULL;
        at = read(fast, each, at, keeps ? items.list + items.n * each->size : NULL, &fast_whole);
        at = at ? skip_comma(at, ']') : NULL;
    }
    fast->depth++;
    if (!at || items.n < node->quick.least_items || items.n > node->quick.most_items)
        return NULL;
    if (!keeps)
        return at + 1;
    if (items.inside) {
        if (member->count != NO_MEMBER)
            *(size_t *)(void *)(base + member->count) = items.n;
        return at + 1;
    }
    if (node->list) {
        base += member->offset;
        member = &node->inner;
    }
    /* One that has none is there all the same. */
    items.list = hf_arena_resize(fast->arena, items.list, items.room * each->size,
                                 (items.n ? items.n : 1) * each->size);
    *(char **)(void *)(base + member->offset) = items.list;
    *(size_t *)(void *)(base + member->count) = items.n;
    return items.list ? at + 1 : NULL;
}

/* A name has neither quotes nor escapes: hf_quick_prepare sees to that. */
static ALWAYS_INLINE bool quick_text_is_key(const struct quick_text_fast *fast, const char *at,
                                            const struct property *property)
{
    return *at == '"' && (size_t)(fast->end - at) > property->size &&
           at[property->size + 1] == '"' && same_bytes(at + 1, property->name, property->size);
}

static APART char *read_object(struct quick_text_fast *fast, const struct node *node, char *at,
                               char *base, const struct member *member)
{
    const struct property *property = node->object->properties;
    size_t n = node->object->n_properties;

    if (!fast->depth)
        return NULL;
    fast->depth--;
    base = base && node->store == STORE_STRUCT ? base + member->offset : NULL;
    at = quick_text_skip_space(at + 1);
    for (; n; n--, property++) {
        if (!quick_text_is_key(fast, at, property)) {
            if (property->presence != PRESENCE_OPTIONAL)
                return NULL;
            continue;
        }
        at = quick_text_skip_space(at + property->size + 2);
        if (*at != ':')
            return NULL;
        at = read(fast, property->node, quick_text_skip_space(at + 1), base, &property->member);
        at = at ? skip_comma(at, '}') : NULL;
        if (!at)
            return NULL;
        if (base && property->member.has != NO_MEMBER)
            *(bool *)(base + property->member.has) = true;
    }
    fast->depth++;
    return *at == '}' ? at + 1 : NULL;
}

const char *hf_quick_read(const haft_schema *schema, const char *text, size_t size,
                          size_t max_depth, haft_arena *arena, char *to, size_t *ret_size)
{
    arena_mark mark = hf_arena_save(arena);
    char *copy = size < SIZE_MAX / 2 ? haft_arena_alloc(arena, size + sizeof(uint64_t)) : NULL;
    char *end = NULL;

    if (copy) {
        struct quick_text_fast fast = {arena, max_depth, copy + size};

        memcpy(copy, text, size);
        memset(copy + size, 0, sizeof(uint64_t)); /* where a word may begin */
        if (schema->max_depth < max_depth)
            fast.depth = schema->max_depth;
        end = read(&fast, schema->root, copy, to, &fast_whole);
    }
    if (!end) {
        hf_arena_rewind(arena, mark);
        return NULL;
    }
    *ret_size = (size_t)(end - copy);
    return copy;
}
