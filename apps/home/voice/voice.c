/* voice/voice.c - parses spoken commands by tables of phrases. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "voice/voice.h"

enum { VOICE_MOST_WORDS = 64 };

/* A command in small letters, cut into words; a word that has been understood is NULL. */
struct voice_words {
    char *at[VOICE_MOST_WORDS];
    size_t n;
};

/* A phrase means an action; "*" stands for words between. */
struct voice_verb {
    const char *phrase, *action;
    const char *domain; /* that it implies; NULL for none */
};

/* Longer phrases come before those that they contain. */
static const struct voice_verb voice_verbs[] = {
    {"turn * on", "turn_on", NULL},
    {"switch * on", "turn_on", NULL},
    {"turn on", "turn_on", NULL},
    {"switch on", "turn_on", NULL},
    {"turn * off", "turn_off", NULL},
    {"switch * off", "turn_off", NULL},
    {"turn off", "turn_off", NULL},
    {"switch off", "turn_off", NULL},
    {"turn * up", "increase", NULL},
    {"turn up", "increase", NULL},
    {"turn * down", "decrease", NULL},
    {"turn down", "decrease", NULL},
    {"toggle", "toggle", NULL},
    {"brighten", "increase", "light"},
    {"dim", "decrease", "light"},
    {"unlock", "unlock", "lock"},
    {"lock", "lock", "lock"},
    {"disarm", "disarm", "alarm_control_panel"},
    {"arm", "arm_away", "alarm_control_panel"},
    {"open", "open", "cover"},
    {"raise", "open", "cover"},
    {"close", "close", "cover"},
    {"shut", "close", "cover"},
    {"lower", "close", "cover"},
    {"unmute", "unmute", "media_player"},
    {"mute", "mute", "media_player"},
    {"play", "play", "media_player"},
    {"resume", "play", "media_player"},
    {"pause", "pause", "media_player"},
    {"skip", "next", "media_player"},
    {"next", "next", "media_player"},
    {"previous", "previous", "media_player"},
    {"start", "turn_on", NULL},
    {"stop", "stop", NULL},
    {"vacuum", "start", "vacuum"},
    {"clean", "start", "vacuum"},
    {"dock", "return_to_base", "vacuum"},
    {"activate", "turn_on", "scene"},
    {"run", "turn_on", "script"},
    {"warm * up", "increase", "climate"},
    {"cool * down", "decrease", "climate"},
    {"heat", "set", "climate"},
    {"cool", "set", "climate"},
    {"set", "set", NULL},
    {"change", "set", NULL},
    {"make", "set", NULL},
    {"enable", "turn_on", NULL},
    {"disable", "turn_off", NULL},
};

/* A noun names a domain. */
static const struct {
    const char *noun, *domain;
    bool stays; /* it is also a part of the target's name */
} voice_nouns[] = {
    {"light", "light", false},
    {"lights", "light", false},
    {"lamp", "light", true},
    {"lamps", "light", true},
    {"thermostat", "climate", true},
    {"heating", "climate", true},
    {"heater", "climate", true},
    {"temperature", "climate", false},
    {"air conditioning", "climate", true},
    {"blind", "cover", true},
    {"blinds", "cover", true},
    {"curtain", "cover", true},
    {"curtains", "cover", true},
    {"shade", "cover", true},
    {"shades", "cover", true},
    {"shutter", "cover", true},
    {"shutters", "cover", true},
    {"garage door", "cover", true},
    {"cover", "cover", false},
    {"fan", "fan", true},
    {"fans", "fan", true},
    {"lock", "lock", true},
    {"door lock", "lock", true},
    {"tv", "media_player", true},
    {"television", "media_player", true},
    {"speaker", "media_player", true},
    {"speakers", "media_player", true},
    {"music", "media_player", false},
    {"volume", "media_player", false},
    {"song", "media_player", false},
    {"vacuum", "vacuum", false},
    {"robot", "vacuum", false},
    {"scene", "scene", false},
    {"script", "script", false},
    {"switch", "switch", true},
    {"plug", "switch", true},
    {"outlet", "switch", true},
    {"alarm", "alarm_control_panel", false},
    {"automation", "automation", false},
};

