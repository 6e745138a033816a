/* certificate.c - the certificate of a client, in a header of a proxy that ends its TLS connections: as a
 * byte sequence (RFC 9440), or as PEM or its base64 alone, percent-encoded. */
#include "auth/server/server.h"
#include "base/percent.h"
#include "base/sha256.h"

enum { CERTIFICATE_LIMIT = 16 << 10 };

/* The base64 of a certificate, in whichever form; an empty text for none. */
static struct text certificate_base64(const char *text, size_t size)
{
    static const char begin[] = "-----BEGIN CERTIFICATE-----", end[] = "-----END CERTIFICATE-----";
    struct text found = text_trim(text, size);

    if (found.size > 2 && found.data[0] == ':' && found.data[found.size - 1] == ':')
        return (struct text){found.data + 1, found.size - 2};
    if (found.size < sizeof begin - 1 || memcmp(found.data, begin, sizeof begin - 1) != 0)
        return found;
    found.data += sizeof begin - 1;
    found.size -= sizeof begin - 1;
    for (size_t i = 0; i + sizeof end - 1 <= found.size; i++)
        if (!memcmp(found.data + i, end, sizeof end - 1))
            return (struct text){found.data, i};
    return (struct text){NULL, 0};
}

static size_t certificate_without_blanks(struct text text, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < text.size; i++)
        if (!strchr(" \t\r\n", text.data[i]))
            out[n++] = text.data[i];
    return n;
}

int hf_certificate_thumbprint(const haft_allocator *allocator, struct text header,
                              char ret_thumbprint[AUTHENTICATION_ROOM])
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;
    size_t size, n;
    char *bytes;
    int status = HAFT_EINVAL;

    if (!header.size || header.size > CERTIFICATE_LIMIT)
        return HAFT_EINVAL;
    bytes = allocator->alloc(allocator->context, header.size);
    if (!bytes)
        return HAFT_ENOMEM;
    size = hf_percent_decode_bytes(header.data, header.size, false, bytes);
    if (size != PERCENT_INVALID && !memchr(bytes, '\0', size)) {
        size = certificate_without_blanks(certificate_base64(bytes, size), bytes);
        if (size && !haft_base64_decode(bytes, size, bytes, &n) && n)
            status = 0;
    }
    if (!status) {
        haft_buffer out;

        hf_sha256_init(&hash);
        hf_sha256_add(&hash, bytes, n);
        hf_sha256_finish(&hash, digest);
        haft_buffer_init(&out, allocator, AUTHENTICATION_ROOM - 1);
        hf_base64url_put(&out, digest, sizeof digest);
        status = out.status;
        if (!status)
            memcpy(ret_thumbprint, out.data, out.size);
        ret_thumbprint[status ? 0 : out.size] = '\0';
        haft_buffer_finish(&out);
    }
    allocator->release(allocator->context, bytes, header.size);
    return status;
}
