/* file.c - opens a file. Everything that can be wrong with it is found out here, before requests. */
#include "store/sqlite/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "store/sqlite/report.h"

enum {
    FILE_MAX_PATH = 4096,
    FILE_CHECK_MS = 2000,      /* time for quick_check */
    FILE_PROGRESS_STEPS = 4000 /* of SQLite's machine, between two readings of the clock */
};

/* ---- the file system ---- */

const char *hf_file_network(unsigned long type)
{
    static const struct {
        unsigned long type;
        const char *name;
    } networks[] = {{0x6969, "NFS"},       {0x517b, "SMB"},      {0xff534d42, "CIFS"},
                    {0xfe534d42, "SMB"},   {0x5346414f, "AFS"},  {0x73757245, "Coda"},
                    {0x01021997, "9P"},    {0x00c36400, "Ceph"}, {0x47504653, "GPFS"},
                    {0x0bd00bd0, "Lustre"}};

    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (networks[i].type == (type & 0xffffffffu))
            return networks[i].name;
    return NULL;
}

static void file_sync_directory(const char *file)
{
    const char *slash = strrchr(file, '/');
    char name[FILE_MAX_PATH] = ".";
    int directory;

    if (slash)
        snprintf(name, sizeof name, "%.*s", (int)(slash - file) + 1, file);
    directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return;
    fsync(directory);
    close(directory);
}

/* SQLite would create the file with the default mode. An existing file is not opened here: closing it would
 * release the locks of another store in this process. */
static int file_create(const char *file, haft_reason *reterr_reason)
{
    int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = errno;

    if (fd < 0 && error == EEXIST)
        return 0;
    if (fd < 0)
        return hf_report_reason(reterr_reason, error == ENOENT ? HAFT_ENOTFOUND : HAFT_EDENIED,
                                "the file cannot be created: %s", strerror(error));
    close(fd);
    file_sync_directory(file);
    return 0;
}

static int file_check(const char *file, haft_reason *reterr_reason)
{
    struct stat about;
    struct statfs system;
    const char *network;

    if (stat(file, &about) || statfs(file, &system))
        return hf_report_reason(reterr_reason, HAFT_EDENIED, "the file cannot be used: %s",
                                strerror(errno));
    if (!S_ISREG(about.st_mode))
        return hf_report_reason(reterr_reason, HAFT_EINVAL, "it is not a regular file");
    if (about.st_mode & (S_IRWXG | S_IRWXO))
        return hf_report_reason(reterr_reason, HAFT_EDENIED,
                                "other users can access the file (mode %04o); run: chmod 600 FILE",
                                (unsigned)about.st_mode & 07777);
    network = hf_file_network((unsigned long)system.f_type);
    if (network)
        return hf_report_reason(reterr_reason, HAFT_EINVAL,
                                "it is in a network file system (%s), where SQLite's locks are not "
                                "reliable; use a local directory",
                                network);
    return 0;
}

/* ---- running SQL ---- */

static int file_fail(struct db *db, int error, haft_reason *reterr_reason)
{
    int code = hf_report_status(error);
    const char *detail = db->handle ? sqlite3_errmsg(db->handle) : "";

    if ((error & 0xff) == SQLITE_NOTADB)
        return hf_report_reason(reterr_reason, HAFT_EINVAL, "it is not a SQLite database");
    return hf_report_reason(reterr_reason, code, "%.150s (SQLite: %.60s)", hf_report_text(error),
                            detail);
}

/* Switching to WAL does not wait for locks, so it is repeated. */
static int file_exec(struct db *db, const char *sql, int64_t until)
{
    static const struct timespec pause = {0, 20 * 1000000};
    int status;

    for (;;) {
        status = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
        if ((status & 0xff) != SQLITE_BUSY || hf_db_time() >= until)
            return status;
        nanosleep(&pause, NULL);
    }
}

/* Reads the first column of the first row; text if ret_text is not NULL. */
static int file_ask(struct db *db, const char *sql, int64_t *ret_number, char ret_text[64])
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);

    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        const unsigned char *text = ret_text ? sqlite3_column_text(statement, 0) : NULL;

        if (ret_number)
            *ret_number = sqlite3_column_int64(statement, 0);
        if (ret_text)
            snprintf(ret_text, 64, "%s", text ? (const char *)text : "");
    }
    sqlite3_finalize(statement);
    if (status == SQLITE_DONE)
        return SQLITE_CORRUPT;
    return status == SQLITE_ROW ? SQLITE_OK : status;
}

