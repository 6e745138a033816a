/* fuzz_api_keys.c - any file of API keys: it is refused with the line, or its keys are found, and no
 * other.
 *
 * A line of the input that begins with '!' stands for the line of the key after it, so that files have
 * keys that can be found. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth/server/api_keys.h"
#include "base/hex.h"
#include "base/sha256.h"

enum { INPUT = 64 << 10, KNOWN = 8, DIGEST = SHA256_SIZE * 2 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static int file;

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    snprintf(path, sizeof path, "/tmp/haft-fuzz-keys-XXXXXX");
    file = mkstemp(path);
    require(file >= 0 && !unlink(path));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return 0;
}

static void put_digest(haft_buffer *out, const char *key, size_t size)
{
    unsigned char digest[SHA256_SIZE];
    char hex[DIGEST + 1] = "";
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, key, size);
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, sizeof digest, hex);
    haft_buffer_add(out, hex, DIGEST);
}

struct known_key {
    const char *key;
    size_t size;
};

/* Writes the file; the keys of its lines are in `known`. */
static size_t write_keys(const char *text, size_t size, haft_buffer *out,
                         struct known_key known[KNOWN])
{
    size_t n = 0;

    for (const char *at = text, *end = text + size; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t line = line_end ? (size_t)(line_end - at) : (size_t)(end - at);
        const char *blank = memchr(at, ' ', line);

        if (*at == '!' && blank && n < KNOWN) {
            known[n] = (struct known_key){at + 1, (size_t)(blank - at - 1)};
            put_digest(out, known[n].key, known[n].size);
            haft_buffer_add(out, blank, line - (size_t)(blank - at));
            n++;
        } else {
            haft_buffer_add(out, at, line);
        }
        if (line_end)
            haft_buffer_add(out, "\n", 1);
        at += line + 1;
    }
    return n;
}

static void check_identity(const haft_identity *identity)
{
    require(identity->principal && *identity->principal && identity->fixed && identity->scopes);
    require(!strcmp(identity->method, "api-key"));
    for (const char *at = identity->principal; *at; at++)
        require(*at != '\n' && *at != '\t');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct known_key known[KNOWN];
    haft_reason reason = {0};
    struct api_keys *keys;
    haft_buffer out;
    size_t n;

    if (size > INPUT)
        return 0;
    haft_buffer_init(&out, NULL, 4 * INPUT);
    n = write_keys((const char *)data, size, &out, known);
    require(!out.status && !ftruncate(file, 0) &&
            pwrite(file, out.size ? out.data : "", out.size, 0) == (ssize_t)out.size);
    haft_buffer_finish(&out);
    keys = hf_api_keys_read(hf_allocator_or_default(NULL), path, &reason);
    require(keys || (reason.code && *reason.text));
    for (size_t i = 0; keys && i < n; i++) {
        const haft_identity *identity = hf_api_keys_find(keys, known[i].key, known[i].size);

        require(identity || !known[i].size || known[i].size > API_KEY_LIMIT);
        if (identity)
            check_identity(identity);
    }
    if (keys)
        require(!hf_api_keys_find(keys, "not in any file", strlen("not in any file")) || n);
    hf_api_keys_drop(keys);
    return 0;
}
