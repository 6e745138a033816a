/* base/base.h - the parts of base that only the library sees. */
#ifndef HAFT_SRC_BASE_H
#define HAFT_SRC_BASE_H

#include <haft/base.h>
#include <string.h>

/* Keeps what seldom runs out of the way of what always does. */
#if defined __GNUC__
#define COLD __attribute__((noinline, cold))
#define APART __attribute__((noinline))
#else
#define COLD
#define APART
#endif

/* Where size is what counts, the compiler knows better. */
#if defined __GNUC__ && !defined __OPTIMIZE_SIZE__
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

/* Room that is written before it is read: compilers that clear what has no value leave it alone. */
#if defined __has_attribute
#if __has_attribute(uninitialized)
#define UNSET __attribute__((uninitialized))
#endif
#endif
#if !defined UNSET
#define UNSET
#endif

/* A piece of text that is somewhere else. */
struct text {
    const char *data;
    size_t size;
};

/* What is allocated with, never NULL. */
const haft_allocator *hf_allocator_or_default(const haft_allocator *allocator);

/* Whether it is 0 or one of HAFT_ERRORS. */
bool hf_status_is_known(int status);

/* Fills *error in, if there is one, and returns code. */
int hf_error_set(haft_reason *error, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);
int hf_error_vset(haft_reason *error, int code, const char *path, const char *format, va_list args)
    HAFT_PRINTF_(4, 0);

/* Empties it, and does not hold on to more than `keep` bytes. */
void hf_buffer_trim(haft_buffer *buffer, size_t keep);

/* Makes room for so many more bytes, which can be added then without failing; false with the buffer
 * failed. */
bool hf_buffer_reserve(haft_buffer *buffer, size_t size);

/* haft_buffer_add where it is called: when there is room, and there mostly is, a literal of the
 * library's is a store or two.  For what every call passes: used everywhere it would be 2 % more
 * code. */
static inline void buffer_add(haft_buffer *buffer, const void *bytes, size_t size)
{
    if (size && size < buffer->capacity - buffer->size && !buffer->status) {
        memcpy(buffer->data + buffer->size, bytes, size);
        buffer->size += size;
    } else {
        haft_buffer_add(buffer, bytes, size);
    }
}

/* The size of the character that begins there when it is U+0085, U+2028 or U+2029, which end a line
 * for some readers though JSON allows them bare, and how JSON writes it otherwise; else 0. */
size_t hf_line_end_found(const char *text, const char **ret_escape);
static inline size_t line_end_size(const char *text, const char **ret_escape)
{
    return *text == '\xC2' || *text == '\xE2' ? hf_line_end_found(text, ret_escape) : 0;
}

/* The bytes that haft_buffer_json_string appends for the text, which is valid UTF-8; for each of
 * its own at most so many. */
enum { JSON_ESCAPED = 6 };
size_t hf_json_string_size(const char *text, size_t size);

/* Appends a literal, whose size the compiler knows. */
#define buffer_literal(buffer, text) buffer_add(buffer, text, sizeof text - 1)

/* A place in an arena to come back to: what is allocated after it is given back by the rewind. */
typedef struct arena_mark {
    void *block;
    size_t used, total;
} arena_mark;

arena_mark hf_arena_save(const haft_arena *arena);
void hf_arena_rewind(haft_arena *arena, arena_mark mark);

/* A reset after which it does not hold on to more than `keep` bytes. */
void hf_arena_trim(haft_arena *arena, size_t keep);
/* Bytes that it has, used or not. */
size_t hf_arena_held(const haft_arena *arena);

/* Grows or shrinks the latest allocation in place when it can, else moves it. */
void *hf_arena_resize(haft_arena *arena, void *memory, size_t old_size, size_t size);

const haft_allocator *hf_arena_allocator(const haft_arena *arena);

/* The number as JavaScript prints it ("1e+21", "0.1", "-5"), with a NUL. */
enum { NUMBER_TEXT = 32 };
size_t hf_number_to_text(double value, char ret_text[NUMBER_TEXT]);
size_t hf_integer_to_text(int64_t value, char ret_text[NUMBER_TEXT]);

/* The double that the shortest decimal of a float is read as: 0.1 for 0.1f, and not 0.10000000149011612. */
double hf_float_to_number(float value);

/* Sixteen digits, without a NUL. */
enum { HEX_TEXT = 16 };
void hf_hex_to_text(uint64_t value, char ret_text[HEX_TEXT]);

/* 2 to the 53rd: below it every whole number is a double, above it every double is whole. */
#define WHOLE_BELOW 9007199254740992.0

/* What is before the point.  (The C library's own functions would bring a library of their own
 * along.) */
static inline double number_whole(double value)
{
    return value > -WHOLE_BELOW && value < WHOLE_BELOW ? (double)(int64_t)value : value;
}

/* The size of a number, exactly: its digits times ten to the exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* What a double stands for: the integer that it is, if that fits 64 bits, else the shortest decimal
 * that is read as this double.  False, without a decimal, unless it is finite. */
bool hf_number_to_decimal(double value, struct decimal *ret_decimal);

/* Whether a number is a whole multiple of another; of 0 nothing is. */
bool hf_decimal_is_multiple(struct decimal value, struct decimal of);

