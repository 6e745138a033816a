/* fuzz_credentials.c - any request to an authenticator: what it takes for credentials, and what it
 * refuses.
 *
 * The input is the query in the first line, then a header a line, "name: value". The certificate in a
 * header of a proxy is read as well. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "auth/server/server.h"

enum { HEADERS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- a request ---- */

static char *take_line(char **at)
{
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;

    *at = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return line;
}

/* The headers of the lines that have a colon. */
static size_t read_headers(char *at, haft_header headers[HEADERS])
{
    size_t n = 0;

    for (char *line; n < HEADERS && (line = take_line(&at));) {
        char *colon = strchr(line, ':');

        if (!colon || colon == line)
            continue;
        *colon = '\0';
        headers[n++] = (haft_header){line, colon + 1};
    }
    return n;
}

/* ---- what must hold ---- */

static size_t count(const haft_request *request, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < request->n_headers; i++)
        n += haft_header_find(&request->headers[i], 1, name) != NULL;
    return n;
}

/* The text is a part of one of the header's values, and has no blanks around it. */
static void check_part(const haft_request *request, const char *name, struct text text)
{
    bool found = false;

    for (size_t i = 0; i < request->n_headers; i++) {
        const char *value = haft_header_find(&request->headers[i], 1, name);

        found |= value && text.data >= value && text.data + text.size <= value + strlen(value);
    }
    require(found);
    require(!text.size || (text.data[0] != ' ' && text.data[text.size - 1] != ' '));
}

static void check_certificate(struct text header)
{
    char thumbprint[AUTHENTICATION_ROOM] = "", again[AUTHENTICATION_ROOM] = "";
    const haft_allocator *allocator = hf_allocator_or_default(NULL);

    if (hf_certificate_thumbprint(allocator, header, thumbprint))
        return;
    require(strlen(thumbprint) == 43);
    require(strspn(thumbprint,
                   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == 43);
    require(!hf_certificate_thumbprint(allocator, header, again) && !strcmp(thumbprint, again));
}

static void check_request(const struct authenticator *authenticator, const haft_request *request)
{
    const char *const names[] = {"authorization", "dpop", "x-api-key"};
    struct presented presented;
    const char *wrong = hf_credentials_find(authenticator, request, "/mcp", &presented);

    if (wrong)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        require(count(request, names[i]) < 2);
    require(strncmp(request->query, "access_token=", strlen("access_token=")) != 0);
    require(!strstr(request->query, "&access_token="));
    if (presented.kind == CREDENTIAL_NONE)
        require(!presented.secret.data);
    else
        check_part(request, presented.kind == CREDENTIAL_KEY ? "x-api-key" : "authorization",
                   presented.secret);
    require(presented.kind == CREDENTIAL_NONE || presented.secret.size);
    require(presented.kind != CREDENTIAL_KEY || authenticator->options.key_file);
    require(presented.kind == CREDENTIAL_NONE || presented.kind == CREDENTIAL_KEY ||
            !count(request, "x-api-key") || !authenticator->options.key_file);
    if (presented.proof.data)
        check_part(request, "dpop", presented.proof);
    require(request->proxied || !presented.forwarded.data);
    if (presented.forwarded.data) {
        require(count(request, "client-cert") == 1);
        check_part(request, "client-cert", presented.forwarded);
        check_certificate(presented.forwarded);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct authenticator authenticator;
    haft_header headers[HEADERS];
    haft_request request = {.method = "POST", .path = "/mcp", .headers = headers};
    char *text = malloc(size + 1), *at = text;

    require(text);
    memcpy(text, data, size);
    text[size] = '\0';
    check_certificate((struct text){text, strlen(text)});
    request.query = take_line(&at);
    request.n_headers = read_headers(at, headers);
    authenticator.options.certificate_header = "Client-Cert";
    for (int i = 0; i < 4; i++) {
        request.proxied = i & 1;
        authenticator.options.key_file = i & 2 ? "keys" : NULL;
        check_request(&authenticator, &request);
    }
    free(text);
    return 0;
}
