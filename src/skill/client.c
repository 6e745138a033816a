/* client.c - lists and gets the skills of a server.
 *
 * An entry is checked as a whole before anything of it is used: a program that writes its files relies on
 * their paths. */
#include "client/client.h"
#include "skill/client.h"

#include <string.h>

#include "base/percent.h"
#include "json/json.h"
#include "json/writer.h"
#include "skill/frontmatter.h"

#define CLIENT_EXTENSION "io.modelcontextprotocol/skills"
#define CLIENT_SKILL_FILE "/SKILL.md"

static int skills_fail(haft_reason *reterr_reason, int code, const char *uri, const char *text)
{
    return hf_error_set(reterr_reason, code, uri, "%s", text);
}

/* ---- entries ---- */

/* Whether a decoded path names a file below a directory, and cannot name anything else. */
static bool skills_path_is_safe(const char *path)
{
    for (;;) {
        size_t size = strcspn(path, "/");

        if (!size || (size <= 2 && strspn(path, ".") >= size))
            return false;
        for (size_t i = 0; i < size; i++)
            if ((unsigned char)path[i] < ' ' || path[i] == 0x7f || path[i] == '\\')
                return false;
        if (!path[size])
            return true;
        path += size + 1;
    }
}

/* Decodes each component on its own: an encoded / is not a separator, and is refused. */
static const char *skills_decode_path(haft_arena *arena, const char *text)
{
    size_t size = strlen(text);
    const char *path = hf_percent_decode(arena, text, size, false, &(int){0});
    size_t raw = 0, decoded = 0;

    for (size_t i = 0; i < size; i++)
        raw += text[i] == '/';
    for (const char *at = path; at && *at; at++)
        decoded += *at == '/';
    return path && raw == decoded && skills_path_is_safe(path) ? path : NULL;
}

static bool skills_digest_is_valid(const char *digest)
{
    unsigned char bytes[32];

    return digest && strlen(digest) == 7 + 2 * sizeof bytes && !memcmp(digest, "sha256:", 7) &&
           hf_hex_read_lower(digest + 7, 2 * sizeof bytes, bytes);
}

static bool skills_read_file(haft_arena *arena, const haft_skill *skill, yyjson_val *value,
                             haft_skill_file *ret_file)
{
    const char *uri = yyjson_get_str(yyjson_obj_get(value, "uri"));
    const char *digest = yyjson_get_str(yyjson_obj_get(value, "digest"));
    yyjson_val *size = yyjson_obj_get(value, "size");
    size_t root = strlen(skill->uri) - strlen(CLIENT_SKILL_FILE);

    if (!uri || !skills_digest_is_valid(digest) || !yyjson_is_uint(size) ||
        yyjson_get_uint(size) > INT64_MAX || strncmp(uri, skill->uri, root + 1) != 0)
        return false;
    *ret_file = (haft_skill_file){.uri = uri,
                                  .path = skills_decode_path(arena, uri + root + 1),
                                  .digest = digest,
                                  .size = (int64_t)yyjson_get_uint(size)};
    return ret_file->path;
}

static bool skills_has_file(const haft_skill *skill, const haft_skill_file *file)
{
    for (size_t i = 0; i < skill->n_files; i++)
        if (!strcmp(skill->files[i].uri, file->uri) || !strcmp(skill->files[i].path, file->path))
            return true;
    return false;
}

static int skills_read_files(haft_arena *arena, yyjson_val *resources, haft_skill *skill,
                             haft_reason *reterr_reason)
{
    size_t n = yyjson_arr_size(resources), i, max;
    haft_skill_file *files;
    yyjson_val *value;
    int64_t bytes = 0;
    bool has_own = false;

    if (!yyjson_is_arr(resources))
        return skills_fail(reterr_reason, HAFT_EPROTOCOL, skill->uri,
                           "resources must be an array or \"dynamic\"");
    if (n > CLIENT_SKILL_FILES)
        return skills_fail(reterr_reason, HAFT_ETOOBIG, skill->uri,
                           "the skill has more than 512 files");
    files = haft_arena_zalloc(arena, n + 1, sizeof *files);
    if (!files)
        return skills_fail(reterr_reason, HAFT_ENOMEM, skill->uri, "out of memory");
    skill->files = files;
    yyjson_arr_foreach(resources, i, max, value) {
        haft_skill_file *file = &files[skill->n_files];

        if (!skills_read_file(arena, skill, value, file) || skills_has_file(skill, file))
            return skills_fail(
                reterr_reason, HAFT_EPROTOCOL, skill->uri,
                "the list of its files has an invalid uri, digest or size, or one twice");
        has_own |= !strcmp(file->uri, skill->uri);
        skill->n_files++;
        if (file->size > CLIENT_SKILL_BYTES - bytes)
            return skills_fail(reterr_reason, HAFT_ETOOBIG, skill->uri,
                               "the skill has more than 16 MiB");
        bytes += file->size;
    }
    return has_own ? 0
                   : skills_fail(reterr_reason, HAFT_EPROTOCOL, skill->uri,
                                 "the list of its files has no SKILL.md");
}

