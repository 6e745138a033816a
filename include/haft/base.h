/* haft/base.h - status codes, memory, text and encodings, which every other header uses.
 *
 * The functions keep no global state.  Memory comes from a haft_allocator that the caller may
 * replace.  An allocation that fails is an error that the function returns; the library never
 * aborts.  Every arena and every buffer is created with its limit.
 *
 * Unless a comment says otherwise, a function may be called from any thread, but not from two
 * threads at once on the same object. */
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

/* Initialize a struct that may grow in later versions.  Such a struct begins with its size as the
 * program was compiled, which these macros set:
 *
 *     static const haft_stage careful = HAFT_INIT(haft_stage, .name = "careful", .before = look);
 *     client = haft_client_new(server, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));
 *
 * HAFT_INIT is an initializer.  HAFT_WITH is a pointer to a struct that lives until the end of the
 * enclosing block (in C).  Members that are not named are zero, and zero means the default in the
 * member's description.  A function that takes options copies the struct; what the struct points to
 * must live as long as the object that it is for, unless a description says otherwise.  A function
 * that gets a struct without its size fails with HAFT_EINVAL, or returns NULL. */
#define HAFT_INIT(type, ...)                                                                       \
    {                                                                                              \
        .struct_size = sizeof(type), __VA_ARGS__                                                   \
    }
#define HAFT_WITH(type, ...) (&(type){.struct_size = sizeof(type), __VA_ARGS__})

/* ---- status codes --------------------------------------------------- */

/* List of the error codes, as X(name, value, text).  Functions return 0 or a count on success, and
 * one of these negative numbers on failure. */
#define HAFT_ERRORS(X)                                                                             \
    X(HAFT_EFAIL, -1, "failed")                    /* for handlers: an error of no other kind */   \
    X(HAFT_EINVAL, -2, "invalid argument")         /* also: a struct without its size */           \
    X(HAFT_EPARSE, -3, "invalid JSON")             /* syntax error or duplicate key */             \
    X(HAFT_EUTF8, -4, "invalid UTF-8")             /* invalid byte sequence */                     \
    X(HAFT_ETOOBIG, -5, "size limit exceeded")     /* of a message, document or buffer */          \
    X(HAFT_EDEPTH, -6, "nesting limit exceeded")   /* of JSON or of a schema */                    \
    X(HAFT_ESCHEMA, -7, "invalid schema")          /* a keyword or rule of a schema is wrong */    \
    X(HAFT_EDIALECT, -8, "unknown schema dialect") /* unsupported `$schema` */                     \
    X(HAFT_EREF, -9, "unresolved reference")       /* unknown `$ref` */                            \
    X(HAFT_EPATTERN, -10, "invalid pattern")       /* a regular expression with an error */        \
    X(HAFT_EISSUES, -11, "value does not match the schema") /* haft_issues has the details */      \
    X(HAFT_ESTEPS, -12, "work limit exceeded")              /* of validation or of a pattern */    \
    X(HAFT_EEXISTS, -13, "name already in use")             /* it has been added already */        \
    X(HAFT_ENOTFOUND, -14, "not found")                     /* nothing has this name or id */      \
    X(HAFT_EBUSY, -15, "busy")                              /* a queue or a pool is full */        \
    X(HAFT_ECAPABILITY, -16, "capability not declared by the client") /* cannot be asked */        \
    X(HAFT_ECLOSED, -17, "connection closed") /* the peer has ended the connection */              \
    X(HAFT_ECRASHED, -18, "tool process exited before it answered") /* isolated tools */           \
    X(HAFT_ENOMEM, -19, "out of memory") /* an allocation failed, or an arena is full */           \
    X(HAFT_ETIMEOUT, -20, "timed out")   /* of a client's request */                               \
    X(HAFT_ECANCELLED, -21, "cancelled") /* of a client's request */                               \
    X(HAFT_EPROTOCOL, -22, "invalid answer of the server") /* not as the protocol requires */      \
    X(HAFT_EDENIED, -23, "access denied") /* credentials are missing, invalid or not sufficient */

/* Status codes: HAFT_OK and the codes of HAFT_ERRORS. */
enum haft_status {
    HAFT_OK = 0, /* success */
#define HAFT_ERROR_(name, value, text) name = value,
    HAFT_ERRORS(HAFT_ERROR_)
#undef HAFT_ERROR_
};

/* Returns the text of a status code, a constant; "unknown error" for any other number. */
const char *haft_strerror(int status);

/* Why a function refused something.  The caller provides the struct, and the function fills it in
 * on failure. */
typedef struct haft_reason {
    int code;       /* status code of haft_status */
    char path[128]; /* location, such as "properties.age" or "#/$defs/a"; "" for the whole */
    char text[256]; /* what is wrong, as a sentence */
} haft_reason;

/* ---- memory -------------------------------------------------------------- */

