/* fuzz_repair.c - any bytes as a schema, any bytes as a value, with a NUL between them.
 *
 * A valid value is never changed; a repaired one is valid, and differs from what came only where a
 * text stood; one that cannot be repaired keeps its issues.  Redacted, it is JSON still. */
#include <haft/schema.h>
#include <stdlib.h>
#include <string.h>

#include "schema/emit/redact.h"
#include "schema/walk/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

/* Whether `made` is `came` but for texts that were read.  Neither is deep. */
static bool is_repair(yyjson_val *came, yyjson_val *made, haft_arena *arena)
{
    size_t i, n;
    yyjson_val *key, *item;

    if (yyjson_is_str(came) && !yyjson_is_str(made))
        return true;
    if (yyjson_get_type(came) != yyjson_get_type(made) ||
        yyjson_get_len(came) != yyjson_get_len(made))
        return false;
    if (yyjson_is_arr(came)) {
        yyjson_arr_foreach(came, i, n, item)
            if (!is_repair(item, yyjson_arr_get(made, i), arena))
                return false;
        return true;
    }
    if (yyjson_is_obj(came)) {
        yyjson_obj_foreach(came, i, n, key, item)
            if (!is_repair(item, yyjson_obj_getn(made, yyjson_get_str(key), yyjson_get_len(key)),
                           arena))
                return false;
        return true;
    }
    return hf_json_equal(came, made, arena) != 0;
}

static void check_repair(const haft_schema *schema, yyjson_val *came, haft_arena *arena)
{
    haft_issues strict = {0}, issues = {0};
    struct repairs repairs;
    yyjson_val *value = came, *made;
    int status = haft_schema_validate(schema, came, arena, &strict), again;

    if (status == HAFT_ENOMEM)
        return;
    again = hf_schema_repair(schema, came, arena, &repairs, &made);
    require((again > 0) == (repairs.n > 0) && (made != came) == (again > 0));
    if (!status)
        require(again <= 0);
    again = hf_schema_read_leniently(schema, &value, arena, NULL, &issues, &repairs);
    if (again == HAFT_ENOMEM)
        return;
    require(again ? again == status && value == came && !repairs.n : !status || repairs.n > 0);
    require(again != HAFT_EISSUES || issues.total == strict.total);
    if (!again && status) {
        again = haft_schema_validate(schema, value, arena, &issues);
        require(!again || again == HAFT_ENOMEM);
        require(is_repair(came, value, arena));
    }
}

/* The text as the only value of a field, and twice. */
static void check_texts(const haft_schema *schema, const char *text, size_t size, haft_arena *arena)
{
    struct text_field fields[3] = {{"a", 1, text, size}, {"b", 1, "1", 1}, {"a", 1, text, size}};
    yyjson_val *value = NULL;

    for (size_t n = 0; n <= 3; n++) {
        int status = hf_schema_from_texts(schema, fields, n, arena, &value);

        require(status <= 0);
        require(status || yyjson_is_obj(value));
    }
}

static void check(const haft_schema *schema, const char *text, size_t size, haft_arena *arena)
{
    yyjson_val *value = haft_json_read(text, size, 32, arena, NULL);
    haft_buffer out;

    check_texts(schema, text, size, arena);
    if (!value)
        return;
    check_repair(schema, value, arena);
    haft_buffer_init(&out, NULL, 1 << 20);
    hf_schema_put_redacted(schema, value, &out);
    if (!out.status)
        require(haft_json_read(out.data, out.size, 64, arena, NULL) != NULL ||
                haft_arena_used(arena) > 1 << 20);
    haft_buffer_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size ? memchr(text, 0, size) : NULL;
    size_t first = end ? (size_t)(end - text) : size;
    const haft_schema_options options =
        HAFT_INIT(haft_schema_options, .max_depth = 32, .max_steps = 20000, .max_subschemas = 500,
                  .max_memory = 8 << 20);
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    haft_schema *schema = NULL;

    if (arena && end && !haft_schema_parse(text, first, &options, &schema, NULL))
        check(schema, end + 1, size - first - 1, arena);
    haft_schema_free(schema);
    haft_arena_free(arena);
    return 0;
}
