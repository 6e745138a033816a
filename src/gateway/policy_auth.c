/* policy_auth.c - who asks: API keys, and names with passwords.
 *
 * Secrets are never kept, only what they hash to, and a comparison takes the same time wherever it
 * fails and whoever is meant. */
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "gateway/policies.h"

enum { MAX_FILE = 1 << 20, MAX_ITERATIONS = 1000000, MAX_SALT = 64 };

/* ---- files of lines ---- */

/* Reads a file whole; NULL with the reason. */
static char *read_file(haft_arena *arena, const char *path, haft_reason *reason)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? haft_arena_alloc(arena, MAX_FILE + 1) : NULL;
    size_t size = text ? fread(text, 1, MAX_FILE + 1, file) : 0;

    if (!file)
        error_set(reason, HAFT_ENOTFOUND, path, "%s cannot be opened", path);
    else if (!text)
        error_set(reason, HAFT_ENOMEM, path, "out of memory");
    else if (ferror(file) || size > MAX_FILE) {
        error_set(reason, HAFT_ETOOBIG, path, "%s cannot be read, or is over %d bytes", path,
                  MAX_FILE);
        text = NULL;
    }
    if (file)
        fclose(file);
    if (text)
        text[size] = '\0';
    return text;
}

/* The next line that says something; NULL at the end.  *text moves past it. */
static char *next_line(char **text, unsigned *number)
{
    while (**text) {
        char *line = *text + strspn(*text, " \t");
        size_t size = strcspn(line, "\n");

        *text = line + size + (line[size] == '\n');
        ++*number;
        while (size && strchr(" \t\r", line[size - 1]))
            size--;
        line[size] = '\0';
        if (size && line[0] != '#')
            return line;
    }
    return NULL;
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of lower-case hexadecimal digits; false unless all of it is that. */
static bool read_hex(const char *text, size_t size, unsigned char *ret_bytes)
{
    for (size_t i = 0; i < size / 2; i++) {
        int high = hex_of(text[2 * i]), low = hex_of(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        ret_bytes[i] = (unsigned char)(high << 4 | low);
    }
    return size % 2 == 0;
}

/* What a header says behind the name of a scheme, in whatever letters that is written; NULL when it
 * is of another one. */
static const char *behind_scheme(const char *header, const char *scheme)
{
    size_t i = 0;

    for (; header && scheme[i]; i++)
        if (ascii_lower(header[i]) != scheme[i])
            return NULL;
    return header && header[i] == ' ' ? header + i + 1 : NULL;
}

/* ---- API keys ---- */

HAFT_STRUCT(api_key_options,
            HAFT_STRING(file, "Lines of a key's SHA-256 in hexadecimal and whose it is", .min = 1),
            HAFT_DEFAULT(HAFT_STRING(realm, "What a client without a key is told"), "gateway"));

struct key {
    struct key *next;
    unsigned char digest[SHA256_SIZE];
    const char *owner;
};

struct keys {
    const char *challenge;
    struct key *first;
};

/* The key that a request brings; NULL for none. */
static const char *presented(haft_call *call)
{
    const char *key = behind_scheme(haft_request_header(call, "authorization"), "bearer");

    if (key && *key)
        return key + strspn(key, " ");
    return haft_request_header(call, "x-api-key");
}

static const char *owner_of(const struct keys *keys, const char *secret)
{
    unsigned char digest[SHA256_SIZE];
    const char *owner = NULL;
    struct sha256 hash;

    sha256_init(&hash);
    sha256_add(&hash, secret, strlen(secret));
    sha256_finish(&hash, digest);
    for (const struct key *key = keys->first; key; key = key->next)
        if (digest_equal(key->digest, digest))
            owner = key->owner;
    return owner;
}

static int check_key(haft_call *call, void *data)
{
    const struct keys *keys = data;
    const char *secret = presented(call), *owner = secret ? owner_of(keys, secret) : NULL;
    int status;

    if (owner)
        return haft_set_principal(call, owner);
    status = haft_respond_header(call, "WWW-Authenticate", keys->challenge);
    return status
               ? status
               : stopped(haft_problem(call, 401, "%s",
                                      secret ? "The API key is not known."
                                             : "An API key is needed: Authorization: Bearer KEY."));
}

static int make_api_key(haft_gateway *gateway, const void *given, haft_arena *arena,
                        haft_policy *ret_policy, haft_reason *reason)
{
    const api_key_options *options = given;
    struct keys *keys = haft_arena_zalloc(arena, 1, sizeof *keys);
    char *text = read_file(arena, options->file, reason), *line;
    unsigned number = 0;

    (void)gateway;
    if (!text)
        return reason->code;
    if (!keys ||
        !(keys->challenge = haft_arena_printf(arena, "Bearer realm=\"%s\"", options->realm)))
        return HAFT_ENOMEM;
    while ((line = next_line(&text, &number))) {
        struct key *key = haft_arena_zalloc(arena, 1, sizeof *key);
        size_t size = strcspn(line, " \t");

        if (!key)
            return HAFT_ENOMEM;
        key->owner = line + size + strspn(line + size, " \t");
        if (size != 2 * SHA256_SIZE || !*key->owner || !read_hex(line, size, key->digest))
            return error_set(reason, HAFT_EINVAL, options->file,
                             "%s, line %u: 64 hexadecimal digits and a name are needed",
                             options->file, number);
        key->next = keys->first;
        keys->first = key;
    }
    *ret_policy = (haft_policy){.inbound = check_key, .data = keys};
    return 0;
}

const haft_policy_kind policy_api_key = {
    .name = "api-key", .options = &api_key_options_type, .make = make_api_key};

/* ---- basic authentication ---- */

HAFT_STRUCT(basic_auth_options,
            HAFT_STRING(file, "Lines of name:iterations:salt:hash, the last two in hexadecimal: "
                              "PBKDF2 with HMAC-SHA-256",
                        .min = 1),
            HAFT_DEFAULT(HAFT_STRING(realm, "What a client without a password is told"), "gateway"));

struct person {
    struct person *next;
    const char *name;
    unsigned iterations;
    unsigned char salt[MAX_SALT + 4];
    size_t salt_size;
    unsigned char digest[SHA256_SIZE];
};

struct people {
    const char *challenge;
    struct person *first;
    struct person nobody; /* for names that are not known: they take as long */
};

/* PBKDF2 (RFC 8018) for one block. */
static void derive(const char *password, const struct person *person,
                   unsigned char ret_digest[SHA256_SIZE])
{
    unsigned char block[SHA256_SIZE], salt[MAX_SALT + 4];
    size_t size = strlen(password);

    memcpy(salt, person->salt, person->salt_size);
    memcpy(salt + person->salt_size, "\0\0\0\1", 4);
    hmac_sha256(password, size, salt, person->salt_size + 4, block);
    memcpy(ret_digest, block, SHA256_SIZE);
    for (unsigned i = 1; i < person->iterations; i++) {
        hmac_sha256(password, size, block, SHA256_SIZE, block);
        for (size_t j = 0; j < SHA256_SIZE; j++)
            ret_digest[j] ^= block[j];
    }
}

/* Name and password of a request; false when it has none. */
static bool credentials(haft_call *call, const char **ret_name, const char **ret_password)
{
    const char *encoded = behind_scheme(haft_request_header(call, "authorization"), "basic");
    size_t size = encoded ? strlen(encoded) : 0;
    char *text, *colon;

    if (!encoded)
        return false;
    text = haft_alloc(call, size + 1);
    if (!text || haft_base64_decode(encoded, size, text, &size))
        return false;
    text[size] = '\0';
    colon = strchr(text, ':');
    if (!colon || memchr(text, '\0', size))
        return false;
    *colon = '\0';
    *ret_name = text;
    *ret_password = colon + 1;
    return true;
}

/* As many iterations more as a name that is not known has: how long it takes must not tell. */
static void pass_the_time(const struct people *people, const char *password,
                          const struct person *person)
{
    struct person rest = people->nobody;
    unsigned char digest[SHA256_SIZE];

    if (!person || person->iterations >= rest.iterations)
        return;
    rest.iterations -= person->iterations;
    derive(password, &rest, digest);
}

static int check_person(haft_call *call, void *data)
{
    const struct people *people = data;
    const struct person *person = people->first;
    unsigned char digest[SHA256_SIZE];
    const char *name, *password;
    int status;

    if (credentials(call, &name, &password)) {
        while (person && strcmp(person->name, name))
            person = person->next;
        derive(password, person ? person : &people->nobody, digest);
        pass_the_time(people, password, person);
        if (person && digest_equal(person->digest, digest))
            return haft_set_principal(call, person->name);
    }
    status = haft_respond_header(call, "WWW-Authenticate", people->challenge);
    return status ? status : stopped(haft_problem(call, 401, "A name and a password are needed."));
}

/* name:iterations:salt:hash; false when it is not that. */
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
        if (*digit < '0' || *digit > '9' || person->iterations > MAX_ITERATIONS)
            return false;
        person->iterations = person->iterations * 10 + (unsigned)(*digit - '0');
    }
    salt = strlen(parts[2]);
    person->salt_size = salt / 2;
    return *line && person->iterations && person->iterations <= MAX_ITERATIONS && salt &&
           salt <= 2 * MAX_SALT && read_hex(parts[2], salt, person->salt) &&
           strlen(parts[3]) == 2 * SHA256_SIZE &&
           read_hex(parts[3], 2 * SHA256_SIZE, person->digest);
}

