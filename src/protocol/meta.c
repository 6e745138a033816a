/* meta.c - valid keys of `_meta`: a name, with the prefix of its owner.
 *
 * A prefix consists of labels between dots, and ends with a slash; the identifiers of extensions are also
 * keys of this kind, and must have a prefix. */
#include "protocol/meta.h"

#include <string.h>

static bool meta_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool meta_is_alphanumeric(char c)
{
    return meta_is_letter(c) || (c >= '0' && c <= '9');
}

/* Begins and ends so, and has besides nothing but those characters in the middle. */
static bool meta_is_word(const char *text, size_t size, bool begins, const char *middle)
{
    if (!begins || !meta_is_alphanumeric(text[size - 1]))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!meta_is_alphanumeric(text[i]) && (!text[i] || !strchr(middle, text[i])))
            return false;
    return true;
}

static bool is_prefix(const char *text, size_t size)
{
    for (;;) {
        const char *dot = memchr(text, '.', size);
        size_t n = dot ? (size_t)(dot - text) : size;

        if (!n || !meta_is_word(text, n, meta_is_letter(text[0]), "-"))
            return false;
        if (!dot)
            return true;
        text += n + 1;
        size -= n + 1;
    }
}

bool hf_meta_key_is_right(const char *key, size_t size, bool prefixed)
{
    const char *slash = memchr(key, '/', size);
    size_t before = slash ? (size_t)(slash - key) + 1 : 0;

    if (slash ? !is_prefix(key, before - 1) : prefixed)
        return false;
    key += before;
    size -= before;
    return !size || meta_is_word(key, size, meta_is_alphanumeric(key[0]), "-_.");
}

bool hf_meta_is_own(const char *key)
{
    return strncmp(key, META_PREFIX, sizeof META_PREFIX - 1) != 0 &&
           strcmp(key, META_PROGRESS) != 0 && strcmp(key, META_TRACEPARENT) != 0 &&
           strcmp(key, "tracestate") != 0;
}
