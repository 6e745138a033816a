/* gateway/people.h - names with passwords, as a file has them: name:iterations:salt:hash.
 *
 * Who is asked for is not told by how long an answer takes: all names are compared, as digests under
 * a key of this list, and a derivation takes as many iterations as the longest, also for a name that
 * is not there. */
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
    unsigned char hash[SHA256_SIZE]; /* of the password */
};

struct people {
    struct hmac_key key; /* of the names' digests */
    struct person *first;
    struct person nobody; /* stands for a name that is not there; has the most iterations */
};

/* Reads the file into the arena.  0, or an error with its reason. */
int hf_people_read(struct people *people, haft_arena *arena, const char *path, haft_reason *reason);

/* Derives a password and compares it: 1 with whose it is, 0 when it or the name is wrong, HAFT_EBUSY
 * when `stop` has said in between that nobody waits for it any more. */
int hf_people_check(const struct people *people, const char *name, const char *password,
                    bool (*stop)(void *context), void *context, const struct person **ret_person);

#endif
