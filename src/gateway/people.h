/* gateway/people.h - a password file: lines of name:iterations:salt:hash.
 *
 * The time of a check does not reveal whether a name exists: all names are compared, as digests
 * under a key of this list, and a derivation always takes the maximum number of iterations, even
 * for an unknown name. */
#ifndef HAFT_SRC_PEOPLE_H
#define HAFT_SRC_PEOPLE_H

#include "base/pbkdf2.h"
#include "gateway/auth.h"

enum { PEOPLE_MAX_ITERATIONS = 1000000, PEOPLE_MAX_SALT = 64 };

struct person {
    struct person *next;
    const char *name;
    unsigned char name_digest[SHA256_SIZE];
    unsigned iterations;
    unsigned char salt[PEOPLE_MAX_SALT];
    size_t salt_size;
    unsigned char hash[SHA256_SIZE]; /* hash of the password */
};

struct people {
    struct hmac_key key; /* for digests of names */
    struct person *first;
    struct person nobody; /* used for an unknown name; has the maximum number of iterations */
};

/* Reads the file into the arena. Returns 0, or an error with its reason. */
int hf_people_read(struct people *people, haft_arena *arena, const char *path, haft_reason *reason);

/* Derives and compares a password. Returns 1 with the person, 0 if it or the name is wrong, or
 * HAFT_EBUSY if `stop` returned true because the client has left. */
int hf_people_check(const struct people *people, const char *name, const char *password,
                    bool (*stop)(void *context), void *context, const struct person **ret_person);

#endif
