/* target.c - checks and copies a target. */
#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "connect/link.h"

/* Files of certificates and keys: libcurl reports a problem with one during the first handshake, and
 * does not say which. */
static int target_check_file(const char *member, const char *path, haft_reason *reterr_reason)
{
    static const char begin[] = "-----BEGIN ";
    char block[4096];
    size_t kept = 0;
    bool found = false;
    ssize_t n;
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

    if (!path)
        return 0;
    if (fd < 0)
        return hf_error_set(reterr_reason, HAFT_EFAIL, member, "%s %s: %s", member, path,
                            strerror(errno));
    while (!found && (n = read(fd, block + kept, sizeof block - kept)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        kept += (size_t)n;
        found = memmem(block, kept, begin, sizeof begin - 1);
        if (kept >= sizeof begin) { /* the beginning may be parted by two blocks */
            memmove(block, block + kept - sizeof begin, sizeof begin);
            kept = sizeof begin;
        }
    }
    n = found ? 0 : n;
    hf_error_set(reterr_reason, HAFT_EFAIL, member, "%s %s: %s", member, path,
                 n < 0 ? strerror(errno) : "it is not in PEM format");
    close(fd);
    return found ? 0 : HAFT_EFAIL;
}

static int target_check_files(const haft_target *target, haft_reason *reterr_reason)
{
    int status = target_check_file("ca_file", target->ca_file, reterr_reason);

    if (!status)
        status = target_check_file("certificate", target->certificate, reterr_reason);
    return status ? status : target_check_file("key", target->key, reterr_reason);
}

int hf_connect_target_check(const haft_target *target, haft_reason *reterr_reason)
{
    int kinds = !!target->url + !!target->command + !!target->server + !!target->descriptors;

    if (kinds != 1)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "haft_target",
                            "exactly one of url, command, server and descriptors must be set");
    if (target->command && !target->command[0])
        return hf_error_set(reterr_reason, HAFT_EINVAL, "command", "the command is empty");
    if (target->n_headers && !target->headers)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "headers", "headers is NULL");
    return target->url ? target_check_files(target, reterr_reason) : 0;
}

/* Keeps the first failure. */
struct target_copy {
    haft_arena *arena;
    int status;
};

static const char *target_copy_text(struct target_copy *copy, const char *text)
{
    const char *own = text ? haft_arena_copy(copy->arena, text, strlen(text)) : NULL;

    if (text && !own)
        copy->status = HAFT_ENOMEM;
    return own;
}

static const char *const *target_copy_list(struct target_copy *copy, const char *const *list)
{
    const char **own;
    size_t n = 0;

    if (!list)
        return NULL;
    while (list[n])
        n++;
    own = haft_arena_zalloc(copy->arena, n + 1, sizeof *own);
    if (!own) {
        copy->status = HAFT_ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        own[i] = target_copy_text(copy, list[i]);
    return own;
}

static const haft_header *target_copy_headers(struct target_copy *copy, const haft_header *headers,
                                              size_t n)
{
    haft_header *own = n ? haft_arena_zalloc(copy->arena, n, sizeof *own) : NULL;

    if (n && !own) {
        copy->status = HAFT_ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        own[i] = (haft_header){target_copy_text(copy, headers[i].name),
                               target_copy_text(copy, headers[i].value)};
    return own;
}

int hf_connect_target_copy(const haft_target *target, haft_arena *arena, haft_target *ret_target)
{
    struct target_copy copy = {.arena = arena};
    haft_target own = *target;

    own.url = target_copy_text(&copy, target->url);
    own.command = target_copy_list(&copy, target->command);
    own.environment = target_copy_list(&copy, target->environment);
    own.directory = target_copy_text(&copy, target->directory);
    own.headers = target_copy_headers(&copy, target->headers, target->n_headers);
    own.ca_file = target_copy_text(&copy, target->ca_file);
    own.certificate = target_copy_text(&copy, target->certificate);
    own.key = target_copy_text(&copy, target->key);
    own.proxy = target_copy_text(&copy, target->proxy);
    own.descriptors = NULL; /* taken when the link is opened */
    if (!copy.status)
        *ret_target = own;
    return copy.status;
}
