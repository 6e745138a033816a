/* search_entities - finds entities by words of their names, ids, areas and domains.
 *
 * Each word of the query must match somewhere.  A word scores by where and how it matches: a whole word
 * of the name is best, a word with a letter wrong is worst.  Entities with the same score are in the
 * order of their ids, so that the same question has the same answer. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common.h"

HAFT_STRUCT(search_entities_args,
    HAFT_STRING(query, "Words of a name, id, area or domain", .min = 1, .max = 200),
    HAFT_DEFAULT(HAFT_INTEGER(limit, "How many to return", .min = 1, .max = 100), 25),
    HAFT_OPTIONAL(HAFT_STRING(domain, "Only this domain")),
    HAFT_DEFAULT(HAFT_BOOLEAN(include_disabled, "Also those that are disabled"), false));
HAFT_STRUCT(search_match,
    HAFT_STRING(entity_id, NULL),
    HAFT_STRING(name, NULL),
    HAFT_OPTIONAL(HAFT_STRING(area, NULL)),
    HAFT_OPTIONAL(HAFT_STRING(state, "Absent if disabled")),
    HAFT_INTEGER(score, NULL));
HAFT_STRUCT(search_entities_result,
    HAFT_INTEGER(count, "How many match"),
    HAFT_ARRAY(results, HAFT_OBJECT(item, search_match, NULL), "Best first"),
    HAFT_BOOLEAN(truncated, NULL));

enum { SEARCH_WORDS = 16, SEARCH_WORD = 64, SEARCH_FUZZY = 5 };

/* What a word of the query scores in a text. */
enum {
    SEARCH_SIMILAR = 1, /* one letter is wrong, missing or too many */
    SEARCH_PART = 2,
    SEARCH_START = 4, /* of a word */
    SEARCH_WHOLE = 8  /* word */
};

struct search_words {
    char list[SEARCH_WORDS][SEARCH_WORD];
    size_t n;
};

/* Letters, digits and everything that is not ASCII make words. */
static bool search_is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The next word of a text, in lower case; false at its end.  A word that is too long is cut. */
static bool search_next_word(const char **text, char ret_word[SEARCH_WORD])
{
    size_t n = 0;

    while (**text && !search_is_letter(**text))
        ++*text;
    for (; **text && search_is_letter(**text); ++*text)
        if (n < SEARCH_WORD - 1)
            ret_word[n++] = (char)tolower((unsigned char)**text);
    ret_word[n] = '\0';
    return n;
}

static void search_split(const char *query, struct search_words *ret_words)
{
    ret_words->n = 0;
    while (ret_words->n < SEARCH_WORDS && search_next_word(&query, ret_words->list[ret_words->n]))
        ret_words->n++;
}

/* Whether one change of a letter makes one word the other. */
static bool search_is_similar(const char *left, const char *right)
{
    size_t same = 0, n_left = strlen(left), n_right = strlen(right);

    if (n_left < SEARCH_FUZZY - 1 || n_right + 1 < n_left || n_left + 1 < n_right)
        return false;
    while (left[same] && left[same] == right[same])
        same++;
    if (n_left == n_right)
        return left[same] && (!strcmp(left + same + 1, right + same + 1) ||
                              (left[same] == right[same + 1] && left[same + 1] == right[same] &&
                               !strcmp(left + same + 2, right + same + 2)));
    return n_left < n_right ? !strcmp(left + same, right + same + 1)
                            : !strcmp(left + same + 1, right + same);
}

/* The best that a word of the query scores among the words of a text. */
static int search_score_word(const char *word, const char *text)
{
    char other[SEARCH_WORD];
    int best = 0;

    while (search_next_word(&text, other)) {
        const char *at = strstr(other, word);
        int score = !strcmp(other, word)             ? SEARCH_WHOLE
                    : at == other                    ? SEARCH_START
                    : at                             ? SEARCH_PART
                    : search_is_similar(word, other) ? SEARCH_SIMILAR
                                                     : 0;

        best = score > best ? score : best;
    }
    return best;
}