static int make_basic_auth(haft_gateway *gateway, const void *given, haft_arena *arena,
                           haft_policy *ret_policy, haft_reason *reason)
{
    const basic_auth_options *options = given;
    struct people *people = haft_arena_zalloc(arena, 1, sizeof *people);
    char *text = read_file(arena, options->file, reason), *line;
    unsigned number = 0;

    (void)gateway;
    if (!text)
        return reason->code;
    if (!people ||
        !(people->challenge = haft_arena_printf(arena, "Basic realm=\"%s\"", options->realm)))
        return HAFT_ENOMEM;
    people->nobody.salt_size = 16;
    people->nobody.iterations = 1;
    while ((line = next_line(&text, &number))) {
        struct person *person = haft_arena_zalloc(arena, 1, sizeof *person);

        if (!person)
            return HAFT_ENOMEM;
        if (!read_person(line, person))
            return error_set(reason, HAFT_EINVAL, options->file,
                             "%s, line %u: name:iterations:salt:hash is needed", options->file,
                             number);
        if (person->iterations > people->nobody.iterations)
            people->nobody.iterations = person->iterations;
        person->next = people->first;
        people->first = person;
    }
    *ret_policy = (haft_policy){.inbound = check_person, .data = people, .blocks = true};
    return 0;
}

const haft_policy_kind policy_basic_auth = {
    .name = "basic-auth", .options = &basic_auth_options_type, .make = make_basic_auth};
