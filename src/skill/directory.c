/* directory.c - finds the skills below a directory, and reads their files into a set.
 *
 * The directories that are still to be read are a list, not a recursion. A directory that has a SKILL.md, or is in
 * one that has, belongs to a skill: everything in it is offered or is an error. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/percent.h"
#include "skill/frontmatter.h"
#include "skill/set.h"
#include "skill/tree.h"

struct directory_pending {
    struct directory_pending *next;
    const char *path, *uri; /* below the root, and without a / at the end */
    unsigned depth;
    bool in_skill;
};

struct directory_walk {
    struct skill_set *set;
    const struct skill_source *source;
    haft_arena *scratch;
    struct directory_pending *pending, **last;
    haft_reason *reason;
    size_t names, bytes; /* that are left */
    unsigned skills;     /* so far */
    int root;
};

/* ---- names ---- */

static int directory_fail(struct directory_walk *walk, int code, const char *path, const char *text)
{
    return hf_error_set(walk->reason, code, path, "%s", text);
}

/* Completes the reason of a function that does not know the file. */
static int directory_blame(const struct directory_walk *walk, int status, const char *path)
{
    if (status && walk->reason && !*walk->reason->path)
        snprintf(walk->reason->path, sizeof walk->reason->path, "%s", path);
    return status;
}

static const char *directory_path(haft_arena *arena, const char *parent, const char *name)
{
    return haft_arena_printf(arena, "%s%s%s", parent, *parent ? "/" : "", name);
}

/* The URI of a child. */
static const char *directory_uri(const struct directory_walk *walk, const char *parent,
                                 const char *name)
{
    haft_buffer uri;
    const char *copy = NULL;

    haft_buffer_init(&uri, walk->set->allocator, 64 << 10);
    haft_buffer_puts(&uri, parent);
    if (uri.size > strlen(SKILL_SCHEME))
        haft_buffer_puts(&uri, "/");
    hf_percent_encode(&uri, name, strlen(name));
    if (!uri.status)
        copy = haft_arena_copy(walk->set->arena, uri.data, uri.size);
    haft_buffer_finish(&uri);
    return copy;
}

static const struct {
    const char *extension, *type;
} directory_types[] = {
    {"md", "text/markdown"},
    {"txt", "text/plain"},
    {"json", "application/json"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"toml", "application/toml"},
    {"xml", "application/xml"},
    {"csv", "text/csv"},
    {"html", "text/html"},
    {"css", "text/css"},
    {"js", "text/javascript"},
    {"mjs", "text/javascript"},
    {"ts", "text/x-typescript"},
    {"py", "text/x-python"},
    {"sh", "application/x-sh"},
    {"c", "text/x-c"},
    {"h", "text/x-c"},
    {"sql", "application/sql"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"svg", "image/svg+xml"},
    {"pdf", "application/pdf"},
    {"zip", "application/zip"},
};

static const char *directory_type(const char *name, bool text)
{
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof directory_types / sizeof *directory_types; i++)
        if (!strcmp(dot + 1, directory_types[i].extension))
            return directory_types[i].type;
    return text ? "text/plain" : "application/octet-stream";
}

/* ---- files ---- */

static struct skill_entry *directory_add_entry(const struct directory_walk *walk, const char *uri,
                                               const char *name)
{
    struct skill_set *set = walk->set;
    struct skill_entry *entry = haft_arena_zalloc(set->arena, 1, sizeof *entry);

    if (!entry || !uri)
        return NULL;
    entry->uri = uri;
    entry->name = haft_arena_copy(set->arena, name, strlen(name));
    if (!entry->name)
        return NULL;
    entry->next = set->found_entries;
    set->found_entries = entry;
    set->n_entries++;
    return entry;
}

static void directory_digest(struct skill_entry *entry)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, entry->contents.data, entry->contents.size);
    hf_sha256_finish(&hash, digest);
    memcpy(entry->digest, "sha256:", 7);
    hf_hex_put(digest, sizeof digest, entry->digest + 7);
}

