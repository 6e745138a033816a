/* schema/text/format_check.h - the checks behind the rows of format.c.
 *
 * Each says whether valid UTF-8 text is of a format, allocates nothing and takes time linear in the
 * text.  The two that read a language of their own need memory, and have a second form for it. */
#ifndef HAFT_SRC_FORMAT_CHECK_H
#define HAFT_SRC_FORMAT_CHECK_H

#include "base/hex.h"

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
           ((set & SET_UPPER) && c >= 'A' && c <= 'Z') || ((set & SET_HEX) && hex_digit(c) >= 0);
}

/* How many characters at the front are in the set or among `others`. */
size_t ascii_span(const char *text, size_t size, unsigned set, const char *others);

typedef bool format_check(const char *text, size_t size);

/* ---- Zod's (haft/format.h) ---- */
format_check zod_email, zod_url, zod_http_url, zod_uuid, zod_uuid_v4, zod_uuid_v6, zod_uuid_v7,
    zod_guid, zod_nanoid, zod_cuid, zod_cuid2, zod_ulid, zod_xid, zod_ksuid, zod_date_time,
    zod_date_time_offset, zod_date_time_local, zod_date, zod_time, zod_duration, zod_ipv4, zod_ipv6,
    zod_mac, zod_cidr_v4, zod_cidr_v6, zod_base64, zod_base64url, zod_e164, zod_jwt, zod_hostname,
    zod_hex, zod_md5, zod_sha1, zod_sha256, zod_sha384, zod_sha512, zod_iban, zod_credit_card,
    zod_currency_code, zod_lowercase, zod_uppercase;

/* ---- JSON Schema's, by RFC ---- */
format_check rfc_email, rfc_idn_email, rfc_hostname, rfc_ldh_hostname, rfc_idn_hostname, rfc_uri,
    rfc_uri_reference, rfc_iri, rfc_iri_reference, rfc_uri_template, rfc_uuid, rfc_date_time,
    rfc_date, rfc_time, rfc_duration, rfc_json_pointer, rfc_relative_json_pointer, rfc_regex;

/* In the arena, which is left as it was: 1, 0 or HAFT_ENOMEM. */
int format_jwt_in(haft_arena *arena, const char *text, size_t size);
int format_regex_in(haft_arena *arena, const char *text, size_t size);

/* Every currency code, three letters and a bar each, in order. */
extern const char format_currencies[];

#endif
