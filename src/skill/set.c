/* set.c - makes a set of skills: sorts what the directories have, and writes the entries of lists. */
#include "skill/set.h"

#include <stdlib.h>
#include <string.h>

#include "json/writer.h"

enum { SET_OVERHEAD = 128 << 20, SET_FRAME = 8192 };

/* ---- searching ---- */

static int set_compare_entries(const void *left, const void *right)
{
    return strcmp((*(struct skill_entry *const *)left)->uri,
                  (*(struct skill_entry *const *)right)->uri);
}

static int set_compare_skills(const void *left, const void *right)
{
    return strcmp((*(struct skill *const *)left)->uri, (*(struct skill *const *)right)->uri);
}

size_t hf_skill_set_entry_after(const struct skill_set *set, const char *uri)
{
    size_t low = 0, high = set->n_entries;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(set->entries[middle]->uri, uri) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t hf_skill_set_skill_after(const struct skill_set *set, const char *uri)
{
    size_t low = 0, high = set->n_skills;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(set->skills[middle]->uri, uri) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct skill_entry *hf_skill_set_entry(const struct skill_set *set, const char *uri)
{
    size_t i = hf_skill_set_entry_after(set, uri);

    return i && !strcmp(set->entries[i - 1]->uri, uri) ? set->entries[i - 1] : NULL;
}

const struct skill *hf_skill_set_skill(const struct skill_set *set, const char *uri)
{
    size_t i = hf_skill_set_skill_after(set, uri);

    return i && !strcmp(set->skills[i - 1]->uri, uri) ? set->skills[i - 1] : NULL;
}

bool hf_skill_set_equal(const struct skill_set *left, const struct skill_set *right)
{
    if (left->n_skills != right->n_skills || left->n_entries != right->n_entries)
        return false;
    for (size_t i = 0; i < left->n_skills; i++)
        if (left->skills[i]->json.size != right->skills[i]->json.size ||
            memcmp(left->skills[i]->json.data, right->skills[i]->json.data,
                   left->skills[i]->json.size) != 0)
            return false;
    for (size_t i = 0; i < left->n_entries; i++)
        if (strcmp(left->entries[i]->uri, right->entries[i]->uri) != 0)
            return false;
    return true;
}

/* ---- making ---- */

static int set_fail(haft_reason *reterr_reason, int code, const char *uri, const char *text)
{
    return hf_error_set(reterr_reason, code, uri, "%s", text);
}

static int set_sort(struct skill_set *set, haft_reason *reterr_reason)
{
    size_t i = 0;

    set->entries = haft_arena_zalloc(set->arena, set->n_entries + 1, sizeof *set->entries);
    set->skills = haft_arena_zalloc(set->arena, set->n_skills + 1, sizeof *set->skills);
    if (!set->entries || !set->skills)
        return set_fail(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    for (struct skill_entry *entry = set->found_entries; entry; entry = entry->next)
        set->entries[i++] = entry;
    i = 0;
    for (struct skill *skill = set->found_skills; skill; skill = skill->next)
        set->skills[i++] = skill;
    qsort(set->entries, set->n_entries, sizeof *set->entries, set_compare_entries);
    qsort(set->skills, set->n_skills, sizeof *set->skills, set_compare_skills);
    for (i = 1; i < set->n_entries; i++)
        if (!strcmp(set->entries[i - 1]->uri, set->entries[i]->uri))
            return set_fail(reterr_reason, HAFT_EEXISTS, set->entries[i]->uri,
                            "two directories with skills have this");
    return 0;
}

static void set_put_file(struct json_writer *w, const struct skill_entry *entry)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "uri"), entry->uri);
    hf_json_text(json_key(w, "digest"), entry->digest);
    hf_json_unsigned(json_key(w, "size"), entry->contents.size);
    hf_json_end_object(w);
}

