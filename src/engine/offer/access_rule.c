/* access_rule.c - reads a rule about what clients may use.
 *
 *     ACTION [tools|resources|prompts [PATTERNS]] [if [not] CONDITION [and [not] CONDITION]...]
 *
 * The words are separated by spaces; a part of a word in double quotes may contain spaces. Errors
 * have the number of the rule, the column and, if there is one, the word that was meant. */
#include <stdio.h>
#include <string.h>

#include "base/percent.h"
#include "engine/offer/access.h"
#include "engine/offer/scope.h"

struct rule_reading {
    haft_arena *arena;
    const char *text, *at;
    size_t number;      /* of the rule, from 1 */
    const char *word;   /* the current word without its quotes; NULL at the end, */
    const char *start;  /* and where it starts */
    haft_reason *error; /* set by the first error */
};

static const struct rule_word {
    const char *name;
    int value;
} rule_actions[] = {{"allow", ACCESS_ALLOW},
                    {"deny", ACCESS_DENY},
                    {"read-only", ACCESS_READ_ONLY},
                    {NULL, 0}},
  rule_kinds[] = {{"tools", 1 << HAFT_OFFER_TOOL},
                  {"resources", 1 << HAFT_OFFER_RESOURCE | 1 << HAFT_OFFER_TEMPLATE},
                  {"prompts", 1 << HAFT_OFFER_PROMPT},
                  {"if", 0},
                  {NULL, 0}},
  rule_abouts[] = {{"principal", ACCESS_PRINCIPAL},
                   {"subject", ACCESS_SUBJECT},
                   {"client", ACCESS_CLIENT},
                   {"issuer", ACCESS_ISSUER},
                   {"scope", ACCESS_SCOPE},
                   {"claim", ACCESS_CLAIM},
                   {NULL, 0}};

/* ---- errors ---- */

HAFT_PRINTF_(3, 4)
static int rule_refuse(struct rule_reading *reading, const char *at, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text[haft_utf8_valid(text, strlen(text))] = '\0';
    hf_error_set(reading->error, HAFT_EINVAL, "rules", "rule %zu, column %zu: %s: %s",
                 reading->number, (size_t)(at - reading->text) + 1, text, reading->text);
    return HAFT_EINVAL;
}

static int rule_refuse_memory(struct rule_reading *reading)
{
    hf_error_set(reading->error, HAFT_ENOMEM, "rules", "out of memory");
    return HAFT_ENOMEM;
}

/* Refuses the current word, which is not in the table; `expected` describes those that are. */
static int rule_refuse_word(struct rule_reading *reading, const struct rule_word *words,
                            const char *expected)
{
    struct nearest search;

    if (!reading->word)
        return rule_refuse(reading, reading->start, "%s is missing", expected);
    search = hf_nearest_begin(reading->word);
    for (; words->name; words++)
        hf_nearest_offer(&search, words->name);
    if (search.name)
        return rule_refuse(reading, reading->start, "\"%.40s\" is not %s; did you mean \"%s\"?",
                           reading->word, expected, search.name);
    return rule_refuse(reading, reading->start, "\"%.40s\" is not %s", reading->word, expected);
}

/* ---- words ---- */

/* Moves to the next word. Returns 0 or an error; at the end, the word is NULL. */
static int rule_advance(struct rule_reading *reading)
{
    const char *at = reading->at + strspn(reading->at, " \t"), *quote = NULL;
    char *word = haft_arena_alloc(reading->arena, strlen(at) + 1);
    size_t size = 0;

    if (!word)
        return rule_refuse_memory(reading);
    reading->start = at;
    for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
        if (*at == '"')
            quote = quote ? NULL : at;
        else
            word[size++] = *at;
    }
    if (quote)
        return rule_refuse(reading, quote, "the quote is not closed");
    word[size] = '\0';
    reading->word = at > reading->start ? word : NULL;
    reading->at = at;
    return 0;
}

static bool rule_is(const struct rule_reading *reading, const char *word)
{
    return reading->word && !strcmp(reading->word, word);
}

/* Reads one of the words, and moves on. */
static int rule_choose(struct rule_reading *reading, const struct rule_word *words,
                       const char *expected, int *ret_value)
{
    const struct rule_word *word = words;

    while (word->name && !rule_is(reading, word->name))
        word++;
    if (!word->name)
        return rule_refuse_word(reading, words, expected);
    *ret_value = word->value;
    return rule_advance(reading);
}

/* ---- conditions ---- */

/* Splits NAME=PATTERN. */
static int rule_read_claim(struct rule_reading *reading, struct access_condition *condition)
{
    size_t size = strcspn(reading->word, "=");

    if (!size || !reading->word[size])
        return rule_refuse(reading, reading->start,
                           "a claim is compared as NAME=PATTERN, such as department=sales");
    condition->name = haft_arena_copy(reading->arena, reading->word, size);
    condition->glob = reading->word + size + 1;
    return condition->name ? 0 : rule_refuse_memory(reading);
}

