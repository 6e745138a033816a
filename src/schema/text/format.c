/* format.c - the named string formats: one row each, and lookup by name.
 *
 * A row of Zod's combines haft/format.h with the details here: the pattern that Zod shows in
 * issues, an equivalent pattern that every JSON Schema implementation supports (no look-around),
 * and the check function. Where the check is stricter than any pattern can be (a checksum, an
 * overall length), the pattern accepts a superset. */
#include "schema/text/format.h"

#include <string.h>

#include "schema/text/format_check.h"

/* ---- patterns ---- */

#define HEX(n) "[0-9a-fA-F]{" n "}"
#define UUID(version) HEX("8") "-" HEX("4") "-" version HEX("3") "-[89abAB]" HEX("3") "-" HEX("12")

#define DATE                                                                                       \
    "(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|"   \
    "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|"   \
    "(?:02)-(?:0[1-9]|1\\d|2[0-8])))"
#define MINUTE "(?:[01]\\d|2[0-3]):[0-5]\\d"
#define SECOND ":[0-5]\\d(?:\\.\\d+)?"

#define ZOD_DURATION                                                                               \
    "^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?"                                     \
    "(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$"
#define DAYS "(?:\\d+Y(?:\\d+M)?(?:\\d+D)?|\\d+M(?:\\d+D)?|\\d+D)"
#define SECONDS "\\d+(?:[.,]\\d+)?S"
#define TIMES "T(?:\\d+H(?:\\d+M)?(?:" SECONDS ")?|\\d+M(?:" SECONDS ")?|" SECONDS ")"
#define DURATION "^P(?:\\d+W|" DAYS "(?:" TIMES ")?|" TIMES ")$"

#define ZOD_EMOJI                                                                                  \
    "^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])"                     \
    "[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$"
#define EMOJI_PART "[\\p{Extended_Pictographic}\\p{Emoji_Component}]*"
#define EMOJI                                                                                      \
    "^" EMOJI_PART "[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3]" EMOJI_PART "$"

#define OCTET "25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9]"
#define IPV4 "(?:(?:" OCTET ")\\.){3}(?:" OCTET ")"
#define PIECE "[0-9a-fA-F]{1,4}"
#define LAST_TWO "(?:" PIECE ":" PIECE "|" IPV4 ")"
/* Up to n groups and a colon before "::", or none. */
#define BEFORE(n) "(?:(?:" PIECE ":){0," n "}" PIECE ")?::"
#define AFTER(n) "(?:" PIECE ":){" n "}" LAST_TWO
#define IPV6                                                                                       \
    "(?:" AFTER("6") "|::" AFTER("5") "|(?:" PIECE ")?::" AFTER("4") "|" BEFORE("1")               \
        AFTER("3") "|" BEFORE("2") AFTER("2") "|" BEFORE("3") PIECE ":" LAST_TWO "|" BEFORE("4")   \
            LAST_TWO "|" BEFORE("5") PIECE "|" BEFORE("6") ")"

#define HOST_LABEL "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"

