/* template.c - text with placeholders. */
#include "template.h"

static const struct template_word *template_word_at(const char *text,
                                                    const struct template_word *words)
{
    for (; words->name; words++) {
        size_t size = strlen(words->name);

        if (!strncmp(text + 1, words->name, size) && text[1 + size] == '@')
            return words;
    }
    return NULL;
}

void template_fill(const char *text, const struct template_word *words, haft_buffer *out)
{
    while (*text) {
        size_t plain = strcspn(text, "@");
        const struct template_word *word;

        haft_buffer_add(out, text, plain);
        text += plain;
        if (!*text)
            return;
        word = template_word_at(text, words);
        if (word) {
            haft_buffer_puts(out, word->text);
            text += strlen(word->name) + 2;
        } else {
            haft_buffer_add(out, text++, 1);
        }
    }
}

/* Whether the kind has a file of that name in its own folder. */
static bool template_is_own(const char *name, const char *kind)
{
    size_t size = strlen(kind);

    for (const struct template *row = template_rows; row->path; row++)
        if (!strncmp(row->path, kind, size) && row->path[size] == '/' &&
            !strcmp(row->path + size + 1, name))
            return true;
    return false;
}

const char *template_name(const struct template *row, const char *kind)
{
    size_t size = strlen(kind);

    if (!strchr(row->path, '/'))
        return template_is_own(row->path, kind) ? NULL : row->path;
    if (!strncmp(row->path, kind, size) && row->path[size] == '/')
        return row->path + size + 1;
    return NULL;
}
