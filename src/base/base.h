/* base/base.h - the internal interface of base. */
#ifndef HAFT_SRC_BASE_H
#define HAFT_SRC_BASE_H

#include <haft/base.h>
#include <string.h>

/* Marks rarely executed functions, so that they do not share cache lines with the fast path. */
#if defined __GNUC__
#define COLD __attribute__((noinline, cold))
#define APART __attribute__((noinline))
#else
#define COLD
#define APART
#endif

/* With -Os the compiler decides about inlining. */
#if defined __GNUC__ && !defined __OPTIMIZE_SIZE__
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

/* Marks buffers that are always written before they are read, so that compilers which initialize
 * automatic variables skip them. */
#if defined __has_attribute
#if __has_attribute(uninitialized)
#define UNSET __attribute__((uninitialized))
#endif
#endif
#if !defined UNSET
#define UNSET
#endif

/* A string slice; it does not own its text. */
struct text {
    const char *data;
    size_t size;
};

/* Returns the allocator, or the default one if it is NULL. */
const haft_allocator *hf_allocator_or_default(const haft_allocator *allocator);

/* Whether the status is 0 or one of HAFT_ERRORS. */
bool hf_status_is_known(int status);

/* Fills in *error, if it is not NULL, and returns `code`. */
int hf_error_set(haft_reason *error, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);
int hf_error_vset(haft_reason *error, int code, const char *path, const char *format, va_list args)
    HAFT_PRINTF_(4, 0);

/* Empties the buffer and keeps at most `keep` bytes of its memory. */
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

/* Recognizes U+0085, U+2028 and U+2029, which JSON allows unescaped but some readers treat as line
 * ends. Returns the size of the character and sets *ret_escape to its JSON escape; returns 0 for
 * other characters. */
size_t hf_line_end_found(const char *text, const char **ret_escape);
static inline size_t line_end_size(const char *text, const char **ret_escape)
{
    return *text == '\xC2' || *text == '\xE2' ? hf_line_end_found(text, ret_escape) : 0;
}

/* The number of bytes that haft_buffer_json_string appends for the text, which must be valid UTF-8:
 * at most JSON_ESCAPED for each byte. */
enum { JSON_ESCAPED = 6 };
size_t hf_json_string_size(const char *text, size_t size);

/* Appends a string literal; its size is a compile-time constant. */
#define buffer_literal(buffer, text) buffer_add(buffer, text, sizeof text - 1)

/* A position in an arena. Rewinding to it frees everything allocated after it. */
typedef struct arena_mark {
    void *block;
    size_t used, total;
} arena_mark;

arena_mark hf_arena_save(const haft_arena *arena);
void hf_arena_rewind(haft_arena *arena, arena_mark mark);

/* Resets the arena and keeps at most `keep` bytes of its memory. */
void hf_arena_trim(haft_arena *arena, size_t keep);
/* Total size of the arena's blocks, used or not. */
size_t hf_arena_held(const haft_arena *arena);

/* Resizes the latest allocation in place if possible; otherwise moves it. */
void *hf_arena_resize(haft_arena *arena, void *memory, size_t old_size, size_t size);

const haft_allocator *hf_arena_allocator(const haft_arena *arena);

/* Prints the number as JavaScript does ("1e+21", "0.1", "-5"), with a NUL. */
enum { NUMBER_TEXT = 32 };
size_t hf_number_to_text(double value, char ret_text[NUMBER_TEXT]);
size_t hf_integer_to_text(int64_t value, char ret_text[NUMBER_TEXT]);

/* Appends bytes in base64url without padding (RFC 4648, section 5). */
void hf_base64url_put(haft_buffer *buffer, const void *bytes, size_t size);

/* Decodes base64url into ret_bytes, which must have room for BASE64URL_BYTES(size). Padding, white
 * space and non-canonical encodings are errors. Returns 0 or HAFT_EINVAL. */
#define BASE64URL_BYTES(size) ((size) / 4 * 3 + (size) % 4)
int hf_base64url_decode(const char *text, size_t size, void *ret_bytes, size_t *ret_size);
/* Whether all characters are of base64url; true for none. */
bool hf_base64url_is_all(const char *text, size_t size);

/* Converts a float to the double that has the same shortest decimal form: 0.1f to 0.1, not to
 * 0.10000000149011612. */
double hf_float_to_number(float value);

/* Prints sixteen hexadecimal digits, without a NUL. */
enum { HEX_TEXT = 16 };
void hf_hex_to_text(uint64_t value, char ret_text[HEX_TEXT]);

/* 2^53: up to it every integer is representable as a double, and above it every double is an
 * integer. */
#define WHOLE_BELOW 9007199254740992.0

/* The integer part. (trunc() and the like would require linking libm.) */
static inline double number_whole(double value)
{
    return value > -WHOLE_BELOW && value < WHOLE_BELOW ? (double)(int64_t)value : value;
}

/* The exact absolute value of a number: digits * 10^exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* Converts a double to a decimal: its integer value if that fits 64 bits, else the shortest decimal
 * that reads back as the same double. Returns false if the value is infinite or NaN. */