#define CURRENCIES                                                                                 \
    "AED|AFN|ALL|AMD|AOA|ARS|AUD|AWG|AZN|BAM|BBD|BDT|BHD|BIF|BMD|BND|BOB|BOV|BRL|BSD|"             \
    "BTN|BWP|BYN|BZD|CAD|CDF|CHE|CHF|CHW|CLF|CLP|CNY|COP|COU|CRC|CUP|CVE|CZK|DJF|DKK|"             \
    "DOP|DZD|EGP|ERN|ETB|EUR|FJD|FKP|GBP|GEL|GHS|GIP|GMD|GNF|GTQ|GYD|HKD|HNL|HTG|HUF|"             \
    "IDR|ILS|INR|IQD|IRR|ISK|JMD|JOD|JPY|KES|KGS|KHR|KMF|KPW|KRW|KWD|KYD|KZT|LAK|LBP|"             \
    "LKR|LRD|LSL|LYD|MAD|MDL|MGA|MKD|MMK|MNT|MOP|MRU|MUR|MVR|MWK|MXN|MXV|MYR|MZN|NAD|"             \
    "NGN|NIO|NOK|NPR|NZD|OMR|PAB|PEN|PGK|PHP|PKR|PLN|PYG|QAR|RON|RSD|RUB|RWF|SAR|SBD|"             \
    "SCR|SDG|SEK|SGD|SHP|SLE|SOS|SRD|SSP|STN|SVC|SYP|SZL|THB|TJS|TMT|TND|TOP|TRY|TTD|"             \
    "TWD|TZS|UAH|UGX|USD|USN|UYI|UYU|UYW|UZS|VED|VES|VND|VUV|WST|XAD|XAF|XAG|XAU|XBA|"             \
    "XBB|XBC|XBD|XCD|XCG|XDR|XOF|XPD|XPF|XPT|XSU|XTS|XUA|XXX|YER|ZAR|ZMW|ZWG"

const char hf_format_currencies[] = CURRENCIES;

/* ---- Zod's formats ---- */

/* The pattern in issues, its flags, and the emitted pattern. */
#define SHOWN(pattern) pattern, "", pattern
#define HIDDEN(pattern) NULL, "", pattern
#define NO_PATTERN NULL, "", NULL

#define DETAILS_EMAIL                                                                              \
    SHOWN("^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@"                           \
          "(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"),                                      \
        hf_zod_email
#define DETAILS_URL NO_PATTERN, hf_zod_url
#define DETAILS_HTTP_URL NO_PATTERN, hf_zod_http_url
#define DETAILS_UUID                                                                               \
    SHOWN("^(" UUID("[1-8]") "|00000000-0000-0000-0000-000000000000|"                              \
                             "ffffffff-ffff-ffff-ffff-ffffffffffff)$"),                            \
        hf_zod_uuid
#define DETAILS_UUID_V4 SHOWN("^(" UUID("4") ")$"), hf_zod_uuid_v4
#define DETAILS_UUID_V6 SHOWN("^(" UUID("6") ")$"), hf_zod_uuid_v6
#define DETAILS_UUID_V7 SHOWN("^(" UUID("7") ")$"), hf_zod_uuid_v7
#define DETAILS_GUID                                                                               \
    SHOWN("^(" HEX("8") "-" HEX("4") "-" HEX("4") "-" HEX("4") "-" HEX("12") ")$"), hf_zod_guid
#define DETAILS_EMOJI ZOD_EMOJI, "u", EMOJI, NULL
#define DETAILS_NANOID SHOWN("^[a-zA-Z0-9_-]{21}$"), hf_zod_nanoid
#define DETAILS_CUID SHOWN("^[cC][0-9a-z]{6,}$"), hf_zod_cuid
#define DETAILS_CUID2 SHOWN("^[0-9a-z]+$"), hf_zod_cuid2
#define DETAILS_ULID SHOWN("^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$"), hf_zod_ulid
#define DETAILS_XID SHOWN("^[0-9a-vA-V]{20}$"), hf_zod_xid
#define DETAILS_KSUID SHOWN("^[A-Za-z0-9]{27}$"), hf_zod_ksuid
#define DETAILS_DATE_TIME SHOWN("^" DATE "T(?:" MINUTE SECOND "(?:Z))$"), hf_zod_date_time
#define DETAILS_DATE_TIME_OFFSET                                                                   \
    SHOWN("^" DATE "T(?:" MINUTE SECOND "(?:Z|([+-]" MINUTE ")))$"), hf_zod_date_time_offset
#define DETAILS_DATE_TIME_LOCAL                                                                    \
    SHOWN("^" DATE "T(?:" MINUTE SECOND "(?:Z)|" MINUTE "(?:" SECOND ")?)$"), hf_zod_date_time_local
