/* Files that the store on SQLite opens or refuses, with the reason; files that are locked, read-only or damaged. */
#include <pthread.h>

#include "part/sqlite.h"
#include "store/sqlite/file.h"
#include "store/sqlite_case.h"

/* ---- refused ---- */

static void make_text(void)
{
    FILE *file = fopen(sqlite_path("f.db"), "w");

    for (int i = 0; i < 1000; i++)
        fputs("this is not a database\n", file);
    fclose(file);
    chmod(sqlite_path("f.db"), 0600);
}

static void make_readable(void)
{
    haft_store_free(sqlite_open("f.db"));
    chmod(sqlite_path("f.db"), 0640);
}

static void make_other_program(void)
{
    sqlite_run("f.db", "CREATE TABLE t (a); PRAGMA application_id = 77");
}

static void make_other_tables(void)
{
    sqlite_run("f.db", "CREATE TABLE t (a)");
}

static void make_newer(void)
{
    haft_store_free(sqlite_open("f.db"));
    sqlite_run("f.db", "PRAGMA user_version = 2");
}

static void make_wrong_tables(void)
{
    haft_store_free(sqlite_open("f.db"));
    sqlite_run("f.db", "DROP TABLE record");
}

static void make_without_state(void)
{
    haft_store_free(sqlite_open("f.db"));
    sqlite_run("f.db", "DELETE FROM state");
}

static void make_directory(void)
{
    mkdir(sqlite_path("f.db"), 0700);
}

static void make_damaged(void)
{
    haft_store *store = sqlite_open("f.db");
    char group[32], junk[4096];
    int fd;

    for (int i = 0; i < 200; i++) {
        snprintf(group, sizeof group, "g%d", i);
        assert_int_equal(store_put(store, "s", group, 500, 1000, 0), 0);
    }
    haft_store_free(store);
    memset(junk, 0x5a, sizeof junk);
    fd = open(sqlite_path("f.db"), O_WRONLY | O_CLOEXEC);
    for (int page = 2; page < 12; page++)
        assert_int_equal(pwrite(fd, junk, sizeof junk, page * 4096L), (ssize_t)sizeof junk);
    close(fd);
}

static void refuses_files(void **state)
{
    static const struct {
        void (*make)(void);
        int code;
        const char *text;
    } rows[] = {
        {make_text, HAFT_EINVAL, "not a SQLite database"},
        {make_readable, HAFT_EDENIED,
         "other users can access the file (mode 0640); run: chmod 600"},
        {make_other_program, HAFT_EINVAL, "a database of another program (application_id 77)"},
        {make_other_tables, HAFT_EINVAL, "a database of another program"},
        {make_newer, HAFT_EINVAL, "version 2 of the store's format; this haft supports version 1"},
        {make_wrong_tables, HAFT_EINVAL, "its tables are not those of a store"},
        {make_without_state, HAFT_EFAIL, "the file is damaged"},
        {make_directory, HAFT_EINVAL, "it is not a regular file"},
        {make_damaged, HAFT_EFAIL, "the file is damaged; restore it from a backup"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};

        sqlite_empty();
        rows[i].make();
        assert_null(haft_sqlite_store_new(sqlite_path("f.db"), NULL, &reason));
        if (!strstr(reason.text, rows[i].text) || reason.code != rows[i].code)
            fail_msg("row %zu: %d %s", i, reason.code, reason.text);
        rmdir(sqlite_path("f.db"));
    }
    /* the files of other programs are unchanged */
    sqlite_empty();
    make_other_tables();
    haft_sqlite_store_new(sqlite_path("f.db"), NULL, NULL);
    assert_int_equal(access(sqlite_path("f.db-wal"), F_OK), -1);
}

static void refuses_names(void **state)
{
    haft_sqlite_options unsized = {.max_queue = 3};
    haft_reason reason = {0};
    char *name = malloc(5000);

    (void)state;
    assert_null(haft_sqlite_store_new(NULL, NULL, &reason));
    assert_int_equal(reason.code, HAFT_EINVAL);
    assert_null(haft_sqlite_store_new("", NULL, &reason));
    assert_null(haft_sqlite_store_new("/nowhere/at/all.db", NULL, &reason));
    assert_int_equal(reason.code, HAFT_ENOTFOUND);
    assert_string_equal(reason.path, "/nowhere/at/all.db");
    assert_non_null(strstr(reason.text, "cannot be created"));
    assert_null(haft_sqlite_store_new(sqlite_path("f.db"), &unsized, &reason));
    assert_int_equal(reason.code, HAFT_EINVAL);
    memset(name, 'a', 5000);
    name[4999] = '\0';
    assert_null(haft_sqlite_store_new(name, NULL, &reason));
    assert_int_equal(reason.code, HAFT_EINVAL);
    assert_null(hf_sqlite_open("/nowhere/x", NULL, "--tasks", &reason));
    assert_string_equal(reason.path, "--tasks");
    free(name);
}

/* A name is that of a file, whatever it looks like to SQLite. */
static void names_mean_files(void **state)
{
    static const char *const names[] = {":memory:", "file:x.db?mode=memory", "-", "a b"};
    char before[1024];

    (void)state;
    sqlite_empty();
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(sqlite_dir), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        haft_store *store = haft_sqlite_store_new(names[i], NULL, NULL);

        assert_non_null(store);
        haft_store_free(store);
        assert_int_equal(access(names[i], F_OK), 0);
    }
    assert_int_equal(chdir(before), 0);
}

static void knows_network_file_systems(void **state)
{
    (void)state;
    assert_string_equal(hf_file_network(0x6969), "NFS");
    assert_string_equal(hf_file_network(0xff534d42), "CIFS");
    assert_string_equal(hf_file_network((unsigned long)(int)0xff534d42), "CIFS");
    assert_null(hf_file_network(0xef53));     /* ext4 */
    assert_null(hf_file_network(0x01021994)); /* tmpfs */
}