/* The sum over all words; 0 unless each matches.  The name counts most, then the id, area and domain. */
static int search_score(const struct search_words *words, const search_match *one)
{
    int sum = 0;

    for (size_t i = 0; i < words->n; i++) {
        int name = 3 * search_score_word(words->list[i], one->name);
        int id = 2 * search_score_word(words->list[i], one->entity_id);
        int area = one->has_area ? 2 * search_score_word(words->list[i], one->area) : 0;
        int best = name > id ? name : id;

        best = area > best ? area : best;
        if (!best)
            return 0;
        sum += best;
    }
    return sum;
}

static int search_order(const void *left, const void *right)
{
    const search_match *a = left, *b = right;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return strcmp(a->entity_id, b->entity_id);
}

static bool search_has_domain(const char *entity_id, const char *domain)
{
    size_t size = strlen(domain);

    return !strncmp(entity_id, domain, size) && entity_id[size] == '.';
}

/* Entities of the registry that are disabled have no state. */
static int search_disabled(haft_call *call, search_match **ret_list, size_t *ret_n)
{
    haft_value *entries = NULL, *entry;
    search_match *list;
    size_t i, n, found = 0;
    int status = hass_command(call, "config/entity_registry/list", NULL, NULL, &entries);

    if (status)
        return status;
    list = haft_call_alloc(call, (yyjson_arr_size(entries) + 1) * sizeof *list);
    if (!list)
        return HAFT_ENOMEM;
    yyjson_arr_foreach(entries, i, n, entry) {
        const char *id = yyjson_get_str(yyjson_obj_get(entry, "entity_id"));
        const char *name = yyjson_get_str(yyjson_obj_get(entry, "name"));
        const char *original = yyjson_get_str(yyjson_obj_get(entry, "original_name"));
        struct hass_area area = {NULL, NULL, NULL};

        if (!id || !yyjson_is_str(yyjson_obj_get(entry, "disabled_by")) || !hass_sees(call, id))
            continue;
        status = hass_area_of(call, id, &area);
        if (status)
            return status;
        list[found++] = (search_match){.entity_id = id,
                                       .name = name       ? name
                                               : original ? original
                                                          : id,
                                       .has_area = area.id,
                                       .area = area.name};
    }
    *ret_list = list;
    *ret_n = found;
    return 0;
}

static int search_entities(haft_call *call, const search_entities_args *in,
                           search_entities_result *out)
{
    struct search_words words;
    struct hass_states states;
    search_match *disabled = NULL, *all;
    size_t n_disabled = 0, n = 0;
    int status = hass_states(call, &states);

    if (!status && in->include_disabled)
        status = search_disabled(call, &disabled, &n_disabled);
    if (status)
        return status;
    all = haft_call_alloc(call, (states.n + n_disabled + 1) * sizeof *all);
    if (!all)
        return HAFT_ENOMEM;
    search_split(in->query, &words);
    for (size_t i = 0; i < states.n + n_disabled; i++) {
        const entity *its = i < states.n ? &states.at[i] : NULL;
        search_match one = its ? (search_match){.entity_id = its->entity_id,
                                                .name = its->name,
                                                .has_area = its->has_area,
                                                .area = its->area,
                                                .has_state = true,
                                                .state = its->state}
                               : disabled[i - states.n];

        one.score = search_score(&words, &one);
        if (one.score && (!in->has_domain || search_has_domain(one.entity_id, in->domain)))
            all[n++] = one;
    }
    qsort(all, n, sizeof *all, search_order);
    out->count = (int64_t)n;
    out->n_results = n < (size_t)in->limit ? n : (size_t)in->limit;
    out->results = all;
    out->truncated = out->n_results < n;
    return 0;
}
HAFT_TOOL(search_entities, search_entities_args, search_entities_result,
          "Find entities by words of their name, id, area or domain; one wrong letter in a word is "
          "tolerated.",
          HOME_READS_AGAIN);
HOME_EXPORT(search_entities);