/* Milliseconds since 1970 as "2026-11-15T05:25:27.042Z".  Returns how long it is. */
enum { TIME_TEXT = 32 };
size_t hf_time_to_text(int64_t ms, char ret_text[TIME_TEXT]);

/* The code point at *text, which is moved past it; valid UTF-8 only. */
uint32_t hf_utf8_next(const char **text);
size_t hf_utf8_put(uint32_t code_point, char ret_text[4]);
/* Bytes of the character at `text`, of which `left` (at least 1) are there; 0 if it is not valid
 * UTF-8. */
size_t hf_utf8_size(const char *text, size_t left);

/* Whether people do not see the character, or it changes what they see of others: a control (also
 * tab and line ends), a separator of lines, a mark of direction, a joiner, a tag. */
bool hf_character_is_hidden(uint32_t code_point);

/* Writes a character as JSON escapes it (\n, \u202e, a surrogate pair); returns its bytes. */
enum { ESCAPE_TEXT = 12 };
size_t hf_character_escape(uint32_t code_point, char ret_text[ESCAPE_TEXT]);

/* Writes text as part of one line: hidden characters are escaped, bytes that are not UTF-8 become
 * U+FFFD, and with `json` it may stand in a JSON string.  Returns the bytes written, without a NUL;
 * *ret_cut says whether there was no room for the rest. */
size_t hf_text_escape(const char *text, size_t size, bool json, char *ret_text, size_t room,
                      bool *ret_cut);

/* Up to eight bytes as a word: another for others of that size. */
static inline uint64_t bytes_word(const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint32_t low, high;

    if (size < sizeof low)
        return size ? at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16 : 0;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + size - sizeof high, sizeof high);
    return low | (uint64_t)high << 32;
}

/* A word whose bytes have this in each of them. */
#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Whether one of eight bytes is a quote, a backslash or a control character, which end what stands
 * in a JSON string as it is. */
static inline bool word_ends_plain(uint64_t word)
{
    uint64_t quote = word ^ EACH_BYTE('"'), slash = word ^ EACH_BYTE('\\');

    /* A byte is one of them when its high bit is set in one of these. */
    return (((word - EACH_BYTE(0x20)) & ~word) | ((quote - EACH_BYTE(1)) & ~quote) |
            ((slash - EACH_BYTE(1)) & ~slash)) &
           EACH_BYTE(0x80);
}

/* Whether as many bytes are the same.  Names are short: two words, which may overlap, mostly tell. */
static inline bool same_bytes(const char *left, const char *right, size_t size)
{
    uint64_t l, r, l_end, r_end;

    if (size < sizeof l / 2 || size > 2 * sizeof l)
        return !memcmp(left, right, size);
    if (size <= sizeof l)
        return bytes_word(left, size) == bytes_word(right, size);
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    memcpy(&l_end, left + size - sizeof l, sizeof l);
    memcpy(&r_end, right + size - sizeof r, sizeof r);
    return !((l ^ r) | (l_end ^ r_end));
}

/* In small letters, if it is one of ASCII. */
static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether two texts are equal but for the case of ASCII letters. */
bool hf_text_same_ignoring_case(const char *left, const char *right);
/* The same for a text that has no NUL at its end. */
bool hf_text_is_ignoring_case(const char *text, size_t size, const char *wanted);
/* A text without the spaces and tabs around it. */
static inline struct text text_trim(const char *text, size_t size)
{
    for (; size && (*text == ' ' || *text == '\t'); size--)
        text++;
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    return (struct text){text, size};
}

/* Whether a name matches a pattern with `*` and `?`. */
bool hf_glob_match(const char *pattern, size_t size, const char *text);

/* The same of a list: "a*,-*b" is what begins with a but for what ends with b.  The last that
 * matches decides. */
bool hf_glob_list_allows(const char *list, const char *name);

/* Edits (insert, delete, replace, swap neighbours) that make one name of the other; SIZE_MAX when
 * either is longer than 32 bytes. */
size_t hf_edit_distance(const char *left, const char *right);

/* The search for the name that was meant by one that is not known: offer every name that is, then
 * look at `name`, which is NULL when none is near.  Of equally near ones it is the first. */
struct nearest {
    const char *given, *name;
    size_t edits; /* fewer than these is nearer */
};

struct nearest hf_nearest_begin(const char *given);
void hf_nearest_offer(struct nearest *search, const char *name);
/* The same of a name whose distance is measured in another way. */
void hf_nearest_offer_at(struct nearest *search, const char *name, size_t edits);

/* Writes the key under which the requests of an address are counted: "a" and the address, or "6" and
 * the first 64 bits of an IPv6 address in hexadecimal; an IPv4 address that is written as one of
 * IPv6 has the key of the IPv4 address.  NULL is the unknown address, "a" alone.  Returns the size
 * without the NUL; what does not fit `room`, which is at least ADDRESS_KEY, is cut. */
enum { ADDRESS_KEY = 64 };
size_t hf_address_put_key(const char *address, char *key, size_t room);

/* A 64-bit hash of bytes, or of a word: fast on short keys, another in every process, not for
 * secrets. */
uint64_t hf_hash_bytes(const void *bytes, size_t size);
uint64_t hf_hash_word(uint64_t word);

#endif