#define DETAILS_DATE SHOWN("^" DATE "$"), hf_zod_date
#define DETAILS_TIME SHOWN("^" MINUTE "(?:" SECOND ")?$"), hf_zod_time
#define DETAILS_DURATION ZOD_DURATION, "", DURATION, hf_zod_duration
#define DETAILS_IPV4 SHOWN("^" IPV4 "$"), hf_zod_ipv4
#define DETAILS_IPV6 HIDDEN("^" IPV6 "$"), hf_zod_ipv6
#define DETAILS_MAC                                                                                \
    SHOWN("^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$|^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$"), hf_zod_mac
#define DETAILS_CIDR_V4                                                                            \
    SHOWN("^((" OCTET ")\\.){3}(" OCTET ")\\/([0-9]|[1-2][0-9]|3[0-2])$"), hf_zod_cidr_v4
#define DETAILS_CIDR_V6 HIDDEN("^" IPV6 "\\/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])$"), hf_zod_cidr_v6
#define DETAILS_BASE64                                                                             \
    HIDDEN("^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$"),         \
        hf_zod_base64
#define DETAILS_BASE64URL HIDDEN("^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$"), hf_zod_base64url
#define DETAILS_E164 SHOWN("^\\+[1-9]\\d{6,14}$"), hf_zod_e164
#define DETAILS_JWT NO_PATTERN, hf_zod_jwt
#define DETAILS_HOSTNAME HIDDEN("^" HOST_LABEL "(?:\\." HOST_LABEL ")*\\.?$"), hf_zod_hostname
#define DETAILS_HEX HIDDEN("^[0-9a-fA-F]*$"), hf_zod_hex
#define DETAILS_MD5 HIDDEN("^" HEX("32") "$"), hf_zod_md5
#define DETAILS_SHA1 HIDDEN("^" HEX("40") "$"), hf_zod_sha1
#define DETAILS_SHA256 HIDDEN("^" HEX("64") "$"), hf_zod_sha256
#define DETAILS_SHA384 HIDDEN("^" HEX("96") "$"), hf_zod_sha384
#define DETAILS_SHA512 HIDDEN("^" HEX("128") "$"), hf_zod_sha512
#define DETAILS_IBAN HIDDEN("^[A-Z]{2}(?:0[2-9]|[1-8]\\d|9[0-8])[A-Z0-9]{11,30}$"), hf_zod_iban
#define DETAILS_CREDIT_CARD HIDDEN("^\\d(?:[ -]?\\d){11,18}$"), hf_zod_credit_card
#define DETAILS_CURRENCY_CODE HIDDEN("^(?:" CURRENCIES ")$"), hf_zod_currency_code
#define DETAILS_LOWERCASE SHOWN("^[^A-Z]*$"), hf_zod_lowercase
#define DETAILS_UPPERCASE SHOWN("^[^a-z]*$"), hf_zod_uppercase

static const struct format formats[HAFT_FORMAT_COUNT_] = {
#define ROW(name, zod, json, noun) [HAFT_FORMAT_##name] = {zod, json, noun, DETAILS_##name},
    HAFT_FORMATS(ROW)
#undef ROW
};

const struct format *hf_format_of(haft_format format)
{
    bool known = format > HAFT_FORMAT_NONE && format < HAFT_FORMAT_COUNT_;

    return known ? &formats[format] : NULL;
}

size_t hf_format_size(const struct format *format)
{
    static const struct {
        bool (*check)(const char *text, size_t size);
        size_t size;
    } sized[] = {
        {hf_zod_uuid, 36},   {hf_zod_uuid_v4, 36}, {hf_zod_uuid_v6, 36}, {hf_zod_uuid_v7, 36}, {hf_zod_guid, 36},
        {hf_rfc_uuid, 36},   {hf_zod_nanoid, 21},  {hf_zod_ulid, 26},    {hf_zod_xid, 20},     {hf_zod_ksuid, 27},
        {hf_zod_date, 10},   {hf_rfc_date, 10},    {hf_zod_md5, 32},     {hf_zod_sha1, 40},    {hf_zod_sha256, 64},
        {hf_zod_sha384, 96}, {hf_zod_sha512, 128},
    };

    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++)
        if (sized[i].check == format->check)
            return sized[i].size;
    return 0;
}