static int file_on_progress(void *context)
{
    const struct db *db = context;

    return db->deadline != INT64_MAX && hf_db_time() > db->deadline;
}

/* ---- the schema ---- */

static const char file_schema[] =
    "CREATE TABLE state (id INTEGER PRIMARY KEY, clock INTEGER NOT NULL, message INTEGER NOT NULL);"
    "INSERT INTO state VALUES (1, 0, 0);"
    "CREATE TABLE space (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE,"
    " entries INTEGER NOT NULL, bytes INTEGER NOT NULL, version INTEGER NOT NULL,"
    " used INTEGER NOT NULL);"
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, space INTEGER NOT NULL, owner BLOB NOT NULL,"
    " key BLOB NOT NULL, type INTEGER NOT NULL, version INTEGER NOT NULL, expires INTEGER NOT NULL,"
    " used INTEGER NOT NULL, size INTEGER NOT NULL, total INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " last INTEGER NOT NULL, calls INTEGER NOT NULL, per_ms INTEGER NOT NULL, value BLOB);"
    "CREATE UNIQUE INDEX entry_name ON entry (space, owner, key);"
    "CREATE INDEX entry_space ON entry (space);"
    "CREATE INDEX entry_expires ON entry (expires) WHERE expires > 0;"
    "CREATE INDEX entry_used ON entry (space, used) WHERE used > 0;"
    "CREATE TABLE record (entry INTEGER NOT NULL, sequence INTEGER NOT NULL, value BLOB,"
    " PRIMARY KEY (entry, sequence)) WITHOUT ROWID;"
    "CREATE TABLE call (entry INTEGER NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL,"
    " PRIMARY KEY (entry, at)) WITHOUT ROWID;"
    "CREATE TABLE message (id INTEGER PRIMARY KEY, origin INTEGER NOT NULL, space BLOB NOT NULL,"
    " channel BLOB NOT NULL, value BLOB);"
    "PRAGMA application_id = 1751213684;"
    "PRAGMA user_version = 1;";

_Static_assert(DB_APPLICATION == 1751213684 && DB_SCHEMA == 1, "the schema has these numbers");

/* Creates the tables of an empty file, in a transaction, since another process may do the same. */
static int file_set_up(struct db *db, int64_t until, haft_reason *reterr_reason)
{
    int64_t application = 0, version = 0, tables = 0;
    int error = file_exec(db, "BEGIN IMMEDIATE", until);

    if (!error)
        error = file_ask(db, "PRAGMA application_id", &application, NULL);
    if (!error)
        error = file_ask(db, "PRAGMA user_version", &version, NULL);
    if (!error)
        error = file_ask(db, "SELECT count(*) FROM sqlite_schema", &tables, NULL);
    if (!error && !application && !version && !tables) {
        error = sqlite3_exec(db->handle, file_schema, NULL, NULL, NULL);
        application = DB_APPLICATION;
        version = DB_SCHEMA;
    }
    if (!error)
        error = sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
    if (error)
        return file_fail(db, error, reterr_reason);
    if (application != DB_APPLICATION)
        return hf_report_reason(reterr_reason, HAFT_EINVAL,
                                "it is a database of another program (application_id %lld); use "
                                "another file",
                                (long long)application);
    if (version != DB_SCHEMA)
        return hf_report_reason(reterr_reason, HAFT_EINVAL,
                                "it has version %lld of the store's format; this haft supports "
                                "version %d; use a newer haft, or another file",
                                (long long)version, DB_SCHEMA);
    return 0;
}

/* ---- the connection ---- */

static int file_connect(struct db *db, const char *file, unsigned busy_timeout_ms,
                        haft_reason *reterr_reason)
{
    /* A name such as ":memory:" or "file:..." has no special meaning. */
    const char *prefix = file[0] == '/' ? "" : "./";
    char *path = sqlite3_mprintf("%s%s", prefix, file);
    int error = SQLITE_NOMEM;

    if (path)
        error = sqlite3_open_v2(path, &db->handle,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                                    SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE,
                                NULL);
    sqlite3_free(path);
    if (error)
        return file_fail(db, error, reterr_reason);
    if (sqlite3_db_readonly(db->handle, "main") == 1)
        return file_fail(db, SQLITE_READONLY, reterr_reason);
    sqlite3_busy_timeout(db->handle, (int)busy_timeout_ms);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, DB_MAX_VALUE + (1 << 20));
    db->deadline = INT64_MAX;
    sqlite3_progress_handler(db->handle, FILE_PROGRESS_STEPS, file_on_progress, db);
    return 0;
}