static const char *const voice_colors[] = {"red",    "green",   "blue",       "yellow",
                                           "orange", "purple",  "pink",       "white",
                                           "cyan",   "magenta", "warm white", "cool white"};

/* Words that say nothing about what is meant. */
static const char *const voice_fillers[] = {
    "the", "a",  "an", "my",  "our",  "please", "can", "could", "you", "in", "of",
    "to",  "at", "on", "for", "with", "is",     "it",  "and",   "now", "me", "just"};

/* ---- words ---- */

static int voice_split(const char *command, haft_arena *arena, struct voice_words *ret)
{
    char *text = haft_arena_copy(arena, command, strlen(command)), *save = NULL;

    if (!text)
        return HAFT_ENOMEM;
    for (char *p = text; *p; p++)
        if (strchr(",.!?;:\"", *p) && !(*p == '.' && isdigit((unsigned char)p[1])))
            *p = ' ';
        else
            *p = (char)tolower((unsigned char)*p);
    ret->n = 0;
    for (char *word = strtok_r(text, " \t\r\n", &save); word && ret->n < VOICE_MOST_WORDS;
         word = strtok_r(NULL, " \t\r\n", &save))
        ret->at[ret->n++] = word;
    return 0;
}

/* How many words of a phrase, up to its end or a star, are at this place; 0 if they are not. */
static size_t voice_match_at(const struct voice_words *words, size_t i, const char *phrase,
                             const char **ret_rest)
{
    size_t n = 0;

    while (*phrase && *phrase != '*') {
        size_t size = strcspn(phrase, " ");

        if (i + n >= words->n || !words->at[i + n] || strlen(words->at[i + n]) != size ||
            memcmp(words->at[i + n], phrase, size))
            return 0;
        n++;
        phrase += size;
        phrase += *phrase == ' ';
    }
    *ret_rest = phrase;
    return n;
}

static void voice_take(struct voice_words *words, size_t i, size_t n)
{
    while (n--)
        words->at[i + n] = NULL;
}

/* Finds a phrase, which may have a star, and takes its words; false if it is not there. */
static bool voice_find(struct voice_words *words, const char *phrase, bool takes, size_t *ret_at)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *rest;
        size_t n = voice_match_at(words, i, phrase, &rest);

        if (!n)
            continue;
        if (*rest == '*') {
            const char *end;

            for (size_t k = i + n + 1; k < words->n; k++)
                if (voice_match_at(words, k, rest + 2, &end)) {
                    voice_take(words, i, n);
                    voice_take(words, k, 1);
                    *ret_at = i;
                    return true;
                }
            continue;
        }
        if (takes)
            voice_take(words, i, n);
        *ret_at = i;
        return true;
    }
    return false;
}

/* ---- parts of a command ---- */

static const struct voice_verb *voice_find_verb(struct voice_words *words)
{
    size_t at;

    for (size_t i = 0; i < sizeof voice_verbs / sizeof voice_verbs[0]; i++)
        if (voice_find(words, voice_verbs[i].phrase, true, &at))
            return &voice_verbs[i];
    return NULL;
}

/* The noun that says most: the one of most words, then the last one. */
static const char *voice_find_domain(struct voice_words *words)
{
    const char *domain = NULL;
    size_t best = 0, best_at = 0, best_n = 0, best_i = 0;

    for (size_t i = 0; i < sizeof voice_nouns / sizeof voice_nouns[0]; i++)
        for (size_t k = 0; k < words->n; k++) {
            const char *rest;
            size_t n = voice_match_at(words, k, voice_nouns[i].noun, &rest);

            if (n && n * 100 + k >= best) {
                best = n * 100 + k;
                best_at = k, best_n = n, best_i = i;
                domain = voice_nouns[i].domain;
            }
        }
    if (domain && !voice_nouns[best_i].stays)
        voice_take(words, best_at, best_n);
    /* "the volume of the kitchen speaker" */
    for (size_t i = 0; domain && i < sizeof voice_nouns / sizeof voice_nouns[0]; i++)
        if (!voice_nouns[i].stays && !strcmp(voice_nouns[i].domain, domain))
            voice_find(words, voice_nouns[i].noun, true, &best_at);
    return domain;
}

