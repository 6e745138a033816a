/* word.c - properties of a definition besides its type: optionality, annotations, and user-defined
 * checks. */
#include "schema/build/build.h"

#include <string.h>

#include "schema/document/keyword.h"

/* ---- presence ---- */

haft_def *haft_def_optional(haft_def *def)
{
    haft_def *again = hf_def_again(def);

    if (again && again->presence == PRESENCE_REQUIRED)
        again->presence = PRESENCE_OPTIONAL;
    return again;
}

haft_def *haft_def_nullable(haft_def *def)
{
    haft_def *copy = hf_def_copy(def);

    if (copy)
        copy->node->nullable = true;
    return copy;
}

haft_def *haft_def_nullish(haft_def *def)
{
    return haft_def_optional(haft_def_nullable(def));
}

/* ---- annotations ---- */

/* A copy of the definition with its own meta. */
static haft_def *worded(const haft_def *def)
{
    haft_def *copy = hf_def_copy(def);
    struct meta *meta;

    if (!copy)
        return NULL;
    meta = hf_build_room(def->builder, 1, sizeof *meta);
    if (!meta)
        return NULL;
    if (def->node->meta)
        *meta = *def->node->meta;
    copy->node->meta = meta;
    return copy;
}

haft_def *haft_def_default(haft_def *def, const char *json)
{
    haft_def *copy = worded(def);

    if (!copy)
        return NULL;
    copy->presence = PRESENCE_DEFAULT;
    copy->fallback = hf_build_json(def->builder, json, "default");
    copy->node->meta->fallback = copy->fallback;
    return copy->fallback ? copy : NULL;
}

haft_def *haft_def_describe(haft_def *def, const char *text)
{
    haft_def *copy = worded(def);

    if (!copy)
        return NULL;
    copy->node->meta->description = hf_build_text(def->builder, text, "description");
    return copy->node->meta->description ? copy : NULL;
}

haft_def *haft_def_title(haft_def *def, const char *text)
{
    haft_def *copy = worded(def);

    if (!copy)
        return NULL;
    copy->node->meta->title = hf_build_text(def->builder, text, "title");
    return copy->node->meta->title ? copy : NULL;
}

haft_def *haft_def_examples(haft_def *def, const char *json_array)
{
    haft_def *copy = worded(def);
    yyjson_val *examples = copy ? hf_build_json(def->builder, json_array, "examples") : NULL;

    if (!examples)
        return NULL;
    if (!yyjson_is_arr(examples))
        return hf_build_fail(def->builder, HAFT_EINVAL, "examples",
                             "the examples are not a JSON array");
    copy->node->meta->examples = examples;
    return copy;
}

haft_def *haft_def_deprecated(haft_def *def)
{
    haft_def *copy = worded(def);

    if (copy)
        copy->node->meta->deprecated = true;
    return copy;
}

haft_def *haft_def_read_only(haft_def *def)
{
    haft_def *copy = worded(def);

    if (copy)
        copy->node->meta->read_only = true;
    return copy;
}

haft_def *haft_def_secret(haft_def *def)
{
    haft_def *copy = worded(def);

    if (copy) {
        copy->node->meta->write_only = true;
        copy->node->secret = true;
    }
    return copy;
}

/* Whether `key` is a JSON Schema keyword: the definition emits these itself, so a further member
 * with that name would contradict or duplicate it. $comment is allowed. */
static bool is_keyword(const char *key)
{
    for (size_t i = 0; i < KEYWORD_COUNT; i++)
        if (!strcmp(key, hf_keyword_rows[i].name) && i != KEYWORD_COMMENT)
            return true;
    return false;
}

haft_def *haft_def_meta(haft_def *def, const char *key, const char *json)
{
    haft_def *copy = worded(def);
    const char *name = copy ? hf_build_text(def->builder, key, "meta") : NULL;
    yyjson_val *value;

    if (!name)
        return NULL;
    if (is_keyword(name))
        return hf_build_fail(def->builder, HAFT_EINVAL, name,
                             "%s cannot be set with meta: use the builder's own function for it",
                             name);
    value = hf_build_json(def->builder, json, name);
    if (!value)
        return NULL;
    copy->node->meta->extra = hf_values_member(def->builder, copy->node->meta->extra, name, value);
    return copy->node->meta->extra ? copy : NULL;
}

/* ---- user-defined checks ---- */

struct plain_refinement {
    bool (*check)(const haft_value *value, void *data);
    void *data;
    const char *message;
};

