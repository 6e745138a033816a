/* parameter_name.c - names of arguments: as in the document where that is possible, unique, and the same at every run. */
#include <string.h>

#include "base/percent.h"
#include "base/sha256.h"
#include "import/plan.h"

enum {
    PARAMETER_NAME_MAX = 64, /* characters of an argument that clients accept */
    PARAMETER_NAME_KEPT = 48
};

/* A name with characters that clients accept; NULL without memory. */
static const char *argument_clean(haft_arena *arena, const char *name)
{
    char *clean = haft_arena_copy(arena, name, strlen(name)), *to = clean;
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;
    bool skipped = false;

    if (!clean)
        return NULL;
    for (const char *from = clean; *from; from++) {
        if (!percent_is_unreserved((unsigned char)*from) || *from == '~') {
            skipped = to > clean && to[-1] != '_';
            continue;
        }
        if (skipped)
            *to++ = '_';
        skipped = false;
        *to++ = *from;
    }
    *to = '\0';
    if (*clean && strlen(clean) <= PARAMETER_NAME_MAX)
        return clean;
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, name, strlen(name));
    hf_sha256_finish(&hash, digest);
    return haft_arena_printf(arena, "%.*s_%02x%02x%02x", PARAMETER_NAME_KEPT,
                             *clean ? clean : "argument", digest[0], digest[1], digest[2]);
}

/* What names are compared with: parameters, and the fields of a form of 2.0. */
struct plan_names {
    struct import_parameter **list;
    size_t n;
};

static bool names_contain(const struct plan_names *names, const char *argument)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->list[i]->argument && !strcmp(names->list[i]->argument, argument))
            return true;
    return false;
}

/* Names an argument that meets others by its place, with a number if that is taken. */
static int names_resolve(haft_arena *arena, const struct plan_names *names,
                         struct import_parameter *parameter, const char *clean)
{
    static const char *const places[] = {"path", "query", "header", "cookie", "formData", "body"};
    const char *name =
        haft_arena_printf(arena, "%.*s__%s", PARAMETER_NAME_KEPT, clean, places[parameter->place]);

    for (unsigned i = 2; name && names_contain(names, name); i++)
        name = haft_arena_printf(arena, "%.*s__%s_%u", PARAMETER_NAME_KEPT, clean,
                                 places[parameter->place], i);
    parameter->argument = name;
    return name ? 0 : HAFT_ENOMEM;
}

static int names_give(haft_arena *arena, struct plan_names *names)
{
    const char **clean = haft_arena_zalloc(arena, names->n + 1, sizeof *clean);
    bool *meets = haft_arena_zalloc(arena, names->n + 1, sizeof *meets);
    int status = clean && meets ? 0 : HAFT_ENOMEM;

    for (size_t i = 0; !status && i < names->n; i++) {
        clean[i] = argument_clean(arena, names->list[i]->name);
        if (!clean[i])
            status = HAFT_ENOMEM;
        for (size_t j = 0; !status && j < i; j++)
            if (!strcmp(clean[i], clean[j]))
                meets[i] = meets[j] = true;
    }
    for (size_t i = 0; !status && i < names->n; i++)
        if (!meets[i])
            names->list[i]->argument = clean[i];
    for (size_t i = 0; !status && i < names->n; i++)
        if (meets[i])
            status = names_resolve(arena, names, names->list[i], clean[i]);
    return status;
}

/* Decides whether the members of a body are arguments. */
static int names_give_body(haft_arena *arena, const struct plan_names *names,
                           struct import_body *body)
{
    bool free = body->plain;

    for (size_t i = 0; i < body->n_fields; i++) {
        struct import_parameter *field = &body->fields[i];

        field->argument = argument_clean(arena, field->name);
        if (!field->argument)
            return HAFT_ENOMEM;
        /* An optional body with required members cannot be said with arguments. */
        free =
            free && (body->required || !field->required) && !names_contain(names, field->argument);
        for (size_t j = 0; j < i && free; j++)
            free = strcmp(body->fields[j].argument, field->argument);
    }
    for (size_t i = 0; i < names->n && free; i++) /* those that have been renamed */
        for (size_t j = 0; j < body->n_fields && free; j++)
            free = strcmp(names->list[i]->name, body->fields[j].name);
    body->lifted = free;
    if (free)
        return 0;
    body->whole.argument = "body";
    return names_contain(names, "body") ? names_resolve(arena, names, &body->whole, "body") : 0;
}

int hf_import_name_arguments(struct import_plan *plan, size_t n_bodies, haft_arena *arena)
{
    struct import_body *body = plan->body;
    size_t n_fields = body && n_bodies && body->lifted ? body->n_fields : 0;
    struct plan_names names = {
        haft_arena_zalloc(arena, plan->n_parameters + n_fields + 1, sizeof *names.list), 0};
    int status;

    if (!names.list)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (plan->parameters[i].place != PARAMETER_IGNORED)
            names.list[names.n++] = &plan->parameters[i];
    for (size_t i = 0; i < n_fields; i++)
        names.list[names.n++] = &body->fields[i];
    status = names_give(arena, &names);
    return status || !body || n_fields ? status : names_give_body(arena, &names, body);
}
