/* schema/text/idna.h - what RFC 5892, RFC 5893 and UTS 46 say of a code point and of a label. */
#ifndef HAFT_SRC_IDNA_H
#define HAFT_SRC_IDNA_H

#include "base/base.h"

enum idna_status {
    IDNA_DISALLOWED,
    IDNA_MAPPED, /* UTS 46 maps it to something valid, or drops it */
    IDNA_SYMBOL, /* UTS 46 takes it as it is, RFC 5892 does not */
    IDNA_VALID   /* PVALID, CONTEXTJ or CONTEXTO */
};

/* Joining type, and whether it is a combining mark or a virama. */
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

/* What the Bidi rule tells apart; NEUTRAL is ES, CS, ET, ON and BN. */
enum idna_bidi { BIDI_OTHER, BIDI_L, BIDI_R, BIDI_AN, BIDI_EN, BIDI_NSM, BIDI_NEUTRAL };

enum idna_script { SCRIPT_OTHER, SCRIPT_GREEK, SCRIPT_HEBREW, SCRIPT_JAPANESE };

struct idna {
    enum idna_status status;
    enum idna_role role;
    enum idna_bidi bidi;
    enum idna_script script;
};

struct idna hf_idna_of(uint32_t point);

/* A label as code points; `count` is at most the room given for it. */
enum { IDNA_MAX_LABEL = 256 };

/* Decodes what follows "xn--" (RFC 3492); 0 when it is not Punycode or is too long. */
size_t hf_idna_decode(const char *text, size_t size, uint32_t ret_points[IDNA_MAX_LABEL]);

/* The size of the Punycode of a label, without "xn--"; SIZE_MAX when it has no such form. */
size_t hf_idna_encoded_size(const uint32_t *points, size_t count);

/* No leading mark, joiners in their context (RFC 5892, A.1 and A.2). */
bool hf_idna_joins(const uint32_t *points, size_t count);

/* Whether one of R, AL or AN is there, which makes the whole name subject to the Bidi rule. */
bool hf_idna_has_rtl(const uint32_t *points, size_t count);

/* The Bidi rule (RFC 5893, section 2). */
bool hf_idna_bidi_rule(const uint32_t *points, size_t count);

/* A U-label of RFC 5891 but for its length and the Bidi rule: every code point valid in its
 * context, hyphens in their places. */
bool hf_idna_label(const uint32_t *points, size_t count);

#endif
