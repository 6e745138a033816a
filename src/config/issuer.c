/* issuer.c - reads issuers: words between spaces, the first of which is the URL.  Secrets are in
 * files, for a command line and a variable are seen by others. */
#include "config/issuer.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "config/file.h"

enum { ISSUER_SHOWN = 64 }; /* bytes of a wrong word */

static const struct issuer_word {
    const char *name;
    size_t offset; /* of a text in struct issuer */
} issuer_words[] = {
    {"jwks", offsetof(struct issuer, options.jwks_uri)},
    {"introspection", offsetof(struct issuer, options.introspection)},
    {"client", offsetof(struct issuer, options.client_id)},
    {"secret-file", offsetof(struct issuer, secret_file)},
    {"key-file", offsetof(struct issuer, key_file)},
    {"algorithms", offsetof(struct issuer, options.algorithms)},
    {"ca", offsetof(struct issuer, options.ca_file)},
};
static const char any_type[] = "any-type";

static int issuer_refuse_word(const char *word, size_t size, haft_reason *reason)
{
    static const char *const secrets[] = {"secret", "client-secret", "password", "key"};
    char name[ISSUER_SHOWN] = "";
    struct nearest search;

    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (size == strlen(secrets[i]) && !memcmp(word, secrets[i], size) && word[size] == '=')
            return hf_error_set(reason, HAFT_EINVAL, "",
                                "secrets are read from files: write secret-file=FILE or "
                                "key-file=FILE instead of %s=",
                                secrets[i]);
    memcpy(name, word, size < sizeof name ? size : sizeof name - 1);
    search = hf_nearest_begin(name);
    for (size_t i = 0; i < sizeof issuer_words / sizeof *issuer_words; i++)
        hf_nearest_offer(&search, issuer_words[i].name);
    hf_nearest_offer(&search, any_type);
    return hf_error_set(reason, HAFT_EINVAL, "", "unknown word %s%s%s%s", name,
                        search.name ? "; did you mean " : "", search.name ? search.name : "",
                        search.name ? "?" : "");
}

/* "NAME=VALUE", or the one word that has no value. */
static int issuer_read_word(struct issuer *issuer, char *word, haft_reason *reason)
{
    size_t size = strcspn(word, "=");
    const char *value = word + size + 1;
    const char **member = NULL;

    if (!strcmp(word, any_type)) {
        issuer->options.any_type = true;
        return 0;
    }
    for (size_t i = 0; i < sizeof issuer_words / sizeof *issuer_words; i++)
        if (strlen(issuer_words[i].name) == size && !memcmp(issuer_words[i].name, word, size))
            member = (const char **)(void *)((char *)issuer + issuer_words[i].offset);
    if (!member)
        return issuer_refuse_word(word, size, reason);
    if (!word[size] || !*value)
        return hf_error_set(reason, HAFT_EINVAL, "", "%.*s needs a value: %.*s=VALUE", (int)size,
                            word, (int)size, word);
    if (*member)
        return hf_error_set(reason, HAFT_EINVAL, "", "%.*s is given twice", (int)size, word);
    *member = value;
    return 0;
}

/* How it authenticates itself where it asks about tokens. */
static int issuer_check_client(const struct issuer *issuer, haft_reason *reason)
{
    bool secret = issuer->secret_file, key = issuer->key_file;

    if (!issuer->options.introspection)
        return issuer->options.client_id || secret || key
                   ? hf_error_set(reason, HAFT_EINVAL, "",
                                  "%s has no effect without introspection=URL or "
                                  "introspection=auto",
                                  issuer->options.client_id ? "client"
                                  : secret                  ? "secret-file"
                                                            : "key-file")
                   : 0;
    if (!issuer->options.client_id || secret == key)
        return hf_error_set(reason, HAFT_EINVAL, "",
                            "introspection needs client=ID and either secret-file=FILE or "
                            "key-file=FILE");
    return 0;
}

static int issuer_check(struct issuer *issuer, haft_reason *reason)
{
    const char *url = issuer->options.url;

    if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
        return hf_error_set(reason, HAFT_EINVAL, "",
                            "expected the issuer's URL first, such as https://login.example.org");
    return issuer_check_client(issuer, reason);
}

int hf_issuer_read(const char *text, haft_arena *arena, struct issuer *ret_issuer,
                   haft_reason *reterr_reason)
{
    char *copy = haft_arena_copy(arena, text, strlen(text)), *word;
    struct issuer issuer = {.options.struct_size = sizeof(haft_issuer)};
    int status = copy ? 0 : hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");

    while (!status && *(copy += strspn(copy, " \t"))) {
        word = copy;
        copy += strcspn(copy, " \t");
        if (*copy)
            *copy++ = '\0';
        if (!issuer.options.url)
            issuer.options.url = word;
        else
            status = issuer_read_word(&issuer, word, reterr_reason);
    }
    if (!status && !issuer.options.url)
        issuer.options.url = "";
    if (!status)
        status = issuer_check(&issuer, reterr_reason);
    if (status)
        return status;
    if (issuer.options.introspection && !strcmp(issuer.options.introspection, "auto"))
        issuer.options.introspection = "";
    if (issuer.options.algorithms) /* it is in the copy */
        for (char *comma = (char *)(uintptr_t)issuer.options.algorithms;
             (comma = strchr(comma, ','));)
            *comma = ' ';
    *ret_issuer = issuer;
    return 0;
}

int hf_issuer_read_secrets(struct issuer *issuer, haft_server *server, haft_buffer *secret,
                           haft_reason *reterr_reason)
{
    const char *path = issuer->secret_file ? issuer->secret_file : issuer->key_file;
    int status = path ? hf_file_read_secret(path, server, secret) : 0;

    if (status)
        return hf_error_set(reterr_reason, status, path, "cannot read the secret: %s",
                            status == HAFT_EINVAL ? strerror(errno) : haft_strerror(status));
    if (!path)
        return 0;
    if (issuer->secret_file)
        while (secret->size && strchr("\r\n", secret->data[secret->size - 1]))
            secret->size--;
    if (!secret->size || memchr(secret->data, '\0', secret->size))
        return hf_error_set(reterr_reason, HAFT_EINVAL, path, "the file contains no secret");
    haft_buffer_add(secret, "", 1);
    if (secret->status)
        return hf_error_set(reterr_reason, secret->status, path, "%s",
                            haft_strerror(secret->status));
    if (issuer->secret_file)
        issuer->options.client_secret = secret->data;
    else
        issuer->options.client_key = secret->data;
    return 0;
}
