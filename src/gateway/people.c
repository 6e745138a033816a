/* people.c - a password file, and checking passwords against it. */
#include "gateway/people.h"

#include <string.h>
#include <uv.h>

#include "base/hex.h"

/* Iterations between checks for cancellation: a few milliseconds. */
enum { STEP = 4096 };

/* ---- the file ---- */

static void put_name_digest(const struct people *people, const char *name,
                            unsigned char ret_digest[SHA256_SIZE])
{
    struct sha256 hash;

    hf_hmac_begin(&people->key, &hash);
    hf_sha256_add(&hash, name, strlen(name));
    hf_hmac_finish(&people->key, &hash, ret_digest);
}

/* Parses name:iterations:salt:hash; returns false if it is invalid. */
static bool read_person(char *line, struct person *person)
{
    char *parts[4] = {line};
    size_t salt;

    for (int i = 1; i < 4; i++) {
        parts[i] = strchr(parts[i - 1], ':');
        if (!parts[i])
            return false;
        *parts[i]++ = '\0';
    }
    person->name = line;
    for (const char *digit = parts[1]; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || person->iterations > PEOPLE_MAX_ITERATIONS)
            return false;
        person->iterations = person->iterations * 10 + (unsigned)(*digit - '0');
    }
    salt = strlen(parts[2]);
    person->salt_size = salt / 2;
    return *line && strlen(line) <= AUTH_MAX_SECRET && person->iterations &&
           person->iterations <= PEOPLE_MAX_ITERATIONS && salt && salt <= 2 * PEOPLE_MAX_SALT &&
           hf_hex_read_lower(parts[2], salt, person->salt) && strlen(parts[3]) == 2 * SHA256_SIZE &&
           hf_hex_read_lower(parts[3], 2 * SHA256_SIZE, person->hash);
}

int hf_people_read(struct people *people, haft_arena *arena, const char *path, haft_reason *reason)
{
    char *text = hf_auth_read_file(arena, path, reason), *line;
    unsigned char key[SHA256_SIZE];
    unsigned number = 0;

    if (!text)
        return reason->code;
    if (uv_random(NULL, NULL, key, sizeof key, 0, NULL))
        return hf_error_set(reason, HAFT_EBUSY, path,
                            "the system's random number generator failed");
    hf_hmac_prepare(&people->key, key, sizeof key);
    hf_secret_wipe(key, sizeof key);
    people->nobody.salt_size = 16;
    people->nobody.iterations = 1;
    while ((line = hf_auth_next_line(&text, &number, " \t\r"))) {
        struct person *person = haft_arena_zalloc(arena, 1, sizeof *person);

        if (!person)
            return HAFT_ENOMEM;
        if (!read_person(line, person))
            return hf_error_set(reason, HAFT_EINVAL, path,
                                "%s, line %u: expected name:iterations:salt:hash", path, number);
        put_name_digest(people, person->name, person->name_digest);
        if (person->iterations > people->nobody.iterations)
            people->nobody.iterations = person->iterations;
        person->next = people->first;
        people->first = person;
    }
    return 0;
}

/* ---- checking ---- */

/* Returns NULL for an unknown name. */
static const struct person *people_find(const struct people *people, const char *name)
{
    unsigned char digest[SHA256_SIZE];
    const struct person *found = NULL;

    put_name_digest(people, name, digest);
    for (const struct person *person = people->first; person; person = person->next)
        if (hf_digest_equal(person->name_digest, digest) && !found)
            found = person;
    return found;
}

/* Continues to `iterations`; returns false if it was stopped. */
static bool derive_to(struct pbkdf2 *derivation, unsigned iterations, bool (*stop)(void *context),
                      void *context)
{
    while (derivation->iterations < iterations) {
        unsigned left = iterations - derivation->iterations;

        if (stop(context))
            return false;
        hf_pbkdf2_step(derivation, left < STEP ? left : STEP);
    }
    return true;
}

int hf_people_check(const struct people *people, const char *name, const char *password,
                    bool (*stop)(void *context), void *context, const struct person **ret_person)
{
    const struct person *person = people_find(people, name),
                        *meant = person ? person : &people->nobody;
    unsigned char hash[SHA256_SIZE];
    struct pbkdf2 derivation;
    int status = HAFT_EBUSY;

    hf_pbkdf2_begin(&derivation, password, strlen(password), meant->salt, meant->salt_size);
    if (derive_to(&derivation, meant->iterations, stop, context)) {
        memcpy(hash, derivation.sum, sizeof hash);
        /* Continue to the maximum, so that the time does not depend on the name. */
        if (derive_to(&derivation, people->nobody.iterations, stop, context))
            status = hf_digest_equal(meant->hash, hash) && person;
        hf_secret_wipe(hash, sizeof hash);
    }
    hf_secret_wipe(&derivation, sizeof derivation);
    if (status == 1)
        *ret_person = person;
    return status;
}