static void voice_find_color(struct voice_words *words, voice_parameters *ret)
{
    size_t at;

    for (size_t i = sizeof voice_colors / sizeof voice_colors[0]; i--;)
        if (voice_find(words, voice_colors[i], true, &at)) {
            ret->has_color = true;
            ret->color = voice_colors[i];
            return;
        }
}

/* "50%", "50 percent", "half"; "21 degrees", "21°"; a bare number is what the domain needs. */
static void voice_find_number(struct voice_words *words, const char *domain, voice_parameters *ret)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *unit = i + 1 < words->n && words->at[i + 1] ? words->at[i + 1] : "";
        char *end;
        double value;
        bool degrees;

        if (!words->at[i] || !isdigit((unsigned char)*words->at[i]))
            continue;
        value = strtod(words->at[i], &end);
        degrees = !strncmp(unit, "degree", 6) || !strncmp(end, "\xC2\xB0", 2);
        if (!degrees && *end != '%' && strcmp(unit, "percent") != 0)
            degrees = !*end && domain && !strcmp(domain, "climate");
        else
            unit = *end ? "" : unit;
        if (*end && *end != '%' && !degrees)
            continue;
        if (degrees && value < 1000) {
            ret->has_temperature = true;
            ret->temperature = value;
        } else if (value <= 100) {
            ret->has_percent = true;
            ret->percent = (int64_t)value;
        }
        voice_take(words, i, !strncmp(unit, "degree", 6) || !strcmp(unit, "percent") ? 2 : 1);
        return;
    }
}

static bool voice_is_filler(const char *word)
{
    for (size_t i = 0; i < sizeof voice_fillers / sizeof voice_fillers[0]; i++)
        if (!strcmp(word, voice_fillers[i]))
            return true;
    return false;
}

/* The remaining words; "all" if everything was meant. */
static const char *voice_target(const struct voice_words *words, haft_arena *arena)
{
    char *text = haft_arena_alloc(arena, 1);

    if (text)
        *text = '\0';
    for (size_t i = 0; text && i < words->n; i++) {
        if (!words->at[i] || voice_is_filler(words->at[i]))
            continue;
        if (!strcmp(words->at[i], "all") || !strcmp(words->at[i], "every") ||
            !strcmp(words->at[i], "everything"))
            return "all";
        text = haft_arena_printf(arena, "%s%s%s", text, *text ? " " : "", words->at[i]);
    }
    return text;
}

/* More of a command that was understood is more to be trusted. */
static double voice_confidence(const voice_intent *intent)
{
    double confidence = 0;

    if (strcmp(intent->action, "unknown") != 0)
        confidence += 0.45;
    if (strcmp(intent->intent, "unknown") != 0)
        confidence += 0.25;
    if (*intent->target)
        confidence += 0.25;
    if (!strcmp(intent->action, "set") && !intent->parameters.has_percent &&
        !intent->parameters.has_temperature && !intent->parameters.has_color)
        confidence -= 0.3;
    return confidence < 0 ? 0 : confidence;
}

int voice_parse(const char *command, haft_arena *arena, voice_intent *ret_intent)
{
    const struct voice_verb *verb;
    struct voice_words words;
    const char *domain;
    int status = voice_split(command, arena, &words);

    if (status)
        return status;
    *ret_intent = (voice_intent){0};
    verb = voice_find_verb(&words);
    domain = voice_find_domain(&words);
    if (!domain && verb)
        domain = verb->domain;
    voice_find_number(&words, domain, &ret_intent->parameters);
    voice_find_color(&words, &ret_intent->parameters);
    if (!domain && ret_intent->parameters.has_color)
        domain = "light";
    if (!domain && ret_intent->parameters.has_temperature)
        domain = "climate";
    ret_intent->intent = domain ? domain : "unknown";
    ret_intent->action = verb                                 ? verb->action
                         : ret_intent->parameters.has_percent ? "set"
                                                              : "unknown";
    if (domain && !strcmp(domain, "vacuum") && !strcmp(ret_intent->action, "turn_on"))
        ret_intent->action = "start";
    ret_intent->target = voice_target(&words, arena);
    if (!ret_intent->target)
        return HAFT_ENOMEM;
    ret_intent->confidence = voice_confidence(ret_intent);
    return 0;
}
