/* frontmatter.c - finds, reads and checks the YAML at the start of a SKILL.md.
 *
 * The rules for names and descriptions are those of the Agent Skills format; all other members are
 * passed on as they are. */
#include "skill/frontmatter.h"

#include <string.h>

#include "json/writer.h"
#include "part/yaml.h"

enum { SCRATCH = 4 << 20 };

/* ---- finding it ---- */

/* The size of a line with its end; `*ret_size` is that without it. */
static size_t frontmatter_line(const char *text, size_t size, size_t *ret_size)
{
    const char *end = memchr(text, '\n', size);
    size_t line = end ? (size_t)(end - text) : size;

    *ret_size = line && end && text[line - 1] == '\r' ? line - 1 : line;
    return end ? line + 1 : line;
}

static bool frontmatter_is_fence(const char *line, size_t size)
{
    while (size > 3 && (line[size - 1] == ' ' || line[size - 1] == '\t'))
        size--;
    return size == 3 && !memcmp(line, "---", 3);
}

bool hf_frontmatter_find(const char *text, size_t size, const char **ret_yaml, size_t *ret_size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    size_t bare, whole, start, at;

    at = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    whole = frontmatter_line(text + at, size - at, &bare);
    if (bare != 3 || memcmp(text + at, "---", 3) != 0)
        return false;
    start = at += whole;
    while (at < size && at - start <= FRONTMATTER_SIZE) {
        whole = frontmatter_line(text + at, size - at, &bare);
        if (frontmatter_is_fence(text + at, bare)) {
            *ret_yaml = text + start;
            *ret_size = at - start;
            return true;
        }
        at += whole;
    }
    return false;
}

/* ---- reading it ---- */

static int frontmatter_fail(haft_reason *reterr_reason, const haft_reason *why)
{
    return hf_error_set(reterr_reason, why->code, "", "front matter: %.200s", why->text);
}

/* Reads JSON that was made of YAML: duplicate keys are found here. */
static int frontmatter_keep(const haft_buffer *json, haft_arena *arena, haft_value **ret_value,
                            struct text *ret_json, haft_reason *reterr_reason)
{
    haft_reason why = {.code = HAFT_ENOMEM, .text = "out of memory"};
    char *copy = haft_arena_copy(arena, json->data, json->size);
    haft_value *value =
        copy ? haft_json_read(copy, json->size, FRONTMATTER_DEPTH, arena, &why) : NULL;

    if (!value)
        return frontmatter_fail(reterr_reason, &why);
    if (!yyjson_is_obj(value))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "front matter: it must be a mapping such as name: value");
    *ret_value = value;
    *ret_json = (struct text){copy, json->size};
    return 0;
}

int hf_frontmatter_read(const char *text, size_t size, const haft_allocator *allocator,
                        const char *needed_by, haft_arena *arena, haft_value **ret_value,
                        struct text *ret_json, haft_reason *reterr_reason)
{
    haft_reason why = {.code = HAFT_ENOMEM, .text = "out of memory"};
    const struct yaml_functions *yaml;
    haft_arena *scratch;
    haft_buffer json;
    const char *start;
    int status;

    if (!hf_frontmatter_find(text, size, &start, &size))
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, "",
            "it must begin with front matter between two lines ---, of at most 64 KiB");
    yaml = hf_yaml_open(needed_by, reterr_reason);
    if (!yaml)
        return HAFT_ENOTFOUND;
    scratch = haft_arena_new(allocator, SCRATCH);
    if (!scratch)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    haft_buffer_init(&json, allocator, 4 * (size_t)FRONTMATTER_SIZE);
    status = hf_yaml_to_json_with(yaml, start, size, scratch, &json, &why);
    status = status ? frontmatter_fail(reterr_reason, &why)
                    : frontmatter_keep(&json, arena, ret_value, ret_json, reterr_reason);
    haft_buffer_finish(&json);
    haft_arena_free(scratch);
    return status;
}

/* ---- checking it ---- */

/* Lower-case letters and digits with single hyphens between them. */
static bool frontmatter_is_name(const char *name, size_t size)
{
    if (!size || size > SKILL_NAME_SIZE || name[0] == '-' || name[size - 1] == '-')
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = name[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '-' && name[i + 1] != '-')))
            return false;
    }
    return true;
}

static size_t frontmatter_characters(const char *text, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

int hf_frontmatter_check(haft_value *frontmatter, const char *directory, size_t size,
                         haft_reason *reterr_reason)
{
    yyjson_val *name = yyjson_obj_get(frontmatter, "name");
    yyjson_val *description = yyjson_obj_get(frontmatter, "description");
    const char *text = yyjson_get_str(name);

    if (!text || !frontmatter_is_name(text, yyjson_get_len(name)))
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, "",
            "front matter: name must have 1 to 64 lower-case letters, digits and single hyphens");
    if (directory && (yyjson_get_len(name) != size || memcmp(text, directory, size) != 0))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "front matter: name is %s, and must be that of the directory", text);
    if (!yyjson_get_len(description) || !yyjson_is_str(description) ||
        frontmatter_characters(yyjson_get_str(description), yyjson_get_len(description)) >
            SKILL_DESCRIPTION_SIZE)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "front matter: description must have 1 to 1,024 characters");
    return 0;
}
