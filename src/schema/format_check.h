/* schema/format_check.h - the checks behind the rows of format.c.
 *
 * Each says whether valid UTF-8 text is of a format, allocates nothing and takes time linear in the
 * text.  The two that read a language of their own need memory, and have a second form for it. */
#ifndef HAFT_SRC_FORMAT_CHECK_H
#define HAFT_SRC_FORMAT_CHECK_H

#include "base/base.h"

/* ---- sets of ASCII characters ---- */
enum {
    SET_DIGIT = 1,
    SET_HEX = 2, /* either case */
    SET_LOWER = 4,
    SET_UPPER = 8,
    SET_ALNUM = SET_DIGIT | SET_LOWER | SET_UPPER
};

static inline bool ascii_in(char c, unsigned set)
{
    return ((set & SET_DIGIT) && c >= '0' && c <= '9') ||
           ((set & SET_LOWER) && c >= 'a' && c <= 'z') ||
           ((set & SET_UPPER) && c >= 'A' && c <= 'Z') ||
           ((set & SET_HEX) &&
            ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')));
}

/* How many characters at the front are in the set or among `others`. */
size_t ascii_span(const char *text, size_t size, unsigned set, const char *others);

/* ---- Zod's (haft/format.h) ---- */
#define ZOD_CHECKS(X)                                                                              \
    X(email)                                                                                       \
    X(url)                                                                                         \
    X(http_url)                                                                                    \
    X(uuid) X(uuid_v4) X(uuid_v6) X(uuid_v7) X(guid) X(nanoid) X(cuid) X(cuid2) X(ulid) X(xid)     \
        X(ksuid) X(date_time) X(date_time_offset) X(date_time_local) X(date) X(time) X(duration)   \
            X(ipv4) X(ipv6) X(mac) X(cidr_v4) X(cidr_v6) X(base64) X(base64url) X(e164) X(jwt)     \
                X(hostname) X(hex) X(md5) X(sha1) X(sha256) X(sha384) X(sha512) X(iban)            \
                    X(credit_card) X(currency_code) X(lowercase) X(uppercase)
#define DECLARE_(name) bool zod_##name(const char *text, size_t size);
ZOD_CHECKS(DECLARE_)
#undef DECLARE_

/* ---- JSON Schema's, by RFC ---- */
#define RFC_CHECKS(X)                                                                              \
    X(email)                                                                                       \
    X(idn_email)                                                                                   \
    X(hostname)                                                                                    \
    X(ldh_hostname) X(idn_hostname) X(uri) X(uri_reference) X(iri) X(iri_reference)                \
        X(uri_template) X(uuid) X(date_time) X(date) X(time) X(duration) X(json_pointer)           \
            X(relative_json_pointer) X(regex)
#define DECLARE_(name) bool rfc_##name(const char *text, size_t size);
RFC_CHECKS(DECLARE_)
#undef DECLARE_

/* In the arena, which is left as it was: 1, 0 or HAFT_ENOMEM. */
int format_jwt_in(haft_arena *arena, const char *text, size_t size);
int format_regex_in(haft_arena *arena, const char *text, size_t size);

/* Every currency code, three letters and a bar each, in order. */
extern const char format_currencies[];

#endif
