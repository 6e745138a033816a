/* schema/text/idna.h - properties of code points and labels (RFC 5892, RFC 5893, UTS 46). */
#ifndef HAFT_SRC_IDNA_H
#define HAFT_SRC_IDNA_H

#include "base/base.h"

enum idna_status {
    IDNA_DISALLOWED,
    IDNA_MAPPED, /* UTS 46 maps it to valid characters, or removes it */
    IDNA_SYMBOL, /* accepted by UTS 46, not by RFC 5892 */
    IDNA_VALID   /* PVALID, CONTEXTJ or CONTEXTO */
};

/* Joining type, or combining mark or virama. */
enum idna_role {
    ROLE_NONE,
    ROLE_LEFT,
    ROLE_RIGHT,
    ROLE_DUAL,
    ROLE_TRANSPARENT,
    ROLE_MARK_TRANSPARENT,
    ROLE_MARK,
    ROLE_VIRAMA_TRANSPARENT,
    ROLE_VIRAMA
};

/* Classes of the Bidi rule; NEUTRAL is ES, CS, ET, ON and BN. */
enum idna_bidi { BIDI_OTHER, BIDI_L, BIDI_R, BIDI_AN, BIDI_EN, BIDI_NSM, BIDI_NEUTRAL };

enum idna_script { SCRIPT_OTHER, SCRIPT_GREEK, SCRIPT_HEBREW, SCRIPT_JAPANESE };

struct idna {
    enum idna_status status;
    enum idna_role role;
    enum idna_bidi bidi;
    enum idna_script script;
};

struct idna hf_idna_of(uint32_t point);

/* A label as code points; `count` is at most IDNA_MAX_LABEL. */
enum { IDNA_MAX_LABEL = 256 };

/* Decodes the Punycode after "xn--" (RFC 3492). Returns 0 if it is invalid or too long. */
size_t hf_idna_decode(const char *text, size_t size, uint32_t ret_points[IDNA_MAX_LABEL]);

/* The size of a label's Punycode, without "xn--"; SIZE_MAX if it cannot be encoded. */
size_t hf_idna_encoded_size(const uint32_t *points, size_t count);

/* Checks that there is no leading mark and that joiners are allowed by context (RFC 5892, A.1 and
 * A.2). */
bool hf_idna_joins(const uint32_t *points, size_t count);

/* Whether a label contains R, AL or AN, which makes the whole name subject to the Bidi rule. */
bool hf_idna_has_rtl(const uint32_t *points, size_t count);

/* Checks the Bidi rule (RFC 5893, section 2). */
bool hf_idna_bidi_rule(const uint32_t *points, size_t count);

/* Checks a U-label (RFC 5891) except for its length and the Bidi rule: every code point is valid in
 * its context, and hyphens are where they may be. */
bool hf_idna_label(const uint32_t *points, size_t count);

#endif