static int rule_read_scope(struct rule_reading *reading, struct access_condition *condition)
{
    condition->name = reading->word;
    return hf_scope_is_valid(reading->word, strlen(reading->word))
               ? 0
               : rule_refuse(reading, reading->start, "this is not a scope");
}

static int rule_read_condition(struct rule_reading *reading, struct access_condition *condition)
{
    int about = 0, status;

    if (rule_is(reading, "not")) {
        condition->negated = true;
        status = rule_advance(reading);
        if (status)
            return status;
    }
    status = rule_choose(reading, rule_abouts,
                         "a condition: principal, subject, client, issuer, scope or claim", &about);
    if (status)
        return status;
    condition->about = (enum access_about)about;
    if (!reading->word)
        return rule_refuse(reading, reading->start, "the value of the condition is missing");
    condition->glob = reading->word;
    if (about == ACCESS_CLAIM)
        status = rule_read_claim(reading, condition);
    else if (about == ACCESS_SCOPE)
        status = rule_read_scope(reading, condition);
    return status ? status : rule_advance(reading);
}

static int rule_read_conditions(struct rule_reading *reading, struct access_rule *rule)
{
    int status = 0;

    rule->conditions =
        haft_arena_zalloc(reading->arena, ACCESS_CONDITIONS, sizeof *rule->conditions);
    if (!rule->conditions)
        return rule_refuse_memory(reading);
    do {
        if (rule->n_conditions == ACCESS_CONDITIONS)
            return rule_refuse(reading, reading->start, "a rule can have at most %d conditions",
                               ACCESS_CONDITIONS);
        status = rule_advance(reading); /* past "if" or "and" */
        if (!status)
            status = rule_read_condition(reading, &rule->conditions[rule->n_conditions++]);
    } while (!status && rule_is(reading, "and"));
    if (!status && reading->word)
        return rule_refuse(reading, reading->start,
                           "\"%.40s\" is not \"and\"; write a value with spaces in quotes",
                           reading->word);
    return status;
}

/* ---- the rule ---- */

/* A pattern with an escape would match nothing, and a rule with it would deny nothing. */
static bool rule_has_escape(const char *globs)
{
    for (const char *at = globs; (at = strchr(at, '%')); at++)
        if (percent_byte(at, strlen(at)) >= 0)
            return true;
    return false;
}

/* What it is about: everything, or the items of a kind. */
static int rule_read_items(struct rule_reading *reading, struct access_rule *rule)
{
    int kinds = (1 << OFFER_LISTS) - 1, status = 0;

    if (reading->word && !rule_is(reading, "if"))
        status = rule_choose(reading, rule_kinds, "\"tools\", \"resources\", \"prompts\" or \"if\"",
                             &kinds);
    rule->kinds = (unsigned)kinds;
    if (status || !reading->word || rule_is(reading, "if"))
        return status;
    rule->globs = reading->word;
    if (!rule->globs[strspn(rule->globs, " ,-")])
        return rule_refuse(reading, reading->start, "there is no pattern");
    if (rule_has_escape(rule->globs))
        return rule_refuse(reading, reading->start,
                           "patterns are compared with decoded URIs; write * for an escape");
    status = rule_advance(reading);
    if (!status && reading->word && !rule_is(reading, "if"))
        return rule_refuse(
            reading, reading->start,
            "\"%.40s\" is not \"if\"; patterns are separated by commas without spaces",
            reading->word);
    return status;
}

int hf_access_rule_read(haft_arena *arena, const char *text, size_t number,
                        struct access_rule *ret_rule, haft_reason *reterr_reason)
{
    struct rule_reading reading = {
        .arena = arena, .text = "", .at = text, .number = number, .error = reterr_reason};
    size_t size = strlen(text);
    int action = 0, status;

    *ret_rule = (struct access_rule){.kinds = 0};
    if (size > ACCESS_RULE_SIZE)
        return rule_refuse(&reading, reading.text, "the rule is longer than %d bytes",
                           ACCESS_RULE_SIZE);
    if (haft_utf8_valid(text, size) != size)
        return rule_refuse(&reading, reading.text, "the rule is not valid UTF-8");
    reading.at = reading.text = haft_arena_copy(arena, text, size);
    if (!reading.text)
        return rule_refuse_memory(&reading);
    status = rule_advance(&reading);
    if (!status)
        status =
            rule_choose(&reading, rule_actions, "\"allow\", \"deny\" or \"read-only\"", &action);
    ret_rule->action = (enum access_action)action;
    if (!status)
        status = rule_read_items(&reading, ret_rule);
    return status || !reading.word ? status : rule_read_conditions(&reading, ret_rule);
}