/* WAL, so that a commit writes once; the log is merged into the file when it has 1,000 pages. */
static int file_configure(struct db *db, int64_t until, haft_reason *reterr_reason)
{
    static const char settings[] =
        "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA cache_size = -4096;"
        "PRAGMA temp_store = MEMORY; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000;"
        "PRAGMA journal_size_limit = 16777216;";
    char mode[64] = "";
    int error = file_exec(db, "PRAGMA journal_mode = WAL", until);

    if (!error)
        error = file_ask(db, "PRAGMA journal_mode", NULL, mode);
    if (!error && strcmp(mode, "wal") != 0)
        return hf_report_reason(reterr_reason, HAFT_EFAIL,
                                "SQLite cannot use a write-ahead log here; use a local directory");
    if (!error)
        error = sqlite3_exec(db->handle, settings, NULL, NULL, NULL);
    return error ? file_fail(db, error, reterr_reason) : 0;
}

/* Looks for damage for a limited time. */
static int file_verify(struct db *db, bool *ret_checked, haft_reason *reterr_reason)
{
    char found[64] = "";
    int error;

    db->deadline = hf_db_time() + FILE_CHECK_MS;
    error = file_ask(db, "PRAGMA quick_check(1)", NULL, found);
    db->deadline = INT64_MAX;
    *ret_checked = (error & 0xff) != SQLITE_INTERRUPT;
    if (error && *ret_checked)
        return file_fail(db, error, reterr_reason);
    if (*ret_checked && strcmp(found, "ok") != 0)
        return hf_report_reason(reterr_reason, HAFT_EFAIL,
                                "the file is damaged; restore it from a backup (SQLite: %s)",
                                found);
    return 0;
}

static int file_prepare(struct db *db, haft_reason *reterr_reason)
{
    static const char *const texts[] = {
#define DB_STATEMENT_(name, sql) sql,
        DB_STATEMENTS(DB_STATEMENT_)
#undef DB_STATEMENT_
    };

    for (size_t i = 0; i < DB_STATEMENT_COUNT; i++) {
        int error = sqlite3_prepare_v3(db->handle, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                       &db->statements[i], NULL);

        if ((error & 0xff) == SQLITE_ERROR)
            return hf_report_reason(reterr_reason, HAFT_EINVAL,
                                    "its tables are not those of a store (SQLite: %.80s)",
                                    sqlite3_errmsg(db->handle));
        if (error)
            return file_fail(db, error, reterr_reason);
    }
    return 0;
}

/* A number for the current run of the machine, at least 1. */
static int64_t file_boot(void)
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char id[64];
    ssize_t size = file < 0 ? 0 : read(file, id, sizeof id);

    if (file >= 0)
        close(file);
    for (ssize_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)id[i]) * UINT64_C(0x100000001b3);
    return (int64_t)(hash % DB_MAX_COUNT) + 1;
}

int hf_file_open(struct db *db, const char *file, unsigned busy_timeout_ms, bool *ret_checked,
                 haft_reason *reterr_reason)
{
    int64_t until = hf_db_time() + busy_timeout_ms;
    int status = 0;

    if (strlen(file) >= FILE_MAX_PATH)
        return hf_report_reason(reterr_reason, HAFT_EINVAL, "the name of the file is too long");
    if (!sqlite3_threadsafe())
        return hf_report_reason(reterr_reason, HAFT_EINVAL, "this SQLite has no threads");
    if (getrandom(&db->origin, sizeof db->origin, 0) != sizeof db->origin)
        db->origin = (int64_t)getpid() << 32 ^ hf_db_time();
    db->boot = file_boot();
    status = file_create(file, reterr_reason);
    if (!status)
        status = file_check(file, reterr_reason);
    if (!status)
        status = file_connect(db, file, busy_timeout_ms, reterr_reason);
    if (!status)
        status = file_set_up(db, until, reterr_reason);
    if (!status)
        status = file_verify(db, ret_checked, reterr_reason);
    if (!status)
        status = file_configure(db, until, reterr_reason);
    if (!status)
        status = file_prepare(db, reterr_reason);
    return status;
}

void hf_file_close(struct db *db)
{
    for (size_t i = 0; i < DB_STATEMENT_COUNT; i++)
        sqlite3_finalize(db->statements[i]);
    sqlite3_close(db->handle);
    db->handle = NULL;
}