struct super_refinement {
    void (*check)(haft_refinement *refinement, const haft_value *value, void *data);
    void *data;
};

static void refine_plain(struct haft_refinement *refinement, const yyjson_val *json,
                         const void *value, void *data)
{
    const struct plain_refinement *plain = data;

    (void)value;
    if (!plain->check(json, plain->data))
        haft_refinement_add_issue(refinement, NULL, "%s", plain->message);
}

static void refine_super(struct haft_refinement *refinement, const yyjson_val *json,
                         const void *value, void *data)
{
    const struct super_refinement *super = data;

    (void)value;
    super->check(refinement, json, super->data);
}

/* A copy of the definition for adding a check. Checks before nullable() do not see a null that
 * passes; a later check does, so it goes on a node around the nullable one. */
static haft_def *refined(const haft_def *def)
{
    haft_def *outer = hf_def_copy(def), *inner;
    const struct node *node;

    if (!outer || !def->node->nullable)
        return outer;
    inner = hf_def_copy(def);
    if (!inner)
        return NULL;
    inner->node->meta = NULL;
    *outer->node = (struct node){.types = TYPE_ANY, .id = NO_ID, .meta = def->node->meta};
    node = inner->node;
    if (!hf_node_add_rule(def->builder->schema, outer->node, RULE_REF, &node, 1))
        return hf_build_no_memory(def->builder);
    outer->lazy = NULL;
    outer->native = false;
    return outer;
}

haft_def *haft_def_refine(haft_def *def, bool (*check)(const haft_value *value, void *data),
                          void *data, const char *message)
{
    haft_def *copy = refined(def);
    struct plain_refinement *plain = copy ? hf_build_room(def->builder, 1, sizeof *plain) : NULL;
    struct check made = {.op = CHECK_REFINE, .refine = refine_plain, .refine_data = plain};

    if (!plain)
        return NULL;
    if (!check)
        return hf_build_fail(def->builder, HAFT_EINVAL, "refine", "the function is missing");
    *plain = (struct plain_refinement){check, data, "Invalid input"};
    if (message)
        plain->message = hf_build_text(def->builder, message, "refine");
    else if (copy->node->message)
        plain->message = copy->node->message;
    if (!plain->message)
        return NULL;
    if (hf_node_add_check(def->builder->schema, copy->node, &made))
        return hf_build_no_memory(def->builder);
    return copy;
}

haft_def *haft_def_super_refine(haft_def *def,
                                void (*check)(haft_refinement *refinement, const haft_value *value,
                                              void *data),
                                void *data)
{
    haft_def *copy = refined(def);
    struct super_refinement *super = copy ? hf_build_room(def->builder, 1, sizeof *super) : NULL;
    struct check made = {.op = CHECK_REFINE, .refine = refine_super, .refine_data = super};

    if (!super)
        return NULL;
    if (!check)
        return hf_build_fail(def->builder, HAFT_EINVAL, "super_refine", "the function is missing");
    *super = (struct super_refinement){check, data};
    if (hf_node_add_check(def->builder->schema, copy->node, &made))
        return hf_build_no_memory(def->builder);
    return copy;
}

/* Replaces the message of the last check. */
static haft_def *reword_check(haft_def *copy, const char *message)
{
    haft_builder *builder = copy->builder;
    struct node *node = copy->node;
    struct check *checks = hf_build_room(builder, node->n_checks, sizeof *checks), *last;

    if (!checks)
        return NULL;
    memcpy(checks, node->checks, node->n_checks * sizeof *checks);
    node->checks = checks;
    last = &checks[node->n_checks - 1];
    last->message = message;
    if (last->refine == refine_super)
        return hf_build_fail(builder, HAFT_ESCHEMA, "message",
                             "a super_refine reports its own messages");
    if (last->refine == refine_plain) {
        struct plain_refinement *plain = hf_build_room(builder, 1, sizeof *plain);

        if (!plain)
            return NULL;
        *plain = *(const struct plain_refinement *)last->refine_data;
        plain->message = message;
        last->refine_data = plain;
    }
    return copy;
}

haft_def *haft_def_message(haft_def *def, const char *text)
{
    haft_def *copy = hf_def_copy(def);
    const char *message = copy ? hf_build_text(def->builder, text, "message") : NULL;
    size_t own = def && def->native ? 1 : 0;

    if (!message)
        return NULL;
    if (copy->node->n_checks <= own)
        copy->node->message = message;
    return copy->node->n_checks ? reword_check(copy, message) : copy;
}