/* The bytes of the contents in a message, at most. */
static size_t directory_sent_size(const struct skill_entry *entry)
{
    const unsigned char *bytes = (const unsigned char *)entry->contents.data;
    size_t size = entry->contents.size, n = size;

    if (!entry->text)
        return size / 3 * 4 + 4;
    for (size_t i = 0; i < size; i++)
        n += bytes[i] < ' ' ? 5 : bytes[i] == '"' || bytes[i] == '\\' || bytes[i] == 0x7f;
    return n;
}

static int directory_add_file(struct directory_walk *walk, const struct directory_pending *in,
                              const char *name, struct skill_entry **ret_entry)
{
    const char *path = directory_path(walk->scratch, in->path, name);
    struct skill_entry *entry =
        path ? directory_add_entry(walk, directory_uri(walk, in->uri, name), name) : NULL;
    size_t limit = walk->bytes < SKILL_BYTES ? walk->bytes : SKILL_BYTES;
    int status;

    if (!entry)
        return directory_fail(walk, HAFT_ENOMEM, in->path, "out of memory");
    status =
        hf_tree_read(walk->root, path, limit, walk->set->arena, &entry->contents, walk->reason);
    if (status)
        return directory_blame(walk, status, path);
    walk->bytes -= entry->contents.size;
    entry->text =
        haft_utf8_valid(entry->contents.data, entry->contents.size) == entry->contents.size &&
        !memchr(entry->contents.data, '\0', entry->contents.size);
    entry->mime_type = directory_type(name, entry->text);
    directory_digest(entry);
    *ret_entry = entry;
    return directory_sent_size(entry) <= walk->set->max_file
               ? 0
               : directory_fail(walk, HAFT_ETOOBIG, path,
                                "it is too large for a message; raise limits.message");
}

/* Adds the skill whose SKILL.md this is. */
static int directory_add_skill(struct directory_walk *walk, const struct directory_pending *in,
                               const struct skill_entry *file)
{
    struct skill_set *set = walk->set;
    struct skill *skill = haft_arena_zalloc(set->arena, 1, sizeof *skill);
    const char *slash = strrchr(in->path, '/'), *name = slash ? slash + 1 : in->path;
    const char *path = directory_path(walk->scratch, in->path, SKILL_FILE);
    haft_value *frontmatter;
    int status;

    if (!skill || !path)
        return directory_fail(walk, HAFT_ENOMEM, in->path, "out of memory");
    if (!file->text)
        return directory_fail(walk, HAFT_EINVAL, path, "it is not valid UTF-8");
    if (walk->skills++ >= walk->source->options.max_skills)
        return directory_fail(walk, HAFT_ETOOBIG, in->path,
                              "there are more skills than max_skills permits");
    status = hf_frontmatter_read(file->contents.data, file->contents.size, set->allocator,
                                 "the front matter of skills", set->arena, &frontmatter,
                                 &skill->json, walk->reason);
    if (!status)
        status = hf_frontmatter_check(frontmatter, name, strlen(name), walk->reason);
    if (status)
        return directory_blame(walk, status, path);
    skill->uri = file->uri;
    skill->root = strlen(file->uri) - strlen("/" SKILL_FILE);
    skill->name = yyjson_get_str(yyjson_obj_get(frontmatter, "name"));
    skill->description = yyjson_get_str(yyjson_obj_get(frontmatter, "description"));
    skill->next = set->found_skills;
    set->found_skills = skill;
    set->n_skills++;
    return 0;
}

/* ---- directories ---- */

static int directory_queue(struct directory_walk *walk, const struct directory_pending *in,
                           const char *name, bool in_skill)
{
    struct directory_pending *added = haft_arena_zalloc(walk->scratch, 1, sizeof *added);
    struct skill_entry *entry = NULL;

    if (added) {
        added->path = directory_path(walk->scratch, in->path, name);
        added->uri = directory_uri(walk, in->uri, name);
    }
    if (!added || !added->path || !added->uri)
        return directory_fail(walk, HAFT_ENOMEM, in->path, "out of memory");
    added->depth = in->depth + 1;
    added->in_skill = in_skill;
    if (added->depth > SKILL_DEPTH)
        return directory_fail(walk, HAFT_EDEPTH, added->path,
                              "directories are nested more than 16 deep");
    if (in_skill) {
        entry = directory_add_entry(walk, added->uri, name);
        if (!entry)
            return directory_fail(walk, HAFT_ENOMEM, added->path, "out of memory");
        entry->directory = true;
        entry->mime_type = "inode/directory";
    }
    *walk->last = added;
    walk->last = &added->next;
    return 0;
}