/* Source of memory.  NULL in place of a haft_allocator means malloc, realloc and free. */
typedef struct haft_allocator {
    /* Allocates size bytes, aligned for any type; returns NULL on failure. */
    void *(*alloc)(void *context, size_t size);
    /* Changes the size of an allocation and may move it. memory may be NULL, with an old size of 0.
     * Returns NULL on failure; the allocation is then unchanged. */
    void *(*resize)(void *context, void *memory, size_t old_size, size_t size);
    /* Frees an allocation of that size; memory is never NULL. */
    void (*release)(void *context, void *memory, size_t size);
    void *context; /* first argument of the functions */
} haft_allocator;

/* Memory with one lifetime: allocate freely, free everything at once.  Not thread-safe. */
typedef struct haft_arena haft_arena;

/* Creates an arena that never holds more than limit bytes, and frees it with everything in it.
 * haft_arena_new returns NULL if memory runs out. haft_arena_free accepts NULL. */
haft_arena *haft_arena_new(const haft_allocator *allocator, size_t limit);
void haft_arena_free(haft_arena *arena);

/* Discards all allocations and keeps the memory for the next ones. */
void haft_arena_reset(haft_arena *arena);

/* Allocates size bytes, aligned for any type and not cleared.  Returns NULL if memory runs out or
 * the arena's limit is reached.  The memory belongs to the arena. */
void *haft_arena_alloc(haft_arena *arena, size_t size);

/* Allocates count objects of size bytes each, cleared.  Returns NULL as haft_arena_alloc does, and
 * if the product overflows.  The memory belongs to the arena. */
void *haft_arena_zalloc(haft_arena *arena, size_t count, size_t size);

/* Copies or formats text into the arena, with a NUL at the end.  Each returns NULL if memory runs
 * out or the arena's limit is reached.  The text belongs to the arena. */
char *haft_arena_copy(haft_arena *arena, const char *text, size_t size);
char *haft_arena_printf(haft_arena *arena, const char *format, ...) HAFT_PRINTF_(2, 3);
char *haft_arena_vprintf(haft_arena *arena, const char *format, va_list args);

/* Returns the number of bytes allocated since the last reset. */
size_t haft_arena_used(const haft_arena *arena);

/* ---- text ---------------------------------------------------------------- */

/* Growing text with a limit and a sticky error: append freely, and check status once at the end.
 * After a failure every append has no effect. */
typedef struct haft_buffer {
    char *data;                   /* text, not NUL-terminated; NULL while the buffer is empty */
    size_t size, capacity, limit; /* bytes of text; bytes allocated; maximum size */
    int status; /* 0, HAFT_ENOMEM, HAFT_ETOOBIG, HAFT_EUTF8, HAFT_EDEPTH or HAFT_EINVAL */
    const haft_allocator *allocator; /* source of memory; NULL for malloc */
} haft_buffer;

/* Initializes an empty buffer with a maximum size in bytes, and releases its memory.
 * haft_buffer_init does not allocate and cannot fail.  The allocator must outlive the buffer. */
void haft_buffer_init(haft_buffer *buffer, const haft_allocator *allocator, size_t limit);
void haft_buffer_finish(haft_buffer *buffer);

/* Empties the buffer and clears its error; keeps its memory. */
void haft_buffer_clear(haft_buffer *buffer);

/* Append bytes, NUL-terminated text or formatted text.  On failure they set the buffer's status:
 * HAFT_ENOMEM, or HAFT_ETOOBIG if the text would exceed the limit. */
void haft_buffer_add(haft_buffer *buffer, const void *bytes, size_t size);
void haft_buffer_puts(haft_buffer *buffer, const char *text);
void haft_buffer_printf(haft_buffer *buffer, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Append JSON tokens.  A string is quoted and escaped; if it is not valid UTF-8, the buffer's
 * status becomes HAFT_EUTF8.  A number is the shortest text that reads back as the same value, in
 * every locale; NaN and infinities become null. */
void haft_buffer_json_string(haft_buffer *buffer, const char *text, size_t size);
void haft_buffer_json_integer(haft_buffer *buffer, int64_t value);
void haft_buffer_json_number(haft_buffer *buffer, double value);

/* ---- encodings ----------------------------------------------------------- */

/* Returns the number of bytes of valid UTF-8 at the start of the text: size if all of it is
 * valid. */
size_t haft_utf8_valid(const char *text, size_t size);

/* Returns the number of code points in valid UTF-8. */
size_t haft_utf8_length(const char *text, size_t size);

/* Encode bytes as base64 (RFC 4648, with padding).  HAFT_BASE64_SIZE is the number of characters
 * that so many bytes need. haft_base64_encode writes as many to ret_text, without a NUL, and
 * returns their number. */
#define HAFT_BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4)
size_t haft_base64_encode(const void *bytes, size_t size, char *ret_text);

/* Decodes base64 into ret_bytes, which must have room for size / 4 * 3 bytes, and sets *ret_size.
 * Padding is required; white space and non-canonical encodings are errors.  Returns 0 or
 * HAFT_EINVAL. */
int haft_base64_decode(const char *text, size_t size, void *ret_bytes, size_t *ret_size);

#ifdef __cplusplus
}
#endif
#endif
