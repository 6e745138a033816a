/* client_read.c - reads a file of a skill, and compares it with what the skill says of it.
 *
 * Nothing reaches the caller's buffer before all comparisons have passed. */
#include <string.h>

#include "base/hex.h"
#include "base/percent.h"
#include "base/sha256.h"
#include "json/json.h"
#include "client/client.h"
#include "skill/client.h"
#include "skill/frontmatter.h"

#define READ_SKILL_FILE "SKILL.md"

static int skill_read_fail(haft_reason *reterr_reason, int code, const char *uri, const char *text)
{
    return hf_error_set(reterr_reason, code, uri, "%s", text);
}

/* ---- contents ---- */

/* The text or the decoded bytes of the only contents of a result. */
static int skill_read_contents(const haft_allocator *allocator, haft_value *result, const char *uri,
                               haft_buffer *ret_bytes, haft_reason *reterr_reason)
{
    yyjson_val *contents = yyjson_obj_get(result, "contents");
    yyjson_val *first = yyjson_arr_get_first(contents);
    yyjson_val *text = yyjson_obj_get(first, "text"), *blob = yyjson_obj_get(first, "blob");

    if (yyjson_arr_size(contents) != 1 || yyjson_is_str(text) == yyjson_is_str(blob))
        return skill_read_fail(reterr_reason, HAFT_EPROTOCOL, uri,
                               "the result must have one text or one blob");
    if (yyjson_is_str(text)) {
        haft_buffer_add(ret_bytes, yyjson_get_str(text), yyjson_get_len(text));
    } else {
        size_t size = 0, room = yyjson_get_len(blob) / 4 * 3 + 3;
        haft_arena *arena = haft_arena_new(allocator, room + 4096);
        char *bytes = arena ? haft_arena_alloc(arena, room) : NULL;
        int status =
            bytes ? haft_base64_decode(yyjson_get_str(blob), yyjson_get_len(blob), bytes, &size)
                  : HAFT_ENOMEM;

        if (!status)
            haft_buffer_add(ret_bytes, bytes, size);
        haft_arena_free(arena);
        if (status)
            return skill_read_fail(
                reterr_reason, status == HAFT_ENOMEM ? status : HAFT_EPROTOCOL, uri,
                status == HAFT_ENOMEM ? "out of memory" : "the blob is not base64");
    }
    return ret_bytes->status ? skill_read_fail(reterr_reason, ret_bytes->status, uri,
                                               haft_strerror(ret_bytes->status))
                             : 0;
}

/* ---- comparisons ---- */

static int skill_read_check_digest(const haft_skill_file *file, const haft_buffer *bytes,
                                   haft_reason *reterr_reason)
{
    unsigned char digest[SHA256_SIZE];
    char text[2 * SHA256_SIZE];
    struct sha256 hash;

    if ((uint64_t)file->size != bytes->size)
        return hf_error_set(reterr_reason, HAFT_EPROTOCOL, file->uri,
                            "it has %zu bytes, and the skill says %lld", bytes->size,
                            (long long)file->size);
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, bytes->data, bytes->size);
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, sizeof digest, text);
    return memcmp(text, file->digest + strlen("sha256:"), sizeof text) == 0
               ? 0
               : skill_read_fail(reterr_reason, HAFT_EPROTOCOL, file->uri,
                                 "its digest is not the one that the skill says");
}

static int skill_read_check_frontmatter(const haft_allocator *allocator, const haft_skill *skill,
                                        const haft_buffer *bytes, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(allocator, 64 << 20);
    haft_value *frontmatter;
    struct text json;
    int status;

    if (!arena)
        return skill_read_fail(reterr_reason, HAFT_ENOMEM, skill->uri, "out of memory");
    status = hf_frontmatter_read(bytes->data ? bytes->data : "", bytes->size, allocator,
                                 "the front matter of skills", arena, &frontmatter, &json,
                                 reterr_reason);
    if (!status && hf_json_is_deep(skill->frontmatter, FRONTMATTER_DEPTH))
        status = skill_read_fail(reterr_reason, HAFT_EPROTOCOL, skill->uri,
                                 "the front matter is nested too deeply");
    else if (!status) {
        status = hf_json_equal(frontmatter, skill->frontmatter, arena);
        status = status == 1 ? 0
                 : status == 0
                     ? skill_read_fail(reterr_reason, HAFT_EPROTOCOL, skill->uri,
                                       "its front matter is not the one that the skill says")
                     : skill_read_fail(reterr_reason, status, skill->uri, haft_strerror(status));
    } else if (status == HAFT_EINVAL || status == HAFT_EPARSE) {
        status = HAFT_EPROTOCOL;
    }
    haft_arena_free(arena);
    return status;
}