bool hf_number_to_decimal(double value, struct decimal *ret_decimal);

/* Whether `value` is an integer multiple of `of`; false if `of` is 0. */
bool hf_decimal_is_multiple(struct decimal value, struct decimal of);

/* Formats milliseconds since 1970 as "2026-11-15T05:25:27.042Z". Returns the length. */
enum { TIME_TEXT = 32 };
size_t hf_time_to_text(int64_t ms, char ret_text[TIME_TEXT]);

/* Decodes the code point at *text, which must be valid UTF-8, and advances *text. */
uint32_t hf_utf8_next(const char **text);
size_t hf_utf8_put(uint32_t code_point, char ret_text[4]);
/* The size of the UTF-8 sequence at `text`, which has `left` (at least 1) bytes; 0 if it is not
 * valid. */
size_t hf_utf8_size(const char *text, size_t left);

/* Whether the character is invisible or changes how others are displayed: a control character
 * (including tab and line ends), a line separator, a bidirectional control, a joiner, a tag. */
bool hf_character_is_hidden(uint32_t code_point);

/* Writes a character as a JSON escape (\n, \u202e, a surrogate pair). Returns the number of
 * bytes. */
enum { ESCAPE_TEXT = 12 };
size_t hf_character_escape(uint32_t code_point, char ret_text[ESCAPE_TEXT]);

/* Escapes text for a single line: hidden characters are escaped, invalid UTF-8 becomes U+FFFD, and
 * with `json` the result is also valid inside a JSON string. Returns the number of bytes written,
 * without a NUL; *ret_cut is set if the text did not fit. */
size_t hf_text_escape(const char *text, size_t size, bool json, char *ret_text, size_t room,
                      bool *ret_cut);

/* Up to eight bytes as a word; distinct for distinct bytes of the same size. */
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

/* A word with this value in each byte. */
#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Whether one of eight bytes is a quote, a backslash or a control character, that is, cannot be
 * copied into a JSON string as it is. */
static inline bool word_ends_plain(uint64_t word)
{
    uint64_t quote = word ^ EACH_BYTE('"'), slash = word ^ EACH_BYTE('\\');

    /* The high bit of a byte is set in one of these terms if the byte is such a character. */
    return (((word - EACH_BYTE(0x20)) & ~word) | ((quote - EACH_BYTE(1)) & ~quote) |
            ((slash - EACH_BYTE(1)) & ~slash)) &
           EACH_BYTE(0x80);
}

/* Compares bytes. Names are short, so two possibly overlapping word comparisons are usually
 * enough. */
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

/* Key of a switch that looks a name up in a table, of which no two names have both the size and the
 * first letter in common.  C has no constant expression for the first letter of a literal, so that a
 * table states it. */
#define NAME_KEY(first, size) ((size_t)(size) << 8 | (unsigned char)(first))

/* Converts an ASCII capital to lower case. */
static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Compares two strings, ignoring the case of ASCII letters. */
bool hf_text_same_ignoring_case(const char *left, const char *right);
/* The same for a string without a NUL. */
bool hf_text_is_ignoring_case(const char *text, size_t size, const char *wanted);
/* Removes spaces and tabs from both ends. */
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

/* Matches against a list of patterns: "a*,-*b" allows names that begin with a, except those that
 * end with b. The last matching pattern decides. */
bool hf_glob_list_allows(const char *list, const char *name);
/* The same for a thing with two names: the last pattern that matches either decides. */
bool hf_glob_list_allows_either(const char *list, const char *name, const char *other);

/* The number of edits (insert, delete, replace, swap neighbours) between two names; SIZE_MAX if
 * either is longer than 32 bytes. */
size_t hf_edit_distance(const char *left, const char *right);

/* Searches for the known name nearest to an unknown one, for "did you mean": offer every known
 * name, then read `name`, which is NULL if none is near. Ties go to the first. */
struct nearest {
    const char *given, *name;
    size_t edits; /* a name must be nearer than this */
};

struct nearest hf_nearest_begin(const char *given);
void hf_nearest_offer(struct nearest *search, const char *name);
/* The same for a name whose distance the caller has computed. */
void hf_nearest_offer_at(struct nearest *search, const char *name, size_t edits);

/* Writes the key that identifies an address in rate limits: "a" and the address, or "6" and the
 * first 64 bits of an IPv6 address in hexadecimal. An IPv4-mapped IPv6 address has the key of its
 * IPv4 address. NULL means unknown, whose key is "a". Returns the size without the NUL; a key
 * longer than `room`, which is at least ADDRESS_KEY, is truncated. */
enum { ADDRESS_KEY = 64 };
size_t hf_address_put_key(const char *address, char *key, size_t room);

/* A 64-bit hash of bytes, or of a word: fast for short keys, seeded per process, not
 * cryptographic. */
uint64_t hf_hash_bytes(const void *bytes, size_t size);
uint64_t hf_hash_word(uint64_t word);

#endif
