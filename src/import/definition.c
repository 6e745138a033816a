/* definition.c - definitions: what references name, converted once and copied to each operation.
 *
 * Converting a definition stops at its references, so that circles of them need no special care: the
 * definitions that a schema uses are collected with a queue. */
#include <string.h>

#include "base/percent.h"
#include "base/sha256.h"
#include "import/shape.h"

/* ---- names ---- */

/* Whether a name needs no escapes in a reference. */
static bool definition_is_plain(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!percent_is_unreserved((unsigned char)name[i]) || name[i] == '~')
            return false;
    return size && size <= IMPORT_DEFINITION_NAME - 16;
}

/* Named schemas of a document keep their names.  Others, which a pointer finds elsewhere, end with a hash of
 * it: two of them cannot have the same name, and it is the same at every run. */
static const char *definition_name(haft_arena *arena, const char *text, size_t size)
{
    static const char *const places[] = {"#/components/schemas/", "#/definitions/"};
    const char *end = text + size, *last = end;
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t place = strlen(places[i]);

        if (size > place && !memcmp(text, places[i], place) &&
            definition_is_plain(text + place, size - place))
            return haft_arena_copy(arena, text + place, size - place);
    }
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, text, size);
    hf_sha256_finish(&hash, digest);
    while (last > text && last[-1] != '/')
        last--;
    size = (size_t)(end - last);
    return haft_arena_printf(arena, "%.*s.%02x%02x%02x%02x%02x%02x",
                             (int)(definition_is_plain(last, size) ? size : 0), last, digest[0],
                             digest[1], digest[2], digest[3], digest[4], digest[5]);
}

/* ---- finding ---- */

static struct import_definition *definition_add(const struct import_document *document,
                                                yyjson_val *reference, yyjson_val *schema)
{
    struct import_cache *cache = document->cache;
    struct import_definition *definition = haft_arena_zalloc(cache->arena, 1, sizeof *definition);

    if (!definition)
        return NULL;
    definition->schema = schema;
    definition->name =
        definition_name(cache->arena, yyjson_get_str(reference), yyjson_get_len(reference));
    if (!definition->name ||
        hf_name_map_put(&cache->values, cache->arena, (const void *)&definition->schema,
                        sizeof definition->schema, definition))
        return NULL;
    return definition;
}

/* Adds it to what the walk uses. */
static bool definition_note(struct shape_walk *walk, struct import_definition *definition)
{
    struct import_form *form = &definition->forms[walk->shaper->use];
    struct shape_use *use;

    if (form->walk == walk->serial)
        return true;
    use = haft_arena_alloc(walk->shaper->document->cache->work, sizeof *use);
    if (!use)
        return false;
    *use = (struct shape_use){definition, walk->uses};
    walk->uses = use;
    walk->n_uses++;
    form->walk = walk->serial;
    return true;
}

struct import_definition *hf_shape_define(struct shape_walk *walk, yyjson_val *reference)
{
    const struct import_document *document = walk->shaper->document;
    struct import_definition *definition;
    haft_reason reason;
    yyjson_val *schema = hf_import_follow(document, true, &reference, &reason);

    if (!schema) {
        hf_shape_fail(walk, reason.code, "%s", reason.text);
        return NULL;
    }
    definition = hf_name_map_get(&document->cache->values, (const void *)&schema, sizeof schema);
    if (!definition)
        definition = definition_add(document, reference, schema);
    if (definition && definition_note(walk, definition))
        return definition;
    hf_shape_no_memory(walk);
    return NULL;
}

/* ---- converting ---- */

static struct shape_walk definition_walk(struct import_shaper *shaper, yyjson_mut_doc *out)
{
    return (struct shape_walk){
        .shaper = shaper, .out = out, .serial = ++shaper->document->cache->serials};
}

static int definition_write(struct import_cache *cache, yyjson_mut_val *schema,
                            struct import_form *form)
{
    const yyjson_alc alc = hf_json_arena(cache->work);
    size_t size = 0;
    const char *text = yyjson_mut_val_write_opts(schema, 0, &alc, &size, NULL);

    form->text = text ? haft_arena_copy(cache->arena, text, size) : NULL;
    form->size = size;
    return form->text ? 0 : HAFT_ENOMEM;
}

static int definition_keep_uses(struct import_cache *cache, const struct shape_walk *walk,
                                struct import_form *form)
{
    size_t n = walk->n_uses;

    form->n_uses = n;
    if (!n)
        return 0;
    form->uses = haft_arena_zalloc(cache->arena, n, sizeof(struct import_definition *));
    if (!form->uses)
        return HAFT_ENOMEM;
    for (const struct shape_use *use = walk->uses; use; use = use->next)
        form->uses[--n] = use->definition;
    return 0;
}