static bool directory_has_skill(const struct tree_name *names)
{
    while (names && (names->directory || strcmp(names->name, SKILL_FILE) != 0))
        names = names->next;
    return names;
}

static int directory_take(struct directory_walk *walk, const struct directory_pending *in,
                          const struct tree_name *name, bool in_skill)
{
    struct skill_entry *entry = NULL;
    int status;

    if (!in_skill && (!name->directory || name->problem))
        return 0;
    if (name->problem) {
        const char *path = directory_path(walk->scratch, in->path, name->name);

        return directory_fail(walk, HAFT_EINVAL, path ? path : in->path, name->problem);
    }
    if (name->directory)
        return directory_queue(walk, in, name->name, in_skill);
    status = directory_add_file(walk, in, name->name, &entry);
    if (!status && !strcmp(name->name, SKILL_FILE))
        status = directory_add_skill(walk, in, entry);
    return status;
}

/* The directory of a skill is a resource itself; one inside a skill has been added already. */
static int directory_add_root(struct directory_walk *walk, const struct directory_pending *in)
{
    const char *slash = strrchr(in->path, '/');
    struct skill_entry *entry;

    if (!*in->path)
        return directory_fail(
            walk, HAFT_EINVAL, SKILL_FILE,
            "the directory is a skill itself; name the directory that contains it");
    entry = directory_add_entry(walk, in->uri, slash ? slash + 1 : in->path);
    if (!entry)
        return directory_fail(walk, HAFT_ENOMEM, in->path, "out of memory");
    entry->directory = true;
    entry->mime_type = "inode/directory";
    return 0;
}

static int directory_visit(struct directory_walk *walk, const struct directory_pending *in)
{
    struct tree_name *names;
    int status =
        hf_tree_list(walk->root, in->path, &walk->names, walk->scratch, &names, walk->reason);
    bool has_skill;

    if (status)
        return directory_blame(walk, status, *in->path ? in->path : walk->source->directory);
    has_skill = directory_has_skill(names);
    if (has_skill && !in->in_skill)
        status = directory_add_root(walk, in);
    for (; names && !status; names = names->next)
        status = directory_take(walk, in, names, in->in_skill || has_skill);
    return status;
}

/* The URI that the paths of the source begin with. */
static const char *directory_base(const struct directory_walk *walk)
{
    const char *prefix = walk->source->options.prefix, *uri = SKILL_SCHEME;

    while (uri && prefix && *prefix) {
        size_t size = strcspn(prefix, "/");
        const char *segment = haft_arena_copy(walk->scratch, prefix, size);

        uri = segment ? directory_uri(walk, uri, segment) : NULL;
        prefix += size + (prefix[size] == '/');
    }
    return uri;
}

static int directory_walk_all(struct directory_walk *walk)
{
    struct directory_pending first = {.path = "", .uri = directory_base(walk)};
    const struct directory_pending *in = &first;
    int status = first.uri ? 0 : directory_fail(walk, HAFT_ENOMEM, "", "out of memory");

    while (in && !status) {
        status = directory_visit(walk, in);
        in = walk->pending;
        if (in)
            walk->pending = in->next;
        if (!walk->pending)
            walk->last = &walk->pending;
    }
    return status;
}

int hf_skill_set_add(struct skill_set *set, const struct skill_source *source,
                     haft_reason *reterr_reason)
{
    struct directory_walk walk = {.set = set,
                                  .source = source,
                                  .reason = reterr_reason,
                                  .names = SKILL_NAMES,
                                  .bytes = source->options.max_bytes};
    int status;

    walk.last = &walk.pending;
    walk.root = hf_tree_open(source->directory, reterr_reason);
    if (walk.root < 0)
        return directory_blame(&walk, walk.root, source->directory);
    walk.scratch = haft_arena_new(set->allocator, 64 << 20);
    status = walk.scratch ? directory_walk_all(&walk)
                          : directory_fail(&walk, HAFT_ENOMEM, "", "out of memory");
    haft_arena_free(walk.scratch);
    close(walk.root);
    return status;
}