/* Strings with a NUL inside would be read as other strings. */
static bool skills_has_nul(yyjson_val *value)
{
    yyjson_val *member;
    size_t i, n;

    if (yyjson_is_str(value))
        return strlen(yyjson_get_str(value)) != yyjson_get_len(value);
    if (yyjson_is_arr(value)) {
        yyjson_arr_foreach(value, i, n, member)
            if (skills_has_nul(yyjson_obj_get(member, "uri")))
                return true;
    }
    return false;
}

/* The name in the URI of a SKILL.md; NULL if it is not one. */
static const char *skills_uri_name(const char *uri, size_t *ret_size)
{
    size_t size = strlen(uri), tail = strlen(CLIENT_SKILL_FILE), start;
    const char *path = strstr(uri, "://");

    if (!path || size <= tail || strcmp(uri + size - tail, CLIENT_SKILL_FILE) != 0)
        return NULL;
    path += 3;
    start = size -= tail;
    while (start > (size_t)(path - uri) && uri[start - 1] != '/')
        start--;
    *ret_size = size - start;
    return uri + start;
}

static int skills_read_entry(haft_arena *arena, yyjson_val *value, haft_skill *ret_skill,
                             haft_reason *reterr_reason)
{
    yyjson_val *resources = yyjson_obj_get(value, "resources");
    haft_skill skill = {.uri = yyjson_get_str(yyjson_obj_get(value, "uri")),
                        .frontmatter = yyjson_obj_get(value, "frontmatter"),
                        .dynamic = yyjson_equals_str(resources, "dynamic")};
    haft_reason why = {.code = 0};
    size_t size;
    const char *name = skill.uri ? skills_uri_name(skill.uri, &size) : NULL;
    int status;

    if (!name || !yyjson_is_obj(skill.frontmatter) ||
        skills_has_nul(yyjson_obj_get(value, "uri")) || skills_has_nul(resources))
        return skills_fail(reterr_reason, HAFT_EPROTOCOL, skill.uri ? skill.uri : "",
                           "a skill needs the URI of a SKILL.md and its front matter");
    if (hf_frontmatter_check(skill.frontmatter, name, size, &why))
        return skills_fail(reterr_reason, HAFT_EPROTOCOL, skill.uri, why.text);
    skill.name = yyjson_get_str(yyjson_obj_get(skill.frontmatter, "name"));
    skill.description = yyjson_get_str(yyjson_obj_get(skill.frontmatter, "description"));
    status = skill.dynamic ? 0 : skills_read_files(arena, resources, &skill, reterr_reason);
    if (!status)
        *ret_skill = skill;
    return status;
}

/* ---- lists ---- */

