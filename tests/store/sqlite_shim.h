/* store/sqlite_shim.h - a file system for SQLite that fails on purpose. */
#ifndef HAFT_TESTS_SQLITE_SHIM_H
#define HAFT_TESTS_SQLITE_SHIM_H

#include <haft/base.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

enum shim_kind { SHIM_OPEN, SHIM_WRITE, SHIM_SYNC, SHIM_READ, SHIM_TRUNCATE, SHIM_MAP };

static struct {
    sqlite3_vfs vfs, *real;
    atomic_int calls;     /* that may fail */
    atomic_int fail_at;   /* the call that fails, from 1; 0 for none */
    atomic_bool for_ever; /* all later ones fail as well */
    atomic_int failures;
    atomic_bool is_full;   /* writes fail as if the disk were full */
    atomic_int syncs;      /* how often SQLite has waited for the disk */
    atomic_llong max_size; /* of a file; 0 for any */
} shim;

struct shim_file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
};

static int shim_fails(enum shim_kind kind)
{
    static const int errors[] = {
        [SHIM_OPEN] = SQLITE_CANTOPEN,           [SHIM_WRITE] = SQLITE_IOERR_WRITE,
        [SHIM_SYNC] = SQLITE_IOERR_FSYNC,        [SHIM_READ] = SQLITE_IOERR_READ,
        [SHIM_TRUNCATE] = SQLITE_IOERR_TRUNCATE, [SHIM_MAP] = SQLITE_IOERR_SHMMAP};
    int call = ++shim.calls, at = shim.fail_at;

    if (shim.is_full && (kind == SHIM_WRITE || kind == SHIM_MAP))
        return SQLITE_FULL;
    if (!at || call < at || (call > at && !shim.for_ever))
        return 0;
    shim.failures++;
    return errors[kind];
}

#define SHIM(file) ((struct shim_file *)(file))->real
#define SHIM_TRY(kind, file, method, ...)                                                          \
    int error = shim_fails(kind);                                                                  \
                                                                                                   \
    return error ? error : SHIM(file)->pMethods->method(SHIM(file), __VA_ARGS__)

static int shim_close(sqlite3_file *file)
{
    return SHIM(file)->pMethods->xClose(SHIM(file));
}

static int shim_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
    SHIM_TRY(SHIM_READ, file, xRead, to, n, at);
}

static int shim_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
    int error = shim_fails(SHIM_WRITE);

    if (!error && shim.max_size && at + n > shim.max_size)
        error = SQLITE_FULL;
    return error ? error : SHIM(file)->pMethods->xWrite(SHIM(file), from, n, at);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    SHIM_TRY(SHIM_TRUNCATE, file, xTruncate, size);
}

/* Nothing here ends the system, so nothing has to reach the disk. */
static int shim_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    shim.syncs++;
    return shim_fails(SHIM_SYNC);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return SHIM(file)->pMethods->xFileSize(SHIM(file), ret_size);
}

static int shim_lock(sqlite3_file *file, int level)
{
    return SHIM(file)->pMethods->xLock(SHIM(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    return SHIM(file)->pMethods->xUnlock(SHIM(file), level);
}

static int shim_check(sqlite3_file *file, int *ret_reserved)
{
    return SHIM(file)->pMethods->xCheckReservedLock(SHIM(file), ret_reserved);
}

static int shim_control(sqlite3_file *file, int operation, void *argument)
{
    return SHIM(file)->pMethods->xFileControl(SHIM(file), operation, argument);
}

static int shim_sector(sqlite3_file *file)
{
    return SHIM(file)->pMethods->xSectorSize(SHIM(file));
}

static int shim_device(sqlite3_file *file)
{
    return SHIM(file)->pMethods->xDeviceCharacteristics(SHIM(file));
}

static int shim_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret_memory)
{
    SHIM_TRY(SHIM_MAP, file, xShmMap, page, size, extend, ret_memory);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return SHIM(file)->pMethods->xShmLock(SHIM(file), offset, n, flags);
}

static void shim_barrier(sqlite3_file *file)
{
    SHIM(file)->pMethods->xShmBarrier(SHIM(file));
}

static int shim_unmap(sqlite3_file *file, int delete_it)
{
    return SHIM(file)->pMethods->xShmUnmap(SHIM(file), delete_it);
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_check,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_device,
    .xShmMap = shim_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_barrier,
    .xShmUnmap = shim_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    struct shim_file *own = (struct shim_file *)file;
    int error = shim_fails(SHIM_OPEN);

    (void)vfs;
    own->base.pMethods = NULL;
    own->real = (sqlite3_file *)(own + 1);
    if (!error)
        error = shim.real->xOpen(shim.real, name, own->real, flags, ret_flags);
    if (!error)
        own->base.pMethods = &shim_methods;
    return error;
}

/* From now on SQLite's files are those of the shim. */
static void shim_install(void)
{
    shim.real = sqlite3_vfs_find(NULL);
    shim.vfs = *shim.real;
    shim.vfs.zName = "shim";
    shim.vfs.szOsFile = (int)sizeof(struct shim_file) + shim.real->szOsFile;
    shim.vfs.xOpen = shim_open;
    sqlite3_vfs_register(&shim.vfs, 1);
}

HAFT_MAYBE_UNUSED_ static void shim_set(int fail_at, bool for_ever)
{
    shim.calls = 0;
    shim.failures = 0;
    shim.for_ever = for_ever;
    shim.fail_at = fail_at;
}

#endif
