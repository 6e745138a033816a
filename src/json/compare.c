/* compare.c - exact comparison of numbers and values.
 *
 * yyjson stores an integer that fits 64 bits as such and any other number as a double. Numbers are
 * compared without conversion to double, so 9007199254740993 differs from 9007199254740992, and 1
 * equals 1.0. */
#include "json/json.h"

#include <math.h>
#include <string.h>

enum { COMPARE_FEW_KEYS = 16 };

static const double TWO_63 = 9223372036854775808.0, TWO_64 = 18446744073709551616.0;

double hf_json_double(const yyjson_val *number)
{
    if (unsafe_yyjson_is_uint((void *)(uintptr_t)number))
        return (double)number->uni.u64;
    if (unsafe_yyjson_is_sint((void *)(uintptr_t)number))
        return (double)number->uni.i64;
    return number->uni.f64;
}

bool hf_json_is_integral(const yyjson_val *number)
{
    return !unsafe_yyjson_is_real((void *)(uintptr_t)number) ||
           (isfinite(number->uni.f64) && number_whole(number->uni.f64) == number->uni.f64);
}

static int order(bool less, bool more)
{
    return more - less;
}

/* Compares a 64-bit integer, given as sign and magnitude, with a double. */
static int compare_mixed(bool negative, uint64_t magnitude, double real)
{
    double whole = number_whole(real);
    uint64_t other;

    if (isnan(real))
        return -1;
    if (negative != (real < 0) && magnitude)
        return negative ? -1 : 1;
    if (!magnitude)
        return order(real > 0, real < 0);
    if (fabs(whole) >= TWO_64)
        return negative ? 1 : -1;
    other = (uint64_t)fabs(whole);
    if (magnitude != other)
        return negative ? order(magnitude > other, magnitude < other)
                        : order(magnitude<other, magnitude> other);
    return order(whole<real, whole> real);
}

int hf_json_compare(const yyjson_val *left, const yyjson_val *right)
{
    yyjson_val *l = (yyjson_val *)(uintptr_t)left, *r = (yyjson_val *)(uintptr_t)right;
    bool real = unsafe_yyjson_is_real(l), other_real = unsafe_yyjson_is_real(r);
    bool negative = unsafe_yyjson_is_sint(l) && l->uni.i64 < 0;
    bool other_negative = unsafe_yyjson_is_sint(r) && r->uni.i64 < 0;
    uint64_t magnitude = negative ? 0 - l->uni.u64 : l->uni.u64;
    uint64_t other = other_negative ? 0 - r->uni.u64 : r->uni.u64;

    if (real && other_real)
        return order(l->uni.f64<r->uni.f64, l->uni.f64> r->uni.f64);
    if (real)
        return -compare_mixed(other_negative, other, l->uni.f64);
    if (other_real)
        return compare_mixed(negative, magnitude, r->uni.f64);
    if (negative != other_negative)
        return negative ? -1 : 1;
    return negative ? order(magnitude > other, magnitude < other)
                    : order(magnitude<other, magnitude> other);
}

/* ---- equality ---- */

static int equal_arrays(yyjson_val *left, yyjson_val *right, haft_arena *arena)
{
    yyjson_arr_iter ours = yyjson_arr_iter_with(left), theirs = yyjson_arr_iter_with(right);
    yyjson_val *item;

    if (yyjson_arr_size(left) != yyjson_arr_size(right))
        return 0;
    while ((item = yyjson_arr_iter_next(&ours))) {
        int equal = hf_json_equal(item, yyjson_arr_iter_next(&theirs), arena);

        if (equal != 1)
            return equal;
    }
    return 1;
}

static int equal_few(yyjson_val *left, yyjson_val *right, haft_arena *arena)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(left);
    yyjson_val *key;

    while ((key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *other = yyjson_obj_getn(right, yyjson_get_str(key), yyjson_get_len(key));
        int equal = other ? hf_json_equal(yyjson_obj_iter_get_val(key), other, arena) : 0;

        if (equal != 1)
            return equal;
    }
    return 1;
}

static size_t compare_slot_of(yyjson_val **slots, size_t n_slots, yyjson_val *key)
{
    size_t size = yyjson_get_len(key), at = hf_hash_bytes(yyjson_get_str(key), size);

    for (at &= n_slots - 1; slots[at]; at = (at + 1) & (n_slots - 1))
        if (yyjson_get_len(slots[at]) == size &&
            !memcmp(yyjson_get_str(slots[at]), yyjson_get_str(key), size))
            break;
    return at;
}

