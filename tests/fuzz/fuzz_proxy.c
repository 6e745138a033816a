/* fuzz_proxy.c - any bytes as Forwarded and X-Forwarded-For of a trusted proxy: what is found is the peer, or
 * an address that is there, and nothing on the left of an address that is not trusted changes it.  A line each
 * is a header; one that begins with f is Forwarded. */
#include <stdlib.h>
#include <string.h>

#include "http/proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADERS = 16, PEER_TEXT = 16 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static const char *const trusted[] = {"10.0.0.0/8", "2001:db8::/32", "unix", NULL};

/* Reads lines into headers; how many. */
static size_t read_lines(char *text, haft_header headers[HEADERS])
{
    size_t n = 0;

    while (text && *text && n < HEADERS - 1) {
        char *end = strchr(text, '\n');

        if (end)
            *end++ = '\0';
        headers[n++] = (haft_header){*text == 'f' ? "Forwarded" : "x-forwarded-for", text + 1};
        text = end;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char peer[PEER_TEXT] = "10.0.0.1";
    char *text = malloc(size + 1), client[ADDRESS_TEXT], again[ADDRESS_TEXT];
    haft_header headers[HEADERS];
    struct proxies proxies;
    size_t n;
    bool both = false;

    require(text && !hf_proxies_init(&proxies, trusted, hf_allocator_or_default(NULL), NULL));
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    n = read_lines(text, headers);
    hf_proxies_find_client(&proxies, peer, headers, n, client);
    require(memchr(client, '\0', sizeof client) && client[0]);
    /* Whatever it is, as the only entry it is found again. */
    hf_proxies_find_client(&proxies, peer, &(haft_header){"X-Forwarded-For", client}, 1, again);
    require(!strcmp(client, again));
    /* A proxy that adds its own entry has it believed, whatever was sent to it. */
    for (size_t i = 0; i < n; i++)
        both = both || !strcmp(headers[i].name, "Forwarded");
    headers[n] = (haft_header){"X-Forwarded-For", "192.0.2.7"};
    hf_proxies_find_client(&proxies, peer, headers, n + 1, again);
    require(!strcmp(again, "192.0.2.7") || (both && !strcmp(again, peer)));
    hf_proxies_finish(&proxies);
    free(text);
    return 0;
}