/* Adds the entry as a copy: a result lives only until the next request. */
static int skills_add(haft_skills *skills, yyjson_val *value, haft_reason *reterr_reason)
{
    yyjson_val *copy = hf_json_copy(value, skills->arena);
    int status;

    if (!copy)
        return skills_fail(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    if (skills->n == CLIENT_SKILLS)
        return skills_fail(reterr_reason, HAFT_ETOOBIG, "",
                           "the server lists more than 10,000 skills");
    if (skills->n == skills->room) {
        size_t room = 2 * skills->room + CLIENT_SKILLS_FIRST;
        haft_skill *list = haft_arena_zalloc(skills->arena, room, sizeof *list);

        if (!list)
            return skills_fail(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        if (skills->n)
            memcpy(list, skills->list, skills->n * sizeof *list);
        skills->list = list;
        skills->room = room;
    }
    status = skills_read_entry(skills->arena, copy, &skills->list[skills->n], reterr_reason);
    skills->n += !status;
    return status;
}

/* A server that has said what it supports must have said so of skills. */
static bool skills_server_has_skills(const haft_client *client)
{
    haft_value *capabilities = haft_client_capabilities(client);

    return !capabilities || yyjson_is_obj(yyjson_obj_get(yyjson_obj_get(capabilities, "extensions"),
                                                         CLIENT_EXTENSION));
}

/* Sends a request of which one string is the parameter. */
static int skills_ask(haft_client *client, const char *method, const char *key, const char *text,
                      haft_result *ret_result, haft_reason *reterr_reason)
{
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int status;

    if (!client)
        return skills_fail(reterr_reason, HAFT_EINVAL, "", "there is no client");
    if (!skills_server_has_skills(client))
        return skills_fail(reterr_reason, HAFT_ENOTFOUND, "", "the server offers no skills");
    haft_buffer_init(&params, client->allocator, 64 << 10);
    hf_json_begin_object(&w);
    if (text)
        hf_json_text(hf_json_name(&w, key, strlen(key)), text);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    status = params.status ? params.status
                           : haft_client_request(client, method, params.data, ret_result);
    haft_buffer_finish(&params);
    if (status)
        return skills_fail(reterr_reason, status, method, haft_client_error(client, NULL));
    if (ret_result->is_error)
        return hf_error_set(reterr_reason,
                            ret_result->error_code == -32602 || ret_result->error_code == -32601
                                ? HAFT_ENOTFOUND
                                : HAFT_EPROTOCOL,
                            method, "%.200s", ret_result->text);
    return 0;
}

haft_skills *hf_skills_new(const haft_allocator *allocator, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(allocator, CLIENT_SKILL_ARENA);
    haft_skills *skills = arena ? haft_arena_zalloc(arena, 1, sizeof *skills) : NULL;

    if (skills) {
        skills->arena = arena;
        return skills;
    }
    haft_arena_free(arena);
    skills_fail(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    return NULL;
}

int hf_skills_add_page(haft_skills *skills, haft_value *result, haft_reason *reterr_reason)
{
    yyjson_val *list = yyjson_obj_get(result, "skills"), *value;
    size_t i, n;
    int status = 0;

    if (!yyjson_is_arr(list))
        return skills_fail(reterr_reason, HAFT_EPROTOCOL, "skills/list",
                           "the result has no array of skills");
    yyjson_arr_foreach(list, i, n, value) {
        status = skills_add(skills, value, reterr_reason);
        if (status)
            break;
    }
    return status;
}

static int skills_list(haft_client *client, haft_skills *skills, haft_reason *reterr_reason)
{
    const char *cursor = NULL;

    for (size_t page = 0; page < CLIENT_SKILL_PAGES; page++) {
        yyjson_val *next;
        haft_result result;
        int status = skills_ask(client, "skills/list", "cursor", cursor, &result, reterr_reason);

        if (!status)
            status = hf_skills_add_page(skills, result.value, reterr_reason);
        if (status)
            return status;
        next = yyjson_obj_get(result.value, "nextCursor");
        if (!yyjson_is_str(next))
            return 0;
        cursor = haft_arena_copy(skills->arena, yyjson_get_str(next), yyjson_get_len(next));
        if (!cursor)
            return skills_fail(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    }
    return skills_fail(reterr_reason, HAFT_ETOOBIG, "skills/list", "the list has too many pages");
}

haft_skills *haft_client_skills(haft_client *client, haft_reason *reterr_reason)
{
    haft_skills *skills = hf_skills_new(client ? client->allocator : NULL, reterr_reason);

    if (!skills || !skills_list(client, skills, reterr_reason))
        return skills;
    haft_skills_free(skills);
    return NULL;
}

haft_skills *haft_client_skill(haft_client *client, const char *uri, haft_reason *reterr_reason)
{
    haft_skills *skills = hf_skills_new(client ? client->allocator : NULL, reterr_reason);
    haft_result result;
    int status = HAFT_ENOMEM;

    if (skills)
        status = skills_ask(client, "skills/get", "uri", uri ? uri : "", &result, reterr_reason);
    if (!status)
        status = skills_add(skills, yyjson_obj_get(result.value, "skill"), reterr_reason);
    if (!status && strcmp(skills->list[0].uri, uri) != 0)
        status = skills_fail(reterr_reason, HAFT_EPROTOCOL, uri,
                             "the server answers with another skill");
    if (!status)
        return skills;
    haft_skills_free(skills);
    return NULL;
}

size_t haft_skills_count(const haft_skills *skills)
{
    return skills ? skills->n : 0;
}

const haft_skill *haft_skills_at(const haft_skills *skills, size_t index)
{
    return skills && index < skills->n ? &skills->list[index] : NULL;
}

void haft_skills_free(haft_skills *skills)
{
    if (skills)
        haft_arena_free(skills->arena);
}