/* ---- reading ---- */

static const haft_skill_file *skill_read_find(const haft_skill *skill, const char *path)
{
    for (size_t i = 0; i < skill->n_files; i++)
        if (!strcmp(skill->files[i].path, path))
            return &skill->files[i];
    return NULL;
}

/* The URI of a file of a dynamic skill, which has no list. */
static int skill_read_make_uri(const haft_skill *skill, const char *path, haft_buffer *ret_uri)
{
    haft_buffer_add(ret_uri, skill->uri, strlen(skill->uri) - strlen(READ_SKILL_FILE));
    while (*path) {
        size_t size = strcspn(path, "/");

        if (!size || (size <= 2 && strspn(path, ".") >= size))
            return HAFT_EINVAL;
        hf_percent_encode(ret_uri, path, size);
        path += size;
        if (*path == '/') {
            haft_buffer_add(ret_uri, "/", 1);
            path++;
        }
    }
    haft_buffer_add(ret_uri, "", 1);
    return ret_uri->status;
}

int hf_skill_verify(const haft_allocator *allocator, const haft_skill *skill, const char *path,
                    haft_value *result, haft_buffer *ret_bytes, haft_reason *reterr_reason)
{
    const haft_skill_file *file = skill->dynamic ? NULL : skill_read_find(skill, path);
    int status =
        skill_read_contents(allocator, result, file ? file->uri : path, ret_bytes, reterr_reason);

    if (!status && file)
        status = skill_read_check_digest(file, ret_bytes, reterr_reason);
    if (!status && !strcmp(path, READ_SKILL_FILE))
        status = skill_read_check_frontmatter(allocator, skill, ret_bytes, reterr_reason);
    return status;
}

static int skill_read_fetch(haft_client *client, const haft_skill *skill, const char *path,
                            const char *uri, haft_buffer *ret_bytes, haft_reason *reterr_reason)
{
    haft_result result;
    int status = haft_client_read(client, uri, &result);

    if (status)
        return skill_read_fail(reterr_reason, status, uri, haft_client_error(client, NULL));
    if (result.is_error)
        return hf_error_set(reterr_reason, HAFT_EPROTOCOL, uri, "%.200s", result.text);
    return hf_skill_verify(client->allocator, skill, path, result.value, ret_bytes, reterr_reason);
}

int haft_client_read_skill(haft_client *client, const haft_skill *skill, const char *path,
                           haft_buffer *ret_contents, haft_reason *reterr_reason)
{
    const haft_skill_file *file;
    haft_buffer uri, bytes;
    int status;

    if (!client || !skill || !path || !*path)
        return skill_read_fail(reterr_reason, HAFT_EINVAL, path ? path : "",
                               "a client, a skill and a path are needed");
    file = skill_read_find(skill, path);
    if (!skill->dynamic && !file)
        return skill_read_fail(reterr_reason, HAFT_ENOTFOUND, path,
                               "the skill does not list this file");
    haft_buffer_init(&uri, client->allocator, 64 << 10);
    haft_buffer_init(&bytes, client->allocator, CLIENT_SKILL_BYTES);
    if (file)
        haft_buffer_add(&uri, file->uri, strlen(file->uri) + 1);
    status = file ? uri.status : skill_read_make_uri(skill, path, &uri);
    status = status ? skill_read_fail(reterr_reason, status, path, haft_strerror(status))
                    : skill_read_fetch(client, skill, path, uri.data, &bytes, reterr_reason);
    if (!status) {
        haft_buffer_add(ret_contents, bytes.data ? bytes.data : "", bytes.size);
        if (ret_contents->status)
            status = skill_read_fail(reterr_reason, ret_contents->status, path,
                                     haft_strerror(ret_contents->status));
    }
    haft_buffer_finish(&uri);
    haft_buffer_finish(&bytes);
    return status;
}
