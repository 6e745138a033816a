/* The store on SQLite as programs get it: from the shared object, which libhaft opens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <haft/sqlite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/store_cases.h"
#include "support/test.h"

static void is_opened_on_first_use(void **state)
{
    char file[64] = "/tmp/haft-part-XXXXXX";
    haft_reason reason = {0};
    haft_store *store;
    void *symbol;

    (void)state;
    assert_null(dlsym(RTLD_DEFAULT, "sqlite3_open_v2")); /* this program has nothing of it */
    assert_non_null(mkdtemp(file));
    snprintf(file + strlen(file), sizeof file - strlen(file), "/s.db");
    store = haft_sqlite_store_new(file, NULL, &reason);
    if (!store)
        fail_msg("%s: %s", reason.path, reason.text);
    assert_int_equal(store_put(store, "s", "g", 10, 1, 0), 0);
    haft_store_free(store);
    store = haft_sqlite_store_new(file, NULL, &reason);
    assert_non_null(store);
    assert_true(store_has(store, "s", "g", 1));
    haft_store_free(store);
    symbol = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(symbol);
    dlclose(symbol);
    unlink(file);
    *strrchr(file, '/') = '\0';
    assert_int_equal(rmdir(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_opened_on_first_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
