/* format_idn.c - internationalized host names (RFC 5890): LDH labels, A-labels and U-labels.
 *
 * A name is decoded label by label into code points. An A-label is decoded, checked by the rules of
 * its U-label, and must be that label's canonical encoding. */
#include "schema/text/format_check.h"
#include "schema/text/idna.h"

#include <string.h>

enum { FORMAT_IDN_MAX_NAME = 253, MAX_LABEL = 63, PREFIX = 4 };

/* Whether the code point separates labels: also the three dots of RFC 3490, which input methods
 * produce. */
static bool is_dot(uint32_t point, bool unicode)
{
    return point == '.' || (unicode && (point == 0x3002 || point == 0xFF0E || point == 0xFF61));
}

/* State while the labels of a name are read. */
struct name {
    size_t size;    /* size in ASCII */
    bool rtl;       /* contains a right-to-left code point */
    bool left_over; /* a label violates the Bidi rule */
};

static bool idn_has_prefix(const uint32_t *points, size_t count)
{
    return count >= PREFIX && (points[0] | 0x20) == 'x' && (points[1] | 0x20) == 'n' &&
           points[2] == '-' && points[3] == '-';
}

static bool is_ldh(const uint32_t *points, size_t count)
{
    if (!count || points[0] == '-' || points[count - 1] == '-')
        return false;
    for (size_t i = 0; i < count; i++)
        if (points[i] > 0x7F || (!ascii_in((char)points[i], SET_ALNUM) && points[i] != '-'))
            return false;
    return true;
}

/* Decodes an A-label, which must encode to the same size. Returns 0 if it is invalid. */
static size_t idn_decode(const uint32_t *points, size_t count, uint32_t ret_points[IDNA_MAX_LABEL])
{
    char text[MAX_LABEL];
    size_t decoded, ascii = 0;

    for (size_t i = PREFIX; i < count; i++)
        text[i - PREFIX] = (char)points[i];
    decoded = hf_idna_decode(text, count - PREFIX, ret_points);
    for (size_t i = 0; i < decoded; i++)
        ascii += ret_points[i] < 0x80;
    if (ascii == decoded || hf_idna_encoded_size(ret_points, decoded) != count - PREFIX)
        return 0;
    return decoded;
}

static bool add_label(struct name *name, const uint32_t *points, size_t count)
{
    uint32_t decoded[IDNA_MAX_LABEL];
    size_t size = count;

    if (is_ldh(points, count)) {
        if (count > MAX_LABEL)
            return false;
        if (idn_has_prefix(points, count)) {
            count = idn_decode(points, count, decoded);
            points = decoded;
            if (!hf_idna_label(points, count))
                return false;
        }
    } else {
        if (!hf_idna_label(points, count))
            return false;
        size = hf_idna_encoded_size(points, count);
        if (size > MAX_LABEL - PREFIX)
            return false;
        size += PREFIX;
    }
    name->size += size + (name->size > 0);
    name->rtl |= hf_idna_has_rtl(points, count);
    name->left_over |= !hf_idna_bidi_rule(points, count);
    return name->size <= FORMAT_IDN_MAX_NAME;
}

static bool idn_is_name(const char *text, size_t size, bool unicode)
{
    const char *end = text + size;
    uint32_t points[IDNA_MAX_LABEL];
    struct name name = {0};
    size_t count = 0;

    while (text < end) {
        uint32_t point = hf_utf8_next(&text);

        if (is_dot(point, unicode)) {
            if (!add_label(&name, points, count))
                return false;
            count = 0;
        } else if (count == IDNA_MAX_LABEL || (!unicode && point > 0x7F)) {
            return false;
        } else {
            points[count++] = point;
        }
    }
    return add_label(&name, points, count) && !(name.rtl && name.left_over);
}

bool hf_rfc_hostname(const char *text, size_t size)
{
    return idn_is_name(text, size, false);
}

bool hf_rfc_idn_hostname(const char *text, size_t size)
{
    return idn_is_name(text, size, true);
}
