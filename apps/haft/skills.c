/* skills.c - the command that lists the skills of a server, and writes one of them to a directory.
 *
 * A skill is read and compared with its digests as a whole before the first file is written. Its paths have been
 * checked by the library; here each directory is opened without following symbolic links as well. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "json/writer.h"
#include "show.h"
#include "skill/client.h"

enum { SKILLS_PARAMS = 64 << 10 };

/* ---- asking ---- */

/* Sends a request with one string as its parameter; none if it is NULL. */
static int skills_request(struct peer *peer, const char *method, const char *key, const char *text,
                          yyjson_val **ret_result)
{
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int status;

    haft_buffer_init(&params, NULL, SKILLS_PARAMS);
    hf_json_begin_object(&w);
    if (text)
        hf_json_text(hf_json_name(&w, key, strlen(key)), text);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    status = params.status
                 ? peer_fail(peer, EXIT_LOCAL, "%s", haft_strerror(params.status))
                 : peer_ask(peer, &(struct peer_request){.method = method, .params = params.data},
                            ret_result);
    haft_buffer_finish(&params);
    return status;
}

static int skills_complain(struct peer *peer, const haft_reason *reason)
{
    return peer_fail(peer, reason->code == HAFT_ENOMEM ? EXIT_LOCAL : EXIT_PROTOCOL, "%s%s%s",
                     reason->path, *reason->path ? ": " : "", reason->text);
}

static int skills_fetch(struct peer *peer, haft_skills *skills)
{
    haft_value *capabilities = haft_client_capabilities(peer_client(peer));
    const char *cursor = NULL;
    yyjson_val *result;
    int status;

    if (capabilities && !yyjson_obj_get(yyjson_obj_get(capabilities, "extensions"),
                                        "io.modelcontextprotocol/skills"))
        return peer_fail(peer, EXIT_PROTOCOL, "the server offers no skills");
    for (size_t page = 0; page < PROGRAM_MAX_PAGES; page++) {
        haft_reason reason = {0};

        status = skills_request(peer, "skills/list", "cursor", cursor, &result);
        if (status)
            return status;
        if (hf_skills_add_page(skills, result, &reason))
            return skills_complain(peer, &reason);
        cursor = yyjson_get_str(yyjson_obj_get(result, "nextCursor"));
        if (!cursor)
            return EXIT_DONE;
    }
    return peer_fail(peer, EXIT_PROTOCOL, "the list of skills has too many pages");
}

/* ---- listing ---- */

static void skills_put_json(struct json_writer *w, const haft_skill *skill)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "uri"), skill->uri);
    hf_json_value(json_key(w, "frontmatter"), skill->frontmatter);
    hf_json_begin_array(json_key(w, "files"));
    for (size_t i = 0; i < skill->n_files; i++) {
        hf_json_begin_object(w);
        hf_json_text(json_key(w, "path"), skill->files[i].path);
        hf_json_text(json_key(w, "digest"), skill->files[i].digest);
        hf_json_integer(json_key(w, "size"), skill->files[i].size);
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
    hf_json_end_object(w);
}

static int skills_show_json(const haft_skills *skills)
{
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, 256 << 20);
    hf_json_begin_array(&w);
    for (size_t i = 0; i < haft_skills_count(skills); i++)
        skills_put_json(&w, haft_skills_at(skills, i));
    hf_json_end_array(&w);
    haft_buffer_puts(&text, "\n");
    status = text.status;
    if (!status)
        fwrite(text.data, 1, text.size, stdout);
    haft_buffer_finish(&text);
    return status ? complain(EXIT_LOCAL, "%s", haft_strerror(status)) : EXIT_DONE;
}

/* Names and descriptions come from the server: what a terminal would interpret is escaped. */
static void skills_print(const char *before, const char *text, const char *after)
{
    struct page line;

    page_init(&line);
    page_line(&line, text, strlen(text));
    printf("%s%.*s%s", before, (int)line.text.size, line.text.size ? line.text.data : "", after);
    haft_buffer_finish(&line.text);
}

static int skills_show(const struct invocation *call, const haft_skills *skills)
{
    if (call->json)
        return skills_show_json(skills);
    for (size_t i = 0; i < haft_skills_count(skills); i++) {
        const haft_skill *skill = haft_skills_at(skills, i);
        int64_t bytes = 0;

        skills_print("", skill->name, call->names ? "\n" : "  ");
        if (call->names)
            continue;
        skills_print("", skill->uri, "\n");
        skills_print("    ", skill->description, "\n");
        for (size_t k = 0; k < skill->n_files; k++)
            bytes += skill->files[k].size;
        if (skill->dynamic)
            printf("    its files are generated\n");
        else
            printf("    %zu file%s, %lld bytes\n", skill->n_files, skill->n_files == 1 ? "" : "s",
                   (long long)bytes);
    }
    return EXIT_DONE;
}

/* ---- writing ---- */

/* Opens the directory of a path below another, and makes what is missing. Returns a descriptor or -1. */
static int skills_open_parent(int root, const char *path, const char **ret_name)
{
    int at = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (const char *slash; at >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        char name[256];
        int next = -1;

        if ((size_t)(slash - path) < sizeof name) {
            memcpy(name, path, (size_t)(slash - path));
            name[slash - path] = '\0';
            if (!mkdirat(at, name, 0777) || errno == EEXIST)
                next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        } else {
            errno = ENAMETOOLONG;
        }
        close(at);
        at = next;
    }
    *ret_name = path;
    return at;
}

