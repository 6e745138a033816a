/* schema/text/format_check.h - the check functions for the rows of format.c.
 *
 * Each checks valid UTF-8 text, allocates nothing and takes linear time. The two that parse a
 * language need memory and have a second form that takes an arena. */
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

/* The number of leading characters that are in the set or in `others`. */
size_t hf_ascii_span(const char *text, size_t size, unsigned set, const char *others);

typedef bool format_check(const char *text, size_t size);

/* ---- Zod's (haft/format.h) ---- */
format_check hf_zod_email, hf_zod_url, hf_zod_http_url, hf_zod_uuid, hf_zod_uuid_v4, hf_zod_uuid_v6,
    hf_zod_uuid_v7, hf_zod_guid, hf_zod_nanoid, hf_zod_cuid, hf_zod_cuid2, hf_zod_ulid, hf_zod_xid,
    hf_zod_ksuid, hf_zod_date_time, hf_zod_date_time_offset, hf_zod_date_time_local, hf_zod_date,
    hf_zod_time, hf_zod_duration, hf_zod_ipv4, hf_zod_ipv6, hf_zod_mac, hf_zod_cidr_v4,
    hf_zod_cidr_v6, hf_zod_base64, hf_zod_base64url, hf_zod_e164, hf_zod_jwt, hf_zod_hostname,
    hf_zod_hex, hf_zod_md5, hf_zod_sha1, hf_zod_sha256, hf_zod_sha384, hf_zod_sha512, hf_zod_iban,
    hf_zod_credit_card, hf_zod_currency_code, hf_zod_lowercase, hf_zod_uppercase;

/* ---- JSON Schema's, by RFC ---- */
format_check hf_rfc_email, hf_rfc_idn_email, hf_rfc_hostname, hf_rfc_ldh_hostname,
    hf_rfc_idn_hostname, hf_rfc_uri, hf_rfc_uri_reference, hf_rfc_iri, hf_rfc_iri_reference,
    hf_rfc_uri_template, hf_rfc_uuid, hf_rfc_date_time, hf_rfc_date, hf_rfc_time, hf_rfc_duration,
    hf_rfc_json_pointer, hf_rfc_relative_json_pointer, hf_rfc_regex;

/* Use the arena, which is restored afterwards. Return 1, 0 or HAFT_ENOMEM. */
int hf_format_jwt_in(haft_arena *arena, const char *text, size_t size);
int hf_format_regex_in(haft_arena *arena, const char *text, size_t size);

/* All currency codes, sorted, each three letters and a vertical bar. */
extern const char hf_format_currencies[];

#endif
