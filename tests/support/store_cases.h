/* support/store_cases.h - what every store does, whether it answers at once or later: a script of requests, limits,
 * scanning, channels and threads. */
#ifndef HAFT_TESTS_STORE_CASES_H
#define HAFT_TESTS_STORE_CASES_H

#include <haft/store.h>

#define S(text)                                                                                    \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }

/* Operations, as initializers. */
#define GET(k)                                                                                     \
    {                                                                                              \
        .kind = HAFT_STORE_GET, .key = S(k)                                                        \
    }
#define PUT(k, v)                                                                                  \
    {                                                                                              \
        .kind = HAFT_STORE_PUT, .key = S(k), .value = S(v)                                         \
    }
#define PUT_IF(k, v, n)                                                                            \
    {                                                                                              \
        .kind = HAFT_STORE_PUT, .key = S(k), .value = S(v), .if_version = true, .version = (n)     \
    }
#define PUT_FOR(k, v, ms)                                                                          \
    {                                                                                              \
        .kind = HAFT_STORE_PUT, .key = S(k), .value = S(v), .expires_ms = (ms)                     \
    }
#define DELETE(k)                                                                                  \
    {                                                                                              \
        .kind = HAFT_STORE_DELETE, .key = S(k)                                                     \
    }
#define DELETE_IF(k, n)                                                                            \
    {                                                                                              \
        .kind = HAFT_STORE_DELETE, .key = S(k), .if_version = true, .version = (n)                 \
    }
#define EXPIRE(k, ms)                                                                              \
    {                                                                                              \
        .kind = HAFT_STORE_EXPIRE, .key = S(k), .expires_ms = (ms)                                 \
    }
#define TAKE(k, n, ms)                                                                             \
    {                                                                                              \
        .kind = HAFT_STORE_TAKE, .key = S(k), .rate = {(n), (ms) }                                 \
    }
#define APPEND(k, v)                                                                               \
    {                                                                                              \
        .kind = HAFT_STORE_APPEND, .key = S(k), .value = S(v), .max_records = 3, .max_bytes = 10   \
    }
#define RANGE(k, n)                                                                                \
    {                                                                                              \
        .kind = HAFT_STORE_RANGE, .key = S(k), .after = (n)                                        \
    }

/* As haft_store_submit and haft_store_scan_step, but waits for the answer, and returns 0 or the error of the
 * request. */
int store_submit(haft_store *store, haft_store_request *request);
int store_scan(haft_store *store, haft_store_scan *scan);

/* A value of `size` bytes under the key "k": writes it, and asks whether it is there. */
int store_put(haft_store *store, const char *space, const char *group, size_t size, int64_t now,
              int64_t expires_ms);
bool store_has(haft_store *store, const char *space, const char *group, int64_t now);

/* The script. The store is empty. */
void store_case_script(haft_store *store);

/* Makes an empty store. */
typedef haft_store *store_maker(const haft_store_space *spaces, size_t n_spaces);
void store_case_limits(store_maker *make);
void store_case_scan(store_maker *make);
void store_case_channels(store_maker *make);
void store_case_threads(store_maker *make, int tries);
/* What just fits, what just does not, and what is left behind. */
void store_case_edges(store_maker *make);

#endif
