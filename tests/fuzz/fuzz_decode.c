/* fuzz_decode.c - any bytes as JSON into rich structs; what was decoded encodes, and what was
 * encoded decodes to the same again.  The fast lanes and the walk must agree on all of it. */
#include <haft/schema.h>
#include <stdlib.h>
#include <string.h>

#include "schema/walk/quick.h"
#include "schema/members.h"
#include "schema/shapes.h"
#include "schema/walk/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

HAFT_STRUCT(plain,
    HAFT_OPTIONAL(HAFT_OBJECT(at, point, "A point")),
    HAFT_OPTIONAL(HAFT_OBJECT(rules, ruled, "All rules")),
    HAFT_OPTIONAL(HAFT_OBJECT(pet, cat, "A cat")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(flag, "A flag")),
    HAFT_OPTIONAL(HAFT_STRING(name, "A name", .min = 1, .max = 9)),
    HAFT_OPTIONAL(HAFT_OBJECT(members, member_all, "Narrow members")),
    HAFT_OPTIONAL(HAFT_BYTES(blob, "Bytes")),
    HAFT_OPTIONAL(HAFT_ARRAY(path, HAFT_OBJECT(step, point, "A step"), "Steps", .max = 3)),
    HAFT_OPTIONAL(HAFT_ARRAY(dates, HAFT_STRING(date, "A date", .format = HAFT_FORMAT_DATE),
                             "Dates")),
    HAFT_OPTIONAL(HAFT_OBJECT(table, grid, "A table")),
    HAFT_OPTIONAL(HAFT_POINTER(tree, tree, "A tree")),
    HAFT_OPTIONAL(HAFT_POINTER(who, person, "A person")),
    HAFT_OPTIONAL(HAFT_POINTER(deep, nest, "Nests")),
    HAFT_OPTIONAL(HAFT_POINTER(sum, expression, "An expression")),
    HAFT_OPTIONAL(HAFT_MAP(ranges, HAFT_OBJECT(one, range, "A range"), "Ranges")));

/* With parts that no rule looks into. */
HAFT_STRUCT(rich,
    HAFT_EXTENDS(plain),
    HAFT_OPTIONAL(HAFT_OBJECT(all, everything, "Every kind")),
    HAFT_OPTIONAL(HAFT_OBJECT(some, maybe, "All optional")),
    HAFT_OPTIONAL(HAFT_OBJECT(none, blank, "All nullable")),
    HAFT_OPTIONAL(HAFT_OBJECT(set, settled, "All with defaults")),
    HAFT_OPTIONAL(HAFT_OBJECT(open, open_minded, "Takes more")));

static void require(int holds)
{
    if (!holds)
        abort();
}

/* The schemas are made once: they are not what is under test here. */
static const haft_schema *schema_of(size_t i)
{
    static const haft_type *const types[] = {&plain_type, &rich_type};
    static haft_schema *schemas[2];

    if (!schemas[i])
        require(!haft_schema_compile(types[i], NULL, &schemas[i], NULL));
    return schemas[i];
}

static bool same(const haft_buffer out[2])
{
    return out[0].size == out[1].size && !memcmp(out[0].data, out[1].data, out[0].size);
}

/* The walk alone decides and decodes the same. */
static void check_walk(const haft_schema *schema, const char *text, size_t size, int status,
                       haft_arena *arena, haft_buffer out[2])
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    haft_issues issues = {0};
    rich value = {0};
    yyjson_val *json = NULL;
    const char *reason;
    size_t offset;

    if (hf_json_parse(text, size, arena, &json, &offset, &reason))
        return;
    require(hf_walk_run(schema, schema->root, json, arena, (struct place){(char *)&value, &whole},
                        &issues) == status);
    if (status)
        return;
    haft_buffer_clear(&out[1]);
    require(!haft_schema_encode(schema, &value, arena, &out[1], &issues));
    require(same(out));
}

/* What is taken straight from text is what the long way makes of it. */
static void check_direct(const haft_schema *schema, const char *text, size_t size, int status,
                         haft_arena *arena, haft_buffer out[2])
{
    haft_issues issues = {0};
    rich value = {0};
    size_t taken;

    if (!schema->covered ||
        !hf_quick_read(schema, text, size, schema->max_depth, arena, (char *)&value, &taken) ||
        taken != size)
        return;
    require(!status);
    haft_buffer_clear(&out[1]);
    require(!haft_schema_encode(schema, &value, arena, &out[1], &issues));
    require(same(out));
}

static void check(const haft_schema *schema, const char *text, size_t size, haft_arena *arena,
                  haft_buffer out[2])
{
    haft_issues issues = {0};
    rich value, again;
    int status = haft_schema_decode_text(schema, text, size, arena, &value, &issues);

    if (status == HAFT_ENOMEM)
        return;
    if (status == HAFT_EISSUES)
        require(issues.count && issues.list[0].message);
    require(haft_schema_validate_text(schema, text, size, arena, &issues) == status);
    if (status) {
        haft_issues_json(&issues, &out[0]);
        require(out[0].status == 0 || out[0].status == HAFT_ETOOBIG);
    } else {
        require(!haft_schema_encode(schema, &value, arena, &out[0], &issues));
        require(!haft_schema_decode_text(schema, out[0].data, out[0].size, arena, &again, &issues));
        require(!haft_schema_encode(schema, &again, arena, &out[1], &issues));
        require(same(out));
    }
    check_walk(schema, text, size, status, arena, out);
    check_direct(schema, text, size, status, arena, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    haft_buffer out[2];

    haft_buffer_init(&out[0], NULL, 8 << 20);
    haft_buffer_init(&out[1], NULL, 8 << 20);
    for (size_t i = 0; arena && i < 2; i++) {
        haft_buffer_clear(&out[0]);
        haft_buffer_clear(&out[1]);
        check(schema_of(i), size ? (const char *)data : "", size, arena, out);
        haft_arena_reset(arena);
    }
    haft_buffer_finish(&out[1]);
    haft_buffer_finish(&out[0]);
    haft_arena_free(arena);
    return 0;
}