/* Writes the entry of a skill around its front matter. The files of a skill are neighbors. */
static int set_render(const struct skill_set *set, struct skill *skill, haft_buffer *text,
                      haft_reason *reterr_reason)
{
    struct json_writer w = {.out = text};
    char *root = haft_arena_printf(set->arena, "%.*s/", (int)skill->root, skill->uri);
    size_t n = 0, bytes = 0;

    if (!root)
        return set_fail(reterr_reason, HAFT_ENOMEM, skill->uri, "out of memory");
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "uri"), skill->uri);
    hf_json_raw(json_key(&w, "frontmatter"), skill->json.data, skill->json.size);
    hf_json_begin_array(json_key(&w, "resources"));
    for (size_t i = hf_skill_set_entry_after(set, root); i < set->n_entries; i++) {
        const struct skill_entry *entry = set->entries[i];

        if (strncmp(entry->uri, root, skill->root + 1) != 0)
            break;
        if (entry->directory)
            continue;
        n++;
        bytes += entry->contents.size;
        set_put_file(&w, entry);
    }
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    if (n > SKILL_FILES)
        return set_fail(reterr_reason, HAFT_ETOOBIG, skill->uri,
                        "the skill has more than 512 files");
    if (bytes > SKILL_BYTES)
        return set_fail(reterr_reason, HAFT_ETOOBIG, skill->uri, "the skill has more than 16 MiB");
    return !text->status ? 0
                         : set_fail(reterr_reason, text->status, skill->uri,
                                    text->status == HAFT_ETOOBIG
                                        ? "the list of the skill's files is longer than 512 KiB"
                                        : haft_strerror(text->status));
}

static int set_render_all(struct skill_set *set, haft_reason *reterr_reason)
{
    int status = 0;

    for (size_t i = 0; i < set->n_skills && !status; i++) {
        struct skill *skill = set->skills[i];
        haft_buffer text;

        haft_buffer_init(&text, set->allocator, SKILL_ENTRY_SIZE);
        status = set_render(set, skill, &text, reterr_reason);
        if (status) {
            haft_buffer_finish(&text);
            break;
        }
        skill->json = hf_text_of(set->arena, &text);
        if (!skill->json.data)
            status = set_fail(reterr_reason, HAFT_ENOMEM, skill->uri, "out of memory");
    }
    return status;
}

static void set_release(struct module *module)
{
    struct skill_set *set = (struct skill_set *)module;

    haft_arena_free(set->arena);
    set->allocator->release(set->allocator->context, set, sizeof *set);
}

void hf_skill_set_drop(struct skill_set *set)
{
    if (set)
        hf_module_drop(&set->module);
}

static struct skill_set *set_new(const haft_allocator *allocator,
                                 const struct skill_source *sources)
{
    struct skill_set *set = allocator->alloc(allocator->context, sizeof *set);
    size_t limit = SET_OVERHEAD;

    if (!set)
        return NULL;
    for (; sources; sources = sources->next)
        limit += sources->options.max_bytes;
    memset(set, 0, sizeof *set);
    set->allocator = allocator;
    set->arena = haft_arena_new(allocator, limit);
    if (set->arena) {
        hf_module_init(&set->module, set_release);
        set->module.foreign = true;
        return set;
    }
    allocator->release(allocator->context, set, sizeof *set);
    return NULL;
}

int hf_skill_set_read(const haft_allocator *allocator, const struct skill_source *sources,
                      size_t max_message, struct skill_set **ret_set, haft_reason *reterr_reason)
{
    struct skill_set *set = set_new(allocator, sources);
    int status = set ? 0 : set_fail(reterr_reason, HAFT_ENOMEM, "", "out of memory");

    if (set)
        set->max_file = max_message > SET_FRAME ? max_message - SET_FRAME : 0;
    for (; sources && !status; sources = sources->next)
        status = hf_skill_set_add(set, sources, reterr_reason);
    if (!status)
        status = set_sort(set, reterr_reason);
    if (!status)
        status = set_render_all(set, reterr_reason);
    if (status)
        hf_skill_set_drop(set);
    else
        *ret_set = set;
    return status;
}
