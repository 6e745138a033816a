/* address.c - keys that identify a client by its address.
 *
 * A host with one IPv6 address usually owns its whole /64 network and could use another address for
 * every request, so the key contains only the network. */
#include "base/hex.h"

#include <stdio.h>
#include <string.h>

enum { GROUPS = 8, NETWORK = 4, ADDRESS_DIGITS = 4, MAPPED = 0xffff };

/* Reads one to four hexadecimal digits. Returns their number, or 0 if there are none or more than
 * four. */
static size_t read_group(const char *at, unsigned *ret_group)
{
    size_t n = 0;

    for (*ret_group = 0; n <= ADDRESS_DIGITS; n++) {
        int digit = hex_digit(at[n]);

        if (digit < 0)
            return n;
        *ret_group = *ret_group << 4 | (unsigned)digit;
    }
    return 0;
}

/* Expands `::`: inserts zero groups after the first `gap` of the `n` groups. */
static void spread(unsigned groups[GROUPS], size_t n, size_t gap)
{
    memmove(groups + GROUPS - (n - gap), groups + gap, (n - gap) * sizeof *groups);
    memset(groups + gap, 0, (GROUPS - n) * sizeof *groups);
}

/* Parses an IPv6 address into groups. If it ends in an IPv4 address, *ret_v4 points to that. A zone
 * id (after `%`) is ignored. Returns false if the text is not an IPv6 address. */
static bool read_groups(const char *at, unsigned groups[GROUPS], const char **ret_v4)
{
    size_t n = 0, gap = GROUPS + 1;

    *ret_v4 = NULL;
    if (at[0] == ':' && at[1] == ':') {
        gap = 0;
        at += 2;
    }
    while (*at && *at != '%') {
        unsigned group;
        size_t digits = read_group(at, &group);

        if (!digits || n == GROUPS)
            return false;
        if (at[digits] == '.') {
            *ret_v4 = at;
            groups[n++] = 0;
            if (n < GROUPS)
                groups[n++] = 0;
            break;
        }
        groups[n++] = group;
        at += digits;
        if (at[0] == ':' && at[1] == ':' && gap > GROUPS) {
            gap = n;
            at += 2;
        } else if (*at == ':' && at[1]) {
            at++;
        } else if (*at && *at != '%') {
            return false;
        }
    }
    if (gap > GROUPS ? n != GROUPS : n == GROUPS)
        return false;
    if (gap <= GROUPS)
        spread(groups, n, gap);
    return true;
}

/* Whether this is an IPv4-mapped IPv6 address. */
static bool is_mapped(const unsigned groups[GROUPS])
{
    return !(groups[0] | groups[1] | groups[2] | groups[3] | groups[4]) && groups[5] == MAPPED;
}

static size_t address_put_plain(const char *text, char *key, size_t room)
{
    size_t size = strlen(text), most = room - 2;

    size = size < most ? size : most;
    key[0] = 'a';
    memcpy(key + 1, text, size);
    key[1 + size] = '\0';
    return 1 + size;
}

size_t hf_address_put_key(const char *address, char *key, size_t room)
{
    unsigned groups[GROUPS];
    uint64_t network = 0;
    char text[48];
    const char *v4;

    if (!address)
        return address_put_plain("", key, room);
    if (room < ADDRESS_KEY || !strchr(address, ':') || !read_groups(address, groups, &v4))
        return address_put_plain(address, key, room);
    if (is_mapped(groups) && v4)
        return address_put_plain(v4, key, room);
    if (is_mapped(groups)) {
        snprintf(text, sizeof text, "%u.%u.%u.%u", groups[6] >> 8, groups[6] & 0xff, groups[7] >> 8,
                 groups[7] & 0xff);
        return address_put_plain(text, key, room);
    }
    for (size_t i = 0; i < NETWORK; i++)
        network = network << 16 | groups[i];
    key[0] = '6';
    hf_hex_to_text(network, key + 1);
    key[1 + HEX_TEXT] = '\0';
    return 1 + HEX_TEXT;
}
