/* haft/base.h - what every other header stands on: status codes, memory, text.
 *
 * Nothing here keeps global state.  Memory comes from a haft_allocator that the
 * caller may replace; an allocation that fails is an error that comes back,
 * never an abort.  Every arena and every buffer is made with its limit. */
#ifndef HAFT_BASE_H
#define HAFT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <haft/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define HAFT_PRINTF_(text, first) __attribute__((format(printf, text, first)))
#define HAFT_MAYBE_UNUSED_ __attribute__((unused))
#else
#define HAFT_PRINTF_(text, first)
#define HAFT_MAYBE_UNUSED_
#endif

/* Structs that a program fills in may grow in later versions.  They begin with their size, as the program
 * was compiled, which these macros set:
 *
 *     static const haft_stage careful = HAFT_INIT(haft_stage, .name = "careful", .before = look);
 *     client = haft_client_new(server, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));
 *
 * HAFT_INIT is an initializer, HAFT_WITH a pointer to a struct that lives as long as the block around it (in
 * C).  What is not named is zero, and zero means the stated default.  A struct without its size is refused:
 * HAFT_EINVAL, or NULL. */
#define HAFT_INIT(type, ...)                                                                       \
    {                                                                                              \
        .struct_size = sizeof(type), __VA_ARGS__                                                   \
    }
#define HAFT_WITH(type, ...) (&(type){.struct_size = sizeof(type), __VA_ARGS__})

/* ---- what went wrong --------------------------------------------------- */

/* Functions return 0 or a count when all is well, and one of these when not. */
#define HAFT_ERRORS(X)                                                                             \
    X(HAFT_EFAIL, -1, "it failed") /* for handlers: of no particular kind */                       \
    X(HAFT_EINVAL, -2, "the argument is not valid")                                                \
    X(HAFT_EPARSE, -3, "the text is not valid JSON")                                               \
    X(HAFT_EUTF8, -4, "the text is not valid UTF-8")                                               \
    X(HAFT_ETOOBIG, -5, "the size is over its limit")                                              \
    X(HAFT_EDEPTH, -6, "the nesting is over its limit")                                            \
    X(HAFT_ESCHEMA, -7, "the schema is not valid")                                                 \
    X(HAFT_EDIALECT, -8, "the schema's dialect is not known")                                      \
    X(HAFT_EREF, -9, "a reference cannot be resolved")                                             \
    X(HAFT_EPATTERN, -10, "a pattern does not compile")                                            \
    X(HAFT_EISSUES, -11, "the value does not fit its schema")                                      \
    X(HAFT_ESTEPS, -12, "the work is over its limit")                                              \
    X(HAFT_EEXISTS, -13, "the name is taken")                                                      \
    X(HAFT_ENOTFOUND, -14, "not found")                                                            \
    X(HAFT_EBUSY, -15, "too much is being done already")                                           \
    X(HAFT_ECAPABILITY, -16, "the client has not declared the capability")                         \
    X(HAFT_ECLOSED, -17, "the connection is closed")                                               \
    X(HAFT_ECRASHED, -18, "the tool's process ended before it answered")                           \
    X(HAFT_ENOMEM, -19, "out of memory")

enum haft_status {
    HAFT_OK = 0,
#define HAFT_ERROR_(name, value, text) name = value,
    HAFT_ERRORS(HAFT_ERROR_)
#undef HAFT_ERROR_
};

/* The sentence of a status; "unknown error" for a number that is none. */
const char *haft_strerror(int status);

/* Why something was refused, filled in by the function that refuses it and owned by the caller.
 * `path` says where ("properties.age", "#/$defs/a"), "" when the whole is; `text` says what. */
typedef struct haft_reason {
    int code;
    char path[128];
    char text[256];
} haft_reason;

/* ---- memory -------------------------------------------------------------- */

/* Where memory comes from.  `resize` is given the old size and may get memory == NULL; `release`
 * gets NULL never.  NULL in place of a haft_allocator means malloc, realloc and free. */
typedef struct haft_allocator {
    void *(*alloc)(void *context, size_t size);
    void *(*resize)(void *context, void *memory, size_t old_size, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} haft_allocator;

/* Memory of one lifetime: allocate freely, give all back at once.  Not thread safe. */
typedef struct haft_arena haft_arena;

/* An arena that never holds more than `limit` bytes; NULL without memory. */
haft_arena *haft_arena_new(const haft_allocator *allocator, size_t limit);
void haft_arena_free(haft_arena *arena);

/* Forgets what was allocated and keeps the memory for the next round. */
void haft_arena_reset(haft_arena *arena);

/* `size` bytes aligned for any type, not cleared; NULL without memory or over the limit. */
void *haft_arena_alloc(haft_arena *arena, size_t size);

/* The same, cleared, for `count` things of `size`; NULL also when the product overflows. */
void *haft_arena_zalloc(haft_arena *arena, size_t count, size_t size);

/* A copy with a NUL after it. */
char *haft_arena_copy(haft_arena *arena, const char *text, size_t size);
char *haft_arena_printf(haft_arena *arena, const char *format, ...) HAFT_PRINTF_(2, 3);
char *haft_arena_vprintf(haft_arena *arena, const char *format, va_list args);

/* Bytes given out since the last reset. */
size_t haft_arena_used(const haft_arena *arena);

/* ---- text ---------------------------------------------------------------- */

/* Growing text with a limit and a sticky error: append freely, look at `status` once, at the end.
 * After a failure every append does nothing.  `data` is not NUL-terminated. */
typedef struct haft_buffer {
    char *data;
    size_t size, capacity, limit;
    int status; /* 0, HAFT_ENOMEM, HAFT_ETOOBIG, HAFT_EUTF8 or HAFT_EDEPTH */
    const haft_allocator *allocator;
} haft_buffer;

void haft_buffer_init(haft_buffer *buffer, const haft_allocator *allocator, size_t limit);
void haft_buffer_finish(haft_buffer *buffer);

/* Empties it, keeps its memory, forgets its error. */
void haft_buffer_clear(haft_buffer *buffer);

void haft_buffer_add(haft_buffer *buffer, const void *bytes, size_t size);
void haft_buffer_puts(haft_buffer *buffer, const char *text);
void haft_buffer_printf(haft_buffer *buffer, const char *format, ...) HAFT_PRINTF_(2, 3);

/* JSON tokens.  A string is quoted and escaped; one that is not UTF-8 fails the buffer.  A number
 * is the shortest that reads back the same, whatever the locale; NaN and infinities become null. */
void haft_buffer_json_string(haft_buffer *buffer, const char *text, size_t size);
void haft_buffer_json_integer(haft_buffer *buffer, int64_t value);
void haft_buffer_json_number(haft_buffer *buffer, double value);

/* ---- encodings ----------------------------------------------------------- */

/* Bytes of the valid UTF-8 at the front of `text`: `size` when all of it is. */
size_t haft_utf8_valid(const char *text, size_t size);

/* Code points in valid UTF-8. */
size_t haft_utf8_length(const char *text, size_t size);

/* RFC 4648, strict: padding required and canonical, no white space. */
#define HAFT_BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4)
size_t haft_base64_encode(const void *bytes, size_t size, char *ret_text);

/* Decodes into `ret_bytes` (room for size / 4 * 3) and sets *ret_size; HAFT_EINVAL when it is not
 * base64. */
int haft_base64_decode(const char *text, size_t size, void *ret_bytes, size_t *ret_size);

#ifdef __cplusplus
}
#endif
#endif
