/* haft/format.h - named string formats.
 *
 * Each format is one of Zod 4.  A format has the name that issues use, the `format` that JSON
 * Schema documents use, and the noun in the message of an issue ("Invalid email address"). */
#ifndef HAFT_FORMAT_H
#define HAFT_FORMAT_H

/* List of the formats, as X(name, name in an issue, name in JSON Schema or NULL, noun). */
#define HAFT_FORMATS(X)                                                                            \
    X(EMAIL, "email", "email", "email address")                                                    \
    X(URL, "url", "uri", "URL")                                                                    \
    X(HTTP_URL, "url", "uri", "URL")                                                               \
    X(UUID, "uuid", "uuid", "UUID")                                                                \
    X(UUID_V4, "uuid", "uuid", "UUID")                                                             \
    X(UUID_V6, "uuid", "uuid", "UUID")                                                             \
    X(UUID_V7, "uuid", "uuid", "UUID")                                                             \
    X(GUID, "guid", "uuid", "GUID")                                                                \
    X(EMOJI, "emoji", "emoji", "emoji")                                                            \
    X(NANOID, "nanoid", "nanoid", "nanoid")                                                        \
    X(CUID, "cuid", "cuid", "cuid")                                                                \
    X(CUID2, "cuid2", "cuid2", "cuid2")                                                            \
    X(ULID, "ulid", "ulid", "ULID")                                                                \
    X(XID, "xid", "xid", "XID")                                                                    \
    X(KSUID, "ksuid", "ksuid", "KSUID")                                                            \
    X(DATE_TIME, "datetime", "date-time", "ISO datetime")                                          \
    X(DATE_TIME_OFFSET, "datetime", "date-time", "ISO datetime")                                   \
    X(DATE_TIME_LOCAL, "datetime", NULL, "ISO datetime")                                           \
    X(DATE, "date", "date", "ISO date")                                                            \
    X(TIME, "time", NULL, "ISO time")                                                              \
    X(DURATION, "duration", "duration", "ISO duration")                                            \
    X(IPV4, "ipv4", "ipv4", "IPv4 address")                                                        \
    X(IPV6, "ipv6", "ipv6", "IPv6 address")                                                        \
    X(MAC, "mac", "mac", "MAC address")                                                            \
    X(CIDR_V4, "cidrv4", "cidrv4", "IPv4 range")                                                   \
    X(CIDR_V6, "cidrv6", "cidrv6", "IPv6 range")                                                   \
    X(BASE64, "base64", "base64", "base64-encoded string")                                         \
    X(BASE64URL, "base64url", "base64url", "base64url-encoded string")                             \
    X(E164, "e164", "e164", "E.164 number")                                                        \
    X(JWT, "jwt", "jwt", "JWT")                                                                    \
    X(HOSTNAME, "hostname", "hostname", "hostname")                                                \
    X(HEX, "hex", "hex", "hex")                                                                    \
    X(MD5, "md5_hex", "md5_hex", "md5_hex")                                                        \
    X(SHA1, "sha1_hex", "sha1_hex", "sha1_hex")                                                    \
    X(SHA256, "sha256_hex", "sha256_hex", "sha256_hex")                                            \
    X(SHA384, "sha384_hex", "sha384_hex", "sha384_hex")                                            \
    X(SHA512, "sha512_hex", "sha512_hex", "sha512_hex")                                            \
    X(IBAN, "iban", "iban", "IBAN")                                                                \
    X(CREDIT_CARD, "credit_card", "credit_card", "credit card number")                             \
    X(CURRENCY_CODE, "currency_code", "currency_code", "currency code")                            \
    X(LOWERCASE, "lowercase", "lowercase", "lowercase")                                            \
    X(UPPERCASE, "uppercase", "uppercase", "uppercase")

#define HAFT_FORMAT_(name, zod, json, noun) HAFT_FORMAT_##name,
/* Named formats of strings, those of HAFT_FORMATS.  The name of a constant is HAFT_FORMAT_ and the
 * name in the list. */
typedef enum haft_format {
    HAFT_FORMAT_NONE, /* any string */
    HAFT_FORMATS(HAFT_FORMAT_) HAFT_FORMAT_COUNT_
} haft_format;
#undef HAFT_FORMAT_

#endif
