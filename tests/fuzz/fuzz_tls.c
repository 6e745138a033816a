/* fuzz_tls.c - any bytes at the start of a connection with TLS: however they are cut, it comes to the
 * same state, no plaintext, and an answer that fits. Only a peer that begins with a letter is taken
 * for one without TLS. */
#define _DEFAULT_SOURCE
#include "http/authority.h"

#include <haft/part.h>

#include "auth/crypto/tls.h"
#include "part/crypto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tls_functions *tls;

static void require(bool holds)
{
    if (!holds)
        abort();
}

static tls_context *the_context(void)
{
    static tls_context *context;
    static struct authority authority;
    static char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH], ca[AUTHORITY_PATH];
    haft_reason reason = {0};

    if (context)
        return context;
    haft_part_register(&haft_crypto_part);
    tls = hf_crypto_open("this test", &reason)->tls;
    authority_init(&authority, "test authority");
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "localhost"});
    context = tls->create(
        &(struct tls_options){
            .certificates =
                (const char *[]){authority_file(&authority, "a.pem", certificate), NULL},
            .keys = (const char *[]){authority_file(&authority, "a.key", key), NULL},
            .client_ca = authority_file(&authority, "ca.pem", ca),
            .client_optional = true},
        &reason);
    require(context);
    authority_finish(&authority);
    return context;
}

static enum tls_state receive_all(const char *bytes, size_t size, size_t step)
{
    static char plain[1 << 16], sealed[TLS_OUTPUT];
    tls_connection *c = tls->open(the_context());
    enum tls_state state;

    require(c);
    for (size_t at = 0, n; at < size; at += n) {
        struct tls_output out = {.to = plain, .room = sizeof plain},
                          answer = {.to = sealed, .room = sizeof sealed};

        n = step && step < size - at ? step : size - at;
        tls->receive(c, bytes + at, n, &out, &answer);
        require(!out.size && answer.size <= answer.room);
    }
    state = tls->state(c);
    /* The handshake needs a Finished, which nobody can guess. */
    require(state == TLS_SHAKING || state == TLS_FAILED || state == TLS_PLAIN);
    require(state != TLS_PLAIN || (bytes[0] >= 'A' && bytes[0] <= 'Z'));
    require((state == TLS_SHAKING) == !*tls->failure(c));
    require(!tls->certificate(c));
    tls->close(c);
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    size_t step;

    if (size < 2)
        return 0;
    the_context();
    step = data[0];
    require(receive_all(bytes + 1, size - 1, 0) == receive_all(bytes + 1, size - 1, step));
    return 0;
}
