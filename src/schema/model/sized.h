/* schema/model/sized.h - access to integers of one, two, four or eight bytes. */
#ifndef HAFT_SRC_SIZED_H
#define HAFT_SRC_SIZED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Stores the lower bytes of `bits` as an integer of this size. */
static inline void sized_put(char *to, size_t size, uint64_t bits)
{
    uint8_t one = (uint8_t)bits;
    uint16_t two = (uint16_t)bits;
    uint32_t four = (uint32_t)bits;

    switch (size) {
    case sizeof one:
        memcpy(to, &one, sizeof one);
        break;
    case sizeof two:
        memcpy(to, &two, sizeof two);
        break;
    case sizeof four:
        memcpy(to, &four, sizeof four);
        break;
    default:
        memcpy(to, &bits, sizeof bits);
        break;
    }
}

/* Reads an unsigned integer. */
static inline uint64_t sized_get(const char *from, size_t size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case sizeof one:
        memcpy(&one, from, sizeof one);
        return one;
    case sizeof two:
        memcpy(&two, from, sizeof two);
        return two;
    case sizeof four:
        memcpy(&four, from, sizeof four);
        return four;
    default:
        memcpy(&eight, from, sizeof eight);
        return eight;
    }
}

/* Reads a signed integer. */
static inline int64_t sized_get_signed(const char *from, size_t size)
{
    uint64_t bits = sized_get(from, size), sign = UINT64_C(1) << (size * 8 - 1);

    return (int64_t)((bits ^ sign) - sign);
}

#endif
