/* haft/option.h - options and operands of a program's own, next to those that every server has.
 *
 *     HAFT_OPTION_STRUCT(reader,
 *         HAFT_OPTION_PATH(root, "--root", "directory to read from", .takes = "DIR", .initial = "."),
 *         HAFT_OPTION_SIZE(limit, "--limit", "maximum size of a file", .initial = "1MiB"),
 *         HAFT_OPTION_SECRET(token, NULL, "access token", .variable = "READER_TOKEN"));
 *
 *     int main(int argc, char **argv)
 *     {
 *         static reader options;
 *         haft_server *server = haft_server_new("reader", "1.0.0");
 *
 *         haft_options_add(server, &reader_table, &options);
 *         return haft_main(server, argc, argv);
 *     }
 *
 * declares `reader` with the members `const char *root`, `int64_t limit` and `const char *token`, and
 * the constant `reader_table`.  haft_main fills in the struct before it serves.  A value comes from
 * the command line, else from the environment variable, else from the section "options" of the
 * configuration file (--config), else from `initial`.  haft checks the values and reports what is
 * wrong with them in the same way as for its own options; `--help` and `--print-config` show them.
 *
 * The values are read once.  If the file changes, haft logs at SIGHUP that a restart is required;
 * haft_section is for what can change while the server runs. */
#ifndef HAFT_OPTION_H
#define HAFT_OPTION_H

#include <haft/declare.h>
#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of options. */
typedef enum haft_option_kind {
    HAFT_OPTION_KIND_FLAG,     /* HAFT_OPTION_FLAG */
    HAFT_OPTION_KIND_INTEGER,  /* HAFT_OPTION_INTEGER */
    HAFT_OPTION_KIND_NUMBER,   /* HAFT_OPTION_NUMBER */
    HAFT_OPTION_KIND_DURATION, /* HAFT_OPTION_DURATION */
    HAFT_OPTION_KIND_SIZE,     /* HAFT_OPTION_SIZE */
    HAFT_OPTION_KIND_ENUM,     /* HAFT_OPTION_ENUM */
    HAFT_OPTION_KIND_STRING,   /* HAFT_OPTION_STRING */
    HAFT_OPTION_KIND_PATH,     /* HAFT_OPTION_PATH */
    HAFT_OPTION_KIND_ADDRESS,  /* HAFT_OPTION_ADDRESS */
    HAFT_OPTION_KIND_SECRET,   /* HAFT_OPTION_SECRET */
    HAFT_OPTION_KIND_LIST      /* HAFT_OPTION_LIST */
} haft_option_kind;

/* An option or an operand; HAFT_OPTION_STRUCT makes them. */
typedef struct haft_option {
    size_t struct_size;    /* set by HAFT_OPTION_STRUCT */
    haft_option_kind kind; /* kind of value */
    size_t offset;         /* offset of the member in the program's struct */
    const haft_type *type; /* type of an enum (HAFT_ENUMERATION or HAFT_ENUM_NAMES) */
    /* "--root" for an option, in lower case; "FILE" for an operand, in upper case; NULL for an option
     * that only its variable sets.  The key of "--dry-run" in the configuration file is
     * "dry_run". */
    const char *name;
    const char *help;     /* description for --help */
    const char *takes;    /* what --help calls the value, such as "DIR"; NULL: as for its kind */
    const char *variable; /* environment variable; NULL for none.  HAFT_* belongs to haft */
    const char *initial;  /* default as a user would write it; NULL: the member is left unchanged */
    /* Bounds of a number, in milliseconds or bytes for durations and sizes, exact up to 2^53.  Both 0:
     * none.  A max of 0 with a min above 0: no maximum. */
    double min, max;
    bool required; /* it is an error if no value is given */
} haft_option;

/* The options of a program; HAFT_OPTION_STRUCT makes it. */
typedef struct haft_option_table {
    size_t struct_size;         /* set by HAFT_OPTION_STRUCT */
    size_t size;                /* sizeof of the program's struct */
    const haft_option *options; /* options, and operands in their order; at most 64 */
    size_t n_options;           /* number of options */
    int version;                /* HAFT_VERSION_NUMBER of the headers */
} haft_option_table;

/* Declares a struct and its options: typedef struct T { ... } T; and the constant T_table.  C alone;
 * in C++, haft::server::option. */
