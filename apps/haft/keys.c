/* keys.c - the command that creates, lists and revokes API keys.
 *
 * A key is printed once, alone on standard output, so that scripts can take it; everything else goes to
 * standard error. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json/writer.h"
#include "key_file.h"
#include "program.h"
#include "show.h"
#include "state.h"

/* ---- printing ---- */

static void keys_put_member(struct json_writer *w, const char *name, const char *text, size_t size)
{
    hf_json_name(w, name, strlen(name));
    hf_json_string(w, text, size);
}

/* The object of a key, to which members may be added. */
static void keys_begin_object(struct json_writer *w, const struct key_line *line)
{
    hf_json_begin_object(w);
    keys_put_member(w, "id", line->hash.text, KEY_ID);
    keys_put_member(w, "name", line->name.text, line->name.size);
    keys_put_member(w, "scopes", line->scopes.text ? line->scopes.text : "*",
                    line->scopes.text ? line->scopes.size : 1);
    keys_put_member(w, "created", line->created.text, line->created.size);
}

static void keys_put_row(struct page *page, const struct key_line *line, size_t width)
{
    size_t shown = line->name.size;

    haft_buffer_printf(&page->text, "%.*s  ", KEY_ID, line->hash.text);
    page_line(page, line->name.text, line->name.size);
    for (; shown < width; shown++)
        haft_buffer_puts(&page->text, " ");
    haft_buffer_puts(&page->text, "  ");
    if (line->created.size)
        page_line(page, line->created.text, line->created.size);
    else
        haft_buffer_puts(&page->text, "-                   ");
    haft_buffer_puts(&page->text, "  ");
    if (line->scopes.text && !line->scopes.size)
        haft_buffer_puts(&page->text, "(none)");
    else if (line->scopes.text)
        page_line(page, line->scopes.text, line->scopes.size);
    else
        haft_buffer_puts(&page->text, "*");
    haft_buffer_puts(&page->text, "\n");
}

/* ---- list ---- */

static void keys_doubt(const struct key_file *file)
{
    struct key_line line = {0};

    for (size_t at = 0; key_file_next(file, &at, &line);)
        if (line.is_bad)
            complain(EXIT_LOCAL,
                     "%s, line %u: expected 64 hexadecimal digits and a name; a server refuses "
                     "this file",
                     file->shown, line.number);
}

static void keys_put_all(const struct key_file *file, struct page *page, bool json)
{
    struct json_writer w = {.out = &page->text};
    struct key_line line = {0};
    size_t width = 0;

    for (size_t at = 0; key_file_next(file, &at, &line);)
        width = line.is_key && line.name.size > width ? line.name.size : width;
    line.number = 0;
    if (json)
        hf_json_begin_array(&w);
    for (size_t at = 0; key_file_next(file, &at, &line);) {
        if (!line.is_key)
            continue;
        if (!json) {
            keys_put_row(page, &line, width);
            continue;
        }
        keys_begin_object(&w, &line);
        hf_json_end_object(&w);
    }
    if (json) {
        hf_json_end_array(&w);
        haft_buffer_puts(&page->text, "\n");
    }
}

static int keys_list(const struct invocation *call, const char *path)
{
    struct key_file file;
    struct page page;
    int status = key_file_open(&file, path, KEY_LOOK);

    if (!status) {
        if (!file.exists)
            complain(EXIT_DONE, "%s does not exist; `haft keys add NAME` creates it", path);
        keys_doubt(&file);
        page_init(&page);
        keys_put_all(&file, &page, call->json);
        status = page_print(&page);
    }
    key_file_close(&file);
    return status;
}

/* ---- add ---- */

/* The new line, after all others. */
static void keys_append(const struct key_file *file, const struct key_line *key, haft_buffer *text)
{
    const haft_buffer *old = &file->text;

    if (old->size)
        haft_buffer_add(text, old->data, old->size);
    if (old->size && old->data[old->size - 1] != '\n')
        haft_buffer_puts(text, "\n");
    haft_buffer_printf(text, "%s %s\t%s\t%s\n", key->hash.text, key->name.text, key->scopes.text,
                       key->created.text);
}