/* For objects with many keys: a hash table of the right side's keys avoids quadratic work for any
 * order of keys. */
static int equal_many(yyjson_val *left, yyjson_val *right, haft_arena *arena)
{
    arena_mark mark = hf_arena_save(arena);
    size_t n_slots = 64;
    yyjson_val **slots, *key;
    yyjson_obj_iter iter = yyjson_obj_iter_with(right);
    int equal = 1;

    while (n_slots < yyjson_obj_size(right) * 2)
        n_slots *= 2;
    slots = haft_arena_zalloc(arena, n_slots, sizeof(yyjson_val *));
    if (!slots)
        return HAFT_ENOMEM;
    while ((key = yyjson_obj_iter_next(&iter)))
        slots[compare_slot_of(slots, n_slots, key)] = key;
    iter = yyjson_obj_iter_with(left);
    while (equal == 1 && (key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *other = slots[compare_slot_of(slots, n_slots, key)];

        equal = other ? hf_json_equal(yyjson_obj_iter_get_val(key), yyjson_obj_iter_get_val(other),
                                      arena)
                      : 0;
    }
    hf_arena_rewind(arena, mark);
    return equal;
}

int hf_json_equal(yyjson_val *left, yyjson_val *right, haft_arena *arena)
{
    if (yyjson_get_type(left) != yyjson_get_type(right))
        return 0;
    switch (yyjson_get_type(left)) {
    case YYJSON_TYPE_BOOL:
        return yyjson_get_bool(left) == yyjson_get_bool(right);
    case YYJSON_TYPE_NUM:
        return hf_json_compare(left, right) == 0;
    case YYJSON_TYPE_STR:
        return yyjson_get_len(left) == yyjson_get_len(right) &&
               !memcmp(yyjson_get_str(left), yyjson_get_str(right), yyjson_get_len(left));
    case YYJSON_TYPE_ARR:
        return equal_arrays(left, right, arena);
    case YYJSON_TYPE_OBJ:
        if (yyjson_obj_size(left) != yyjson_obj_size(right))
            return 0;
        return yyjson_obj_size(left) <= COMPARE_FEW_KEYS ? equal_few(left, right, arena)
                                                         : equal_many(left, right, arena);
    default:
        return 1;
    }
}

/* ---- hashing ---- */

/* Includes the sign, so that a negative number and the large unsigned number with the same bits do
 * not collide: lists of such pairs would all have to be compared. */
static uint64_t hash_integer(bool negative, uint64_t bits)
{
    uint64_t hash = hf_hash_word(bits + 1);

    return negative ? ~hash : hash;
}

static uint64_t hash_number(const yyjson_val *number)
{
    double real = hf_json_double(number);
    uint64_t bits;

    if (!unsafe_yyjson_is_real((void *)(uintptr_t)number))
        return hash_integer(real < 0, number->uni.u64);
    if (hf_json_is_integral(number) && real >= -TWO_63 && real < TWO_64)
        return hash_integer(real < 0, real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real);
    memcpy(&bits, &real, sizeof bits);
    return hf_hash_word(bits + 2);
}

uint64_t hf_json_hash(yyjson_val *value)
{
    uint64_t hash = (uint64_t)yyjson_get_type(value) << 56;
    size_t i, n;
    yyjson_val *key, *item;

    switch (yyjson_get_type(value)) {
    case YYJSON_TYPE_BOOL:
        return hf_hash_word(hash + (yyjson_get_bool(value) ? 2 : 1));
    case YYJSON_TYPE_NUM:
        return hash_number(value);
    case YYJSON_TYPE_STR:
        return hf_hash_bytes(yyjson_get_str(value), yyjson_get_len(value));
    case YYJSON_TYPE_ARR:
        yyjson_arr_foreach(value, i, n, item)
            hash = hf_hash_word(hash * 31 + hf_json_hash(item));
        return hash;
    case YYJSON_TYPE_OBJ:
        yyjson_obj_foreach(value, i, n, key, item)
            hash += hf_hash_word(hf_hash_bytes(yyjson_get_str(key), yyjson_get_len(key)) * 3 +
                                 hf_json_hash(item));
        return hf_hash_word(hash);
    default:
        return hash;
    }
}