#define HAFT_OPTION_STRUCT(T, ...)                                                                 \
    HAFT_OPTION_C_ALONE_                                                                           \
    HAFT_EACH_(HAFT_LISTED_, T, __VA_ARGS__)                                                       \
    typedef struct T {                                                                             \
        HAFT_EACH_(HAFT_OPTION_MEMBER_, T, __VA_ARGS__)                                            \
    } T;                                                                                           \
    HAFT_EACH_(HAFT_OPTION_CHECK_, T, __VA_ARGS__)                                                 \
    static const haft_option T##_options_[] = {HAFT_EACH_(HAFT_OPTION_ROW_, T, __VA_ARGS__)};      \
    HAFT_MAYBE_UNUSED_ static const haft_option_table T##_table =                                  \
        HAFT_INIT(haft_option_table, .version = HAFT_VERSION_NUMBER, .size = sizeof(T),            \
                  .options = T##_options_, .n_options = sizeof T##_options_ / sizeof(haft_option))

/* Options of HAFT_OPTION_STRUCT: the member x, the name, the description, and then members of
 * haft_option as designated initializers.
 *
 *     HAFT_OPTION_FLAG(x, "--x", "...")         bool x
 *     HAFT_OPTION_INTEGER(x, "--x", "...")      int64_t x
 *     HAFT_OPTION_NUMBER(x, "--x", "...")       double x
 *     HAFT_OPTION_DURATION(x, "--x", "...")     int64_t x                  milliseconds: "30s"
 *     HAFT_OPTION_SIZE(x, "--x", "...")         int64_t x                  bytes: "64KiB"
 *     HAFT_OPTION_ENUM(x, T, "--x", "...")      T x                        T as for HAFT_ENUM
 *     HAFT_OPTION_STRING(x, "--x", "...")       const char *x              not empty; NULL if absent
 *     HAFT_OPTION_PATH(x, "--x", "...")         const char *x              file or directory
 *     HAFT_OPTION_ADDRESS(x, "--x", "...")      const char *x              as --http takes it
 *     HAFT_OPTION_SECRET(x, NULL, "...")        const char *x              needs .variable
 *     HAFT_OPTION_LIST(x, "--x", "...")         const char *const *x       ends with NULL; NULL if absent
 *
 * A list is a repeated option, a repeated operand, an array in the configuration file and
 * comma-separated in the environment.  A secret is set only by its variable V or by the variable
 * V_FILE, which names a file that contains it; --print-config and messages never show it. */
#define HAFT_OPTION_FLAG(member, ...) (FLAG, member, bool, NULL, __VA_ARGS__)
#define HAFT_OPTION_INTEGER(member, ...) (INTEGER, member, int64_t, NULL, __VA_ARGS__)
#define HAFT_OPTION_NUMBER(member, ...) (NUMBER, member, double, NULL, __VA_ARGS__)
#define HAFT_OPTION_DURATION(member, ...) (DURATION, member, int64_t, NULL, __VA_ARGS__)
#define HAFT_OPTION_SIZE(member, ...) (SIZE, member, int64_t, NULL, __VA_ARGS__)
#define HAFT_OPTION_ENUM(member, T, ...) (ENUM, member, T, &T##_type, __VA_ARGS__)
#define HAFT_OPTION_STRING(member, ...) (STRING, member, const char *, NULL, __VA_ARGS__)
#define HAFT_OPTION_PATH(member, ...) (PATH, member, const char *, NULL, __VA_ARGS__)
#define HAFT_OPTION_ADDRESS(member, ...) (ADDRESS, member, const char *, NULL, __VA_ARGS__)
#define HAFT_OPTION_SECRET(member, ...) (SECRET, member, const char *, NULL, __VA_ARGS__)
#define HAFT_OPTION_LIST(member, ...) (LIST, member, const char *const *, NULL, __VA_ARGS__)

/* Adds the options of the program, before haft_main, which fills in *values before it serves.  The
 * table and *values must outlive the server, and so does what the values point to.  A server has one
 * table.
 *
 * Returns 0 or an error: HAFT_EINVAL if a row of the table is invalid, HAFT_EEXISTS if the server has
 * a table or haft has an option of that name, HAFT_ENOMEM.  haft_main then reports the error and
 * serves nothing.  An option that haft gets in a later version does not clash: the program's option
 * keeps its name until the program is compiled with that version. */
int haft_options_add(haft_server *server, const haft_option_table *table, void *values);

/* Fills in the values of haft_options_add now, for a program whose tools depend on them.
 *
 * Returns 0; 1 if the command line only asks for the help or the version; or an error, with the
 * reason in haft_server_error.  Call haft_main with the same arguments in each case: it prints the
 * help, or reports everything that is wrong, and returns the exit status. */
int haft_options_read(haft_server *server, int argc, char **argv);

/* Returns the values of haft_options_add of the server that the call is for; NULL if it has none.
 * They do not change while the server serves.  May be called from any thread. */
const void *haft_call_options(const haft_call *call);

#ifdef __cplusplus
}
#endif

/* ---- behind the macros ---- */

#if defined __cplusplus
#define HAFT_OPTION_C_ALONE_                                                                       \
    static_assert(false, "for C alone: in C++, call haft::server::option, of haft.hpp");
#else
#define HAFT_OPTION_C_ALONE_
#endif

#define HAFT_OPTION_MEMBER_(T, tuple) HAFT_OPTION_MEMBER2_ tuple
#define HAFT_OPTION_MEMBER2_(kind, member, type, ...) type member;
#define HAFT_OPTION_CHECK_(T, tuple) HAFT_OPTION_CHECK2_(T, HAFT_STRIP_ tuple)
#define HAFT_OPTION_CHECK2_(...) HAFT_OPTION_CHECK3_(__VA_ARGS__)
#define HAFT_OPTION_CHECK3_(T, kind, member, type, enumeration, ...)                               \
    HAFT_DESCRIBED_(#T "." #member, __VA_ARGS__, , 0)
#define HAFT_OPTION_ROW_(T, tuple) HAFT_OPTION_ROW2_(T, HAFT_STRIP_ tuple)
#define HAFT_OPTION_ROW2_(...) HAFT_OPTION_ROW3_(__VA_ARGS__)
#define HAFT_OPTION_ROW3_(T, kind_, member, ctype, enumeration, name_, ...)                        \
    HAFT_INIT(haft_option, .kind = HAFT_OPTION_KIND_##kind_, .offset = offsetof(T, member),        \
              .type = enumeration, .name = name_, .help = __VA_ARGS__),

#endif
