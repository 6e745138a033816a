/* search_words.c - splits text into words for the search.
 *
 * Names and sentences are split by the same rules, so that "createIssue", "create_issue" and "creating
 * issues" have words in common. Each character of a script without spaces is a word. */
#include "engine/offer/search.h"

enum { WORDS_SHORT = 3 }; /* endings are kept if fewer bytes would be left */

/* ---- characters ---- */

enum words_class { WORDS_OTHER, WORDS_LOWER, WORDS_UPPER, WORDS_DIGIT, WORDS_ALONE };

struct words_character {
    uint32_t code_point; /* in lower case */
    size_t size;
    enum words_class class;
};

/* Ranges of capitals, and the distance to their lower case. */
static const struct words_capitals {
    uint32_t first, last, distance;
} words_capitals[] = {
    {0xC0, 0xDE, 32},   /* Latin */
    {0x391, 0x3A9, 32}, /* Greek */
    {0x400, 0x40F, 80}, /* Cyrillic */
    {0x410, 0x42F, 32},
};

/* Of a character beyond ASCII. */
static enum words_class words_classify(uint32_t *code_point)
{
    uint32_t c = *code_point;

    for (size_t i = 0; i < sizeof words_capitals / sizeof *words_capitals; i++) {
        const struct words_capitals *row = &words_capitals[i];

        if (c >= row->first && c <= row->last && c != 0xD7) {
            *code_point = c + row->distance;
            return WORDS_UPPER;
        }
    }
    if (c >= 0xC0 && c < 0x2000 && c != 0xD7 && c != 0xF7)
        return WORDS_LOWER;
    /* Ideographs, kana, Hangul; not the punctuation of these scripts. */
    if ((c >= 0x3040 && c < 0xE000) || c >= 0x20000 || (c >= 0xF900 && c < 0xFB00))
        return WORDS_ALONE;
    return c >= 0x2C00 && c < 0x2E00 ? WORDS_LOWER : WORDS_OTHER;
}

/* Of invalid UTF-8, a byte is a separator. */
static struct words_character words_peek(const char *at, const char *end)
{
    struct words_character character = {.size = 1};
    const char *next = at;

    if (at >= end)
        return (struct words_character){0};
    if ((unsigned char)*at < 0x80) {
        character.code_point = (unsigned char)ascii_lower(*at);
        character.class = *at >= 'a' && *at <= 'z'   ? WORDS_LOWER
                          : *at >= 'A' && *at <= 'Z' ? WORDS_UPPER
                          : *at >= '0' && *at <= '9' ? WORDS_DIGIT
                                                     : WORDS_OTHER;
        return character;
    }
    character.size = hf_utf8_size(at, (size_t)(end - at));
    if (!character.size)
        return (struct words_character){.size = 1};
    character.code_point = hf_utf8_next(&next);
    character.class = words_classify(&character.code_point);
    return character;
}

/* ---- endings ---- */

/* Whether a word ends like this, with so many bytes before it. */
static bool words_ends(const struct search_word *word, const char *ending, size_t before)
{
    size_t size = strlen(ending);

    return word->size >= size + before && !memcmp(word->text + word->size - size, ending, size);
}

static bool words_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* "ids" to "id", "issues" to "issue", "branches" to "branch", "policies" to "policy". */
static void words_drop_plural(struct search_word *word)
{
    char before = word->size > 2 ? word->text[word->size - 2] : '\0';

    if (word->size < WORDS_SHORT || word->text[word->size - 1] != 's' ||
        words_is_one_of(before, "su"))
        return;
    word->size--;
    if (words_ends(word, "ie", 2)) {
        word->size--;
        word->text[word->size - 1] = 'y';
    } else if (words_ends(word, "sse", 1) || words_ends(word, "xe", 1) ||
               words_ends(word, "che", 1) || words_ends(word, "she", 1)) {
        word->size--;
    }
}

static bool words_is_plain(const struct search_word *word)
{
    for (size_t i = 0; i < word->size; i++)
        if (word->text[i] < 'a' || word->text[i] > 'z')
            return false;
    return true;
}

static void words_finish(struct search_word *word)
{
    if (words_is_plain(word))
        words_drop_plural(word);
}

void hf_search_shorten(struct search_word *word)
{
    size_t size = word->size;

    if (!words_is_plain(word))
        return;
    if (words_ends(word, "ing", WORDS_SHORT))
        word->size -= 3;
    else if (words_ends(word, "ed", WORDS_SHORT))
        word->size -= 2;
    else if (words_ends(word, "e", WORDS_SHORT))
        word->size--;
    if (word->size < size && word->size > WORDS_SHORT &&
        word->text[word->size - 1] == word->text[word->size - 2])
        word->size--;
}

/* ---- splitting ---- */

struct search_words hf_search_words(const char *text, size_t size)
{
    return (struct search_words){.at = text, .end = text + size};
}

static void words_add(struct search_word *word, const struct words_character *character)
{
    char bytes[4];
    size_t size = hf_utf8_put(character->code_point, bytes);

    if (word->size + size <= sizeof word->text) {
        memcpy(word->text + word->size, bytes, size);
        word->size += size;
    }
}

/* The "s" of "APIs" belongs to the capitals before it. */
static bool words_is_plural(const struct words_character *next, const char *after, const char *end)
{
    enum words_class class = words_peek(after + next->size, end).class;

    return next->code_point == 's' && class != WORDS_LOWER;
}

/* Whether a word ends between `last` and the character at `at`. */
static bool words_part(enum words_class last, const char *at, const char *end)
{
    struct words_character next = words_peek(at, end), second;

    if (next.class == WORDS_ALONE || last == WORDS_ALONE ||
        (next.class == WORDS_DIGIT) != (last == WORDS_DIGIT))
        return true;
    if (next.class != WORDS_UPPER)
        return false;
    if (last == WORDS_LOWER)
        return true;
    second = words_peek(at + next.size, end);
    return last == WORDS_UPPER && second.class == WORDS_LOWER &&
           !words_is_plural(&second, at + next.size, end);
}

/* Finds the next letters and digits without anything in between. */
static bool words_find_run(struct search_words *words)
{
    struct words_character character = words_peek(words->at, words->end);

    while (character.size && character.class == WORDS_OTHER) {
        words->at += character.size;
        character = words_peek(words->at, words->end);
    }
    words->run = words->run_end = words->at;
    words->split = false;
    while (character.class != WORDS_OTHER) {
        words->run_end += character.size;
        if (character.class == WORDS_ALONE)
            break;
        character = words_peek(words->run_end, words->end);
        if (character.class == WORDS_ALONE)
            break;
    }
    return words->run_end > words->run;
}

/* The run as one word, after the words that it was split into. */
static void words_join(const struct search_words *words, struct search_word *ret_word)
{
    for (const char *at = words->run; at < words->run_end;) {
        struct words_character character = words_peek(at, words->run_end);

        words_add(ret_word, &character);
        at += character.size;
    }
    words_finish(ret_word);
}

bool hf_search_next(struct search_words *words, struct search_word *ret_word)
{
    struct words_character character;

    ret_word->size = 0;
    if (words->run && words->at == words->run_end) {
        bool split = words->split;

        if (split)
            words_join(words, ret_word);
        words->run = NULL;
        if (split)
            return true;
    }
    if (!words->run && !words_find_run(words))
        return false;
    do {
        character = words_peek(words->at, words->run_end);
        words_add(ret_word, &character);
        words->at += character.size;
    } while (words->at < words->run_end && !words_part(character.class, words->at, words->run_end));
    words->split |= words->at < words->run_end;
    words_finish(ret_word);
    return true;
}