/* A failure is remembered, except of memory: every operation that uses the definition has it. */
static int definition_fail(struct import_cache *cache, struct import_form *form,
                           haft_reason *reason)
{
    if (reason->code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    form->failure = haft_arena_copy(cache->arena, reason->text, strlen(reason->text));
    if (!form->failure)
        return HAFT_ENOMEM;
    form->status = reason->code;
    *reason = (haft_reason){0};
    return 0;
}

/* Converts a definition, in separate memory.  Returns 0, also for one that cannot be converted, or
 * HAFT_ENOMEM. */
static int definition_convert(struct import_shaper *shaper, struct import_definition *definition)
{
    struct import_cache *cache = shaper->document->cache;
    struct import_form *form = &definition->forms[shaper->use];
    arena_mark mark = hf_arena_save(cache->work);
    const yyjson_alc alc = hf_json_arena(cache->work);
    yyjson_mut_doc *out = yyjson_mut_doc_new(&alc);
    struct shape_walk walk = definition_walk(shaper, out);
    yyjson_mut_val *schema = NULL;
    int status = HAFT_ENOMEM;

    walk.definition = definition;
    if (out)
        schema = hf_shape_schema(&walk, definition->schema, 0);
    if (schema) {
        status = definition_write(cache, schema, form);
        if (!status)
            status = definition_keep_uses(cache, &walk, form);
    } else if (out) {
        status = definition_fail(cache, form, &shaper->reason);
    }
    hf_arena_rewind(cache->work, mark);
    return status;
}

/* ---- collecting ---- */

/* A queue of definitions that has room for all of them. */
struct definition_queue {
    struct import_definition **items;
    size_t n, room;
};

static bool definition_enqueue(struct import_shaper *shaper, struct definition_queue *queue,
                               struct import_definition *definition)
{
    struct import_cache *cache = shaper->document->cache;
    struct import_definition **items;
    size_t room;

    if (definition->forms[shaper->use].shaper == shaper->serial)
        return true;
    if (queue->n == queue->room) {
        room = queue->room ? queue->room * 2 : 64;
        items = haft_arena_zalloc(cache->work, room, sizeof *items);
        if (!items)
            return false;
        if (queue->n)
            memcpy(items, queue->items, queue->n * sizeof *items);
        queue->items = items;
        queue->room = room;
    }
    definition->forms[shaper->use].shaper = shaper->serial;
    queue->items[queue->n++] = definition;
    return true;
}

/* Adds the text to "$defs". */
static int definition_put(struct import_shaper *shaper, const struct import_definition *definition)
{
    const struct import_form *form = &definition->forms[shaper->use];
    yyjson_mut_val *text;

    if (form->status)
        return hf_error_set(&shaper->reason, form->status, "", "%s", form->failure);
    shaper->bytes += form->size;
    if (shaper->bytes > IMPORT_SCHEMA_LIMIT)
        return hf_error_set(&shaper->reason, HAFT_ETOOBIG, "",
                            "the schema with its definitions is larger than %d bytes",
                            IMPORT_SCHEMA_LIMIT);
    if (!shaper->definitions)
        shaper->definitions = yyjson_mut_obj(shaper->out);
    text = yyjson_mut_rawn(shaper->out, form->text, form->size);
    return shaper->definitions && text &&
                   yyjson_mut_obj_add_val(shaper->out, shaper->definitions, definition->name, text)
               ? 0
               : HAFT_ENOMEM;
}

/* Adds all definitions that the walk uses, and those that they use. */
static int definition_collect(struct import_shaper *shaper, const struct shape_walk *walk)
{
    struct definition_queue queue = {0};
    int status = 0;

    for (const struct shape_use *use = walk->uses; use; use = use->next)
        if (!definition_enqueue(shaper, &queue, use->definition))
            return HAFT_ENOMEM;
    for (size_t i = 0; i < queue.n && !status; i++) {
        struct import_definition *definition = queue.items[i];
        struct import_form *form = &definition->forms[shaper->use];

        if (!form->text && !form->status)
            status = definition_convert(shaper, definition);
        if (!status)
            status = definition_put(shaper, definition);
        for (size_t j = 0; j < form->n_uses && !status; j++)
            if (!definition_enqueue(shaper, &queue, form->uses[j]))
                status = HAFT_ENOMEM;
    }
    return status;
}

yyjson_mut_val *hf_import_shape(struct import_shaper *shaper, yyjson_val *schema)
{
    struct shape_walk walk = definition_walk(shaper, shaper->out);
    yyjson_mut_val *shaped;

    if (!shaper->serial)
        shaper->serial = walk.serial;
    shaped = hf_shape_schema(&walk, schema, 0);
    if (shaped && definition_collect(shaper, &walk)) {
        hf_shape_no_memory(&walk); /* unless there is another reason */
        return NULL;
    }
    return shaped;
}