/* ---- locked by another program ---- */

static sqlite3 *lock_file(void)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(sqlite_path("store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void locks_are_waited_for(void **state)
{
    haft_store *store;
    haft_store_op put = PUT("k", "v"), get = GET("k");
    haft_reason reason = {0};
    sqlite3 *db;

    (void)state;
    sqlite_empty();
    store = sqlite_open("store.db");
    assert_int_equal(sqlite_one(store, "g", 1, &put, false, NULL), 1);
    db = lock_file();
    assert_int_equal(sqlite_one(store, "g", 1, &put, true, NULL), HAFT_EBUSY);
    assert_int_equal(sqlite_one(store, "g", 1, &put, true, NULL), HAFT_EBUSY);
    assert_int_equal(sqlite_one(store, "g", 1, &get, false, NULL), 1); /* reading goes on */
    /* one line, with a hint */
    assert_non_null(strstr(sqlite_lines, "another process has locked the file for too long; look"));
    assert_ptr_equal(strchr(sqlite_lines, '\n') + 1, sqlite_lines + strlen(sqlite_lines));
    assert_null(haft_sqlite_store_new(
        sqlite_path("store.db"), HAFT_WITH(haft_sqlite_options, .busy_timeout_ms = 100), &reason));
    assert_int_equal(reason.code, HAFT_EBUSY);
    assert_non_null(strstr(reason.text, "locked"));
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(sqlite_one(store, "g", 1, &put, true, NULL), 1);
    assert_non_null(strstr(sqlite_lines, "requests succeed again"));
    haft_store_free(store);
}

static void on_nothing(haft_store_request *request)
{
    (void)request;
}

/* A store that is freed while the file is locked answers everything, and does not wait for each. */
static void ends_while_locked(void **state)
{
    enum { REQUESTS = 900 };
    static haft_store_op ops[REQUESTS];
    static haft_store_request requests[REQUESTS];
    haft_store *store;
    int64_t before;
    sqlite3 *db;

    (void)state;
    sqlite_empty();
    store = sqlite_open("store.db");
    db = lock_file();
    for (int i = 0; i < REQUESTS; i++) {
        ops[i] = (haft_store_op)PUT("k", "v");
        requests[i] = (haft_store_request){
            .space = "s", .group = S("g"), .ops = &ops[i], .n_ops = 1, .done = on_nothing};
        assert_int_equal(haft_store_submit(store, &requests[i]), HAFT_PENDING);
    }
    before = hf_db_time();
    haft_store_free(store);
    assert_true(hf_db_time() - before < 3000);
    for (int i = 0; i < REQUESTS; i++)
        assert_true(requests[i].status == HAFT_EBUSY || requests[i].status == HAFT_ECLOSED);
    sqlite3_close(db);
}

/* ---- damaged while it is open ---- */

static void survives_damage(void **state)
{
    haft_store *store;
    haft_store_op put = PUT("k", "v");
    int status = 1;

    (void)state;
    sqlite_empty();
    store = sqlite_open("store.db");
    assert_int_equal(sqlite_one(store, "g", 1, &put, false, NULL), 1);
    sqlite_run("store.db", "PRAGMA writable_schema = ON; DELETE FROM state");
    for (int i = 0; i < 3 && status == 1; i++)
        status = sqlite_one(store, "g", 1, &put, false, NULL);
    assert_int_equal(status, HAFT_EFAIL);
    assert_non_null(strstr(sqlite_lines, "the file is damaged; restore it from a backup"));
    sqlite_run("store.db", "INSERT INTO state VALUES (1, 0, 0)");
    assert_int_equal(sqlite_one(store, "g", 1, &put, false, NULL), 1);
    haft_store_free(store);
}

/* ---- directories that cannot be written to; not for root, who may do everything ---- */

static void needs_a_writable_directory(void **state)
{
    haft_reason reason = {0};
    bool root = !geteuid();

    (void)state;
    sqlite_empty();
    haft_store_free(sqlite_open("store.db"));
    if (root && seteuid(65534))
        return;
    if (root) { /* another user's file, and then one's own in another's directory */
        assert_null(haft_sqlite_store_new(sqlite_path("store.db"), NULL, &reason));
        assert_int_equal(reason.code, HAFT_EDENIED);
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(chown(sqlite_path("store.db"), 65534, 65534), 0);
        assert_int_equal(chmod(sqlite_dir, 0755), 0);
        assert_int_equal(seteuid(65534), 0);
    } else {
        assert_int_equal(chmod(sqlite_dir, 0500), 0);
    }
    assert_null(haft_sqlite_store_new(sqlite_path("store.db"), NULL, &reason));
    assert_int_equal(reason.code, HAFT_EDENIED);
    assert_non_null(strstr(reason.text, "check the permissions of"));
    assert_null(haft_sqlite_store_new(sqlite_path("new.db"), NULL, &reason));
    assert_int_equal(reason.code, HAFT_EDENIED);
    if (root)
        assert_int_equal(seteuid(0), 0);
    chmod(sqlite_dir, 0700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_files),        cmocka_unit_test(refuses_names),
        cmocka_unit_test(names_mean_files),     cmocka_unit_test(knows_network_file_systems),
        cmocka_unit_test(locks_are_waited_for), cmocka_unit_test(ends_while_locked),
        cmocka_unit_test(survives_damage),      cmocka_unit_test(needs_a_writable_directory),
    };

    return cmocka_run_group_tests(tests, sqlite_set_up, sqlite_tear_down);
}