static int skills_write_file(const struct invocation *call, int root, const char *path,
                             const haft_buffer *bytes)
{
    const char *name;
    int parent = skills_open_parent(root, path, &name), number;
    int file = parent < 0 ? -1
                          : openat(parent, name,
                                   O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
                                       (call->project.force ? O_TRUNC : O_EXCL),
                                   0666);
    bool failed = file < 0 || write_all(file, bytes->data ? bytes->data : "", bytes->size);

    number = errno;
    if (file >= 0)
        failed = close(file) || failed;
    if (parent >= 0)
        close(parent);
    if (!failed)
        return EXIT_DONE;
    return number == EEXIST ? complain(EXIT_LOCAL, "%s exists already; --force replaces it", path)
                            : complain(EXIT_LOCAL, "cannot write %s: %s", path, strerror(number));
}

static int skills_write(const struct invocation *call, const haft_skill *skill,
                        const haft_buffer *contents)
{
    int root, to, status = EXIT_DONE;

    if (mkdir(call->project.to, 0777) && errno != EEXIST)
        return complain(EXIT_LOCAL, "cannot create %s: %s", call->project.to, strerror(errno));
    to = open(call->project.to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (to >= 0 && mkdirat(to, skill->name, 0777) && (errno != EEXIST || !call->project.force))
        status = errno == EEXIST
                     ? complain(EXIT_LOCAL, "%s/%s exists already; --force replaces its files",
                                call->project.to, skill->name)
                     : complain(EXIT_LOCAL, "cannot create %s/%s: %s", call->project.to,
                                skill->name, strerror(errno));
    root = to < 0 || status
               ? -1
               : openat(to, skill->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (root < 0 && !status)
        status = complain(EXIT_LOCAL, "cannot open %s/%s: %s", call->project.to, skill->name,
                          strerror(errno));
    for (size_t i = 0; i < skill->n_files && !status; i++)
        status = skills_write_file(call, root, skill->files[i].path, &contents[i]);
    if (root >= 0)
        close(root);
    if (to >= 0)
        close(to);
    if (!status)
        printf("%s/%s: %zu file%s\n", call->project.to, skill->name, skill->n_files,
               skill->n_files == 1 ? "" : "s");
    return status;
}

static int skills_read_all(struct peer *peer, const haft_skill *skill, haft_buffer *contents)
{
    int status = EXIT_DONE;

    for (size_t i = 0; i < skill->n_files && !status; i++) {
        haft_reason reason = {0};
        yyjson_val *result;

        status = skills_request(peer, "resources/read", "uri", skill->files[i].uri, &result);
        if (!status &&
            hf_skill_verify(NULL, skill, skill->files[i].path, result, &contents[i], &reason))
            status = skills_complain(peer, &reason);
    }
    return status;
}

/* Finds a skill by name or URI; a name that several have is not enough. */
static int skills_find(struct peer *peer, const haft_skills *skills, const char *name,
                       const haft_skill **ret_skill)
{
    const haft_skill *found = NULL;

    for (size_t i = 0; i < haft_skills_count(skills); i++) {
        const haft_skill *skill = haft_skills_at(skills, i);

        if (strcmp(skill->uri, name) != 0 && strcmp(skill->name, name) != 0)
            continue;
        if (found)
            return peer_fail(peer, EXIT_USAGE, "several skills are called %s; use a URI", name);
        found = skill;
    }
    if (!found)
        return peer_fail(peer, EXIT_USAGE, "the server lists no skill %s", name);
    if (found->dynamic)
        return peer_fail(peer, EXIT_PROTOCOL,
                         "the server generates the files of %s, and has no list of them", name);
    *ret_skill = found;
    return EXIT_DONE;
}

static int skills_get(const struct invocation *call, struct peer *peer, const haft_skills *skills,
                      const char *name)
{
    haft_buffer contents[CLIENT_SKILL_FILES];
    const haft_skill *skill = NULL;
    int status = skills_find(peer, skills, name, &skill);

    if (status)
        return status;
    for (size_t i = 0; i < skill->n_files; i++)
        haft_buffer_init(&contents[i], NULL, CLIENT_SKILL_BYTES);
    status = skills_read_all(peer, skill, contents);
    if (!status)
        status = -skills_write(call, skill, contents);
    for (size_t i = 0; i < skill->n_files; i++)
        haft_buffer_finish(&contents[i]);
    return status;
}

/* ---- the command ---- */

int act_skills(struct invocation *call)
{
    bool gets = call->n_operands && !strcmp(call->operands[0], "get");
    size_t at = gets, expected = at + !call->child + gets;
    const char *url = call->child || call->n_operands <= at ? NULL : call->operands[at];
    haft_reason reason = {0};
    haft_skills *skills;
    struct peer *peer = NULL;
    int status;

    if (call->n_operands != expected)
        return complain(EXIT_USAGE, "skills needs %s",
                        gets ? "get, a server and the name of a skill" : "a server");
    if (gets != (call->project.to != NULL))
        return complain(EXIT_USAGE, gets ? "skills get needs --to DIR" : "--to needs skills get");
    skills = hf_skills_new(NULL, &reason);
    if (!skills)
        return complain(EXIT_LOCAL, "%s", reason.text);
    status = ask_open(call, url, &peer);
    if (!status)
        status = skills_fetch(peer, skills);
    if (!status)
        status = gets ? skills_get(call, peer, skills, call->operands[expected - 1])
                      : -skills_show(call, skills);
    status = ask_end(peer, status);
    haft_skills_free(skills);
    return status;
}