/* Standard output has the key and nothing else; or an object with it. */
static int keys_print_new(const struct invocation *call, const struct key_file *file,
                          const struct key_line *key, const haft_buffer *secret)
{
    struct json_writer w;
    haft_buffer text;

    haft_buffer_init(&text, secret->allocator, 1 << 16); /* which wipes it */
    w = (struct json_writer){.out = &text};
    if (call->json) {
        keys_begin_object(&w, key);
        keys_put_member(&w, "key", secret->data, secret->size);
        keys_put_member(&w, "file", file->shown, strlen(file->shown));
        hf_json_end_object(&w);
    } else {
        haft_buffer_add(&text, secret->data, secret->size);
    }
    haft_buffer_puts(&text, "\n");
    if (text.status || write_all(STDOUT_FILENO, text.data, text.size)) {
        haft_buffer_finish(&text);
        return complain(EXIT_LOCAL,
                        "the key %.*s was added, but could not be printed; revoke it, and add "
                        "another one",
                        KEY_ID, key->hash.text);
    }
    haft_buffer_finish(&text);
    complain(EXIT_DONE,
             "added the key %.*s of %s to %s; it is not shown again. Servers accept it after "
             "SIGHUP.",
             KEY_ID, key->hash.text, key->name.text, file->shown);
    return EXIT_DONE;
}

static int keys_add_to(const struct invocation *call, struct key_file *file, const char *name)
{
    char hash[2 * SHA256_SIZE + 1], created[TIME_TEXT];
    const char *scopes = call->login.scopes ? call->login.scopes : "*";
    struct key_line key = {.hash = {hash, sizeof hash - 1},
                           .name = {name, strlen(name)},
                           .scopes = {scopes, strlen(scopes)}};
    haft_buffer secret, text;
    int status = EXIT_DONE;

    hf_time_to_text((int64_t)time(NULL) * 1000, created);
    memcpy(strchr(created, '.'), "Z", 2); /* seconds are enough */
    key.created = (struct key_text){created, strlen(created)};
    haft_buffer_init(&text, NULL, KEY_FILE_LIMIT);
    if (!key_make(&secret, hash))
        status = complain(EXIT_LOCAL, "cannot create a key: no random numbers, or no memory");
    if (!status) {
        keys_append(file, &key, &text);
        status = key_file_write(file, &text);
    }
    if (!status)
        status = keys_print_new(call, file, &key, &secret);
    haft_buffer_finish(&secret);
    haft_buffer_finish(&text);
    return status;
}

static int keys_add(const struct invocation *call, const char *path, const char *name)
{
    const char *fault = key_name_fault(name);
    struct key_file file;
    int status;

    if (fault)
        return complain(EXIT_USAGE, "invalid name %s: %s", name, fault);
    fault = call->login.scopes ? key_scopes_fault(call->login.scopes) : NULL;
    if (fault)
        return complain(EXIT_USAGE, "--scopes: %s", fault);
    status = key_file_open(&file, path, KEY_CREATE);
    if (!status) {
        keys_doubt(&file);
        status = keys_add_to(call, &file, name);
    }
    key_file_close(&file);
    return status;
}

/* ---- revoke ---- */

/* Collects the lines that remain, and counts the others. */
static size_t keys_leave(const struct key_file *file, const char *which,
                         bool (*is_it)(const struct key_line *line, const char *which),
                         haft_buffer *rest, haft_buffer *ids)
{
    struct key_line line = {0};
    size_t n = 0;

    for (size_t at = 0; key_file_next(file, &at, &line);) {
        if (line.is_key && is_it(&line, which)) {
            haft_buffer_printf(ids, "%s%.*s", n++ ? ", " : "", KEY_ID, line.hash.text);
            continue;
        }
        haft_buffer_add(rest, line.line.text, line.line.size);
    }
    return n;
}