/* ---- JSON Schema's formats ---- */

/* A name, and the first and last draft that define it like this. */
struct named {
    struct format format;
    int first, last;
};

enum { LATEST = 9999 };

#define NAMED(json, noun, check, first, last)                                                      \
    {                                                                                              \
        {json, json, noun, NULL, "", NULL, check}, first, last                                     \
    }

static const struct named names[] = {
    NAMED("date-time", "ISO datetime", hf_rfc_date_time, 4, LATEST),
    NAMED("email", "email address", hf_rfc_email, 4, LATEST),
#if HAFT_IDNA
    NAMED("hostname", "hostname", hf_rfc_ldh_hostname, 4, 6),
    NAMED("hostname", "hostname", hf_rfc_hostname, 7, LATEST),
    NAMED("idn-email", "email address", hf_rfc_idn_email, 7, LATEST),
    NAMED("idn-hostname", "hostname", hf_rfc_idn_hostname, 7, LATEST),
#else
    NAMED("hostname", "hostname", hf_rfc_ldh_hostname, 4, LATEST), /* A-labels are not decoded */
#endif
    NAMED("ipv4", "IPv4 address", hf_zod_ipv4, 4, LATEST),
    NAMED("ipv6", "IPv6 address", hf_zod_ipv6, 4, LATEST),
    NAMED("uri", "URI", hf_rfc_uri, 4, LATEST),
    NAMED("uri-reference", "URI reference", hf_rfc_uri_reference, 6, LATEST),
    NAMED("uri-template", "URI template", hf_rfc_uri_template, 6, LATEST),
    NAMED("json-pointer", "JSON pointer", hf_rfc_json_pointer, 6, LATEST),
    NAMED("date", "ISO date", hf_rfc_date, 7, LATEST),
    NAMED("time", "ISO time", hf_rfc_time, 7, LATEST),
    NAMED("iri", "IRI", hf_rfc_iri, 7, LATEST),
    NAMED("iri-reference", "IRI reference", hf_rfc_iri_reference, 7, LATEST),
    NAMED("relative-json-pointer", "relative JSON pointer", hf_rfc_relative_json_pointer, 7, LATEST),
    NAMED("regex", "regular expression", hf_rfc_regex, 4, LATEST), /* used by their metaschemas */
    NAMED("duration", "ISO duration", hf_rfc_duration, 2019, LATEST),
    NAMED("uuid", "UUID", hf_rfc_uuid, 2019, LATEST),
};

static bool format_is_named(const struct format *format, const char *name, size_t size)
{
    return format->json_name && strlen(format->json_name) == size &&
           !memcmp(format->json_name, name, size);
}

const struct format *hf_format_named(const char *name, size_t size, int draft)
{
    bool taken = false; /* a draft defines the name, so Zod's format does not apply */

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!format_is_named(&names[i].format, name, size))
            continue;
        if (draft >= names[i].first && draft <= names[i].last)
            return &names[i].format;
        taken = true;
    }
    for (size_t i = 1; i < HAFT_FORMAT_COUNT_ && !taken; i++)
        if (format_is_named(&formats[i], name, size))
            return &formats[i];
    return NULL;
}

int hf_format_match(const struct format *format, const struct pattern *compiled,
                 struct pattern_scratch *scratch, const char *text, size_t size)
{
    if (format->check == hf_rfc_regex)
        return hf_format_regex_in(scratch->arena, text, size);
    if (format->check == hf_zod_jwt)
        return hf_format_jwt_in(scratch->arena, text, size);
    return format->check ? format->check(text, size) : hf_pattern_match(compiled, scratch, text, size);
}