static int keys_agree(const struct invocation *call, const struct key_file *file, const char *name,
                      size_t n, const haft_buffer *ids)
{
    char answer[16];

    if (call->yes)
        return EXIT_DONE;
    if (!isatty(STDIN_FILENO))
        return complain(EXIT_USAGE,
                        "standard input is not a terminal, so haft cannot ask; add --yes to revoke "
                        "%zu key%s of %s",
                        n, n == 1 ? "" : "s", name);
    fprintf(stderr, "Revoke %zu key%s of %s (%.*s) in %s? [y/N] ", n, n == 1 ? "" : "s", name,
            (int)ids->size, ids->data, file->shown);
    fflush(stderr);
    if (fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y'))
        return EXIT_DONE;
    return complain(EXIT_DECLINED, "%s was not changed", file->shown);
}

static int keys_revoke_in(const struct invocation *call, const struct key_file *file,
                          const char *which, haft_buffer *rest, haft_buffer *ids)
{
    size_t n = keys_leave(file, which, key_has_name, rest, ids);
    int status = EXIT_DONE;

    if (n) {
        status = keys_agree(call, file, which, n, ids);
    } else {
        haft_buffer_clear(rest);
        n = keys_leave(file, which, key_has_id, rest, ids);
    }
    if (!n)
        return complain(EXIT_USAGE, "%s %s %s", file->shown,
                        file->exists ? "has no key with the name or ID"
                                     : "does not exist, so it has no key",
                        which);
    if (!status)
        status = key_file_write(file, rest);
    if (!status)
        complain(EXIT_DONE, "revoked the key%s %.*s in %s. Servers refuse %s after SIGHUP.",
                 n == 1 ? "" : "s", (int)ids->size, ids->data, file->shown, n == 1 ? "it" : "them");
    return status;
}

static int keys_revoke(const struct invocation *call, const char *path, const char *which)
{
    struct key_file file;
    haft_buffer rest, ids;
    int status = key_file_open(&file, path, KEY_EDIT);

    haft_buffer_init(&rest, NULL, KEY_FILE_LIMIT);
    haft_buffer_init(&ids, NULL, KEY_FILE_LIMIT);
    if (!status)
        status = keys_revoke_in(call, &file, which, &rest, &ids);
    haft_buffer_finish(&rest);
    haft_buffer_finish(&ids);
    key_file_close(&file);
    return status;
}

/* ---- the command ---- */

int act_keys(struct invocation *call)
{
    const char *verb = call->n_operands ? call->operands[0] : "", *path = call->file;
    bool adds = !strcmp(verb, "add"), lists = !strcmp(verb, "list"),
         revokes = !strcmp(verb, "revoke");
    size_t wanted = lists ? 1 : 2;
    char usual[PATH_MAX];

    if (!adds && !lists && !revokes)
        return complain(EXIT_USAGE, "keys needs add, list or revoke%s%s", *verb ? ", not " : "",
                        verb);
    if (call->n_operands < wanted)
        return complain(EXIT_USAGE, "keys %s needs a name%s", verb, revokes ? " or an ID" : "");
    if (call->n_operands > wanted || call->child)
        return complain(EXIT_USAGE, "unexpected argument %s for keys %s",
                        call->child ? "--" : call->operands[wanted], verb);
    if (call->login.scopes && !adds)
        return complain(EXIT_USAGE, "keys %s has no option --scopes", verb);
    if (!path && !config_path("keys", usual, sizeof usual))
        return complain(EXIT_LOCAL, "HOME is not set; name the file with --file");
    path = path ? path : usual;
    return adds    ? keys_add(call, path, call->operands[1])
           : lists ? keys_list(call, path)
                   : keys_revoke(call, path, call->operands[1]);
}
