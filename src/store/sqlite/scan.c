/* scan.c - steps of a scan, in the order of the ids of the entries. */
#include <string.h>

#include "store/sqlite/apply.h"
#include "store/sqlite/entry.h"

static int scan_found(struct db *db, haft_store_scan *scan, sqlite3_stmt *row)
{
    haft_slice owner = hf_db_slice(row, 1), key = hf_db_slice(row, 2), value = {"", 0};
    char *text;

    if (sqlite3_column_int(row, 5) == DB_VALUE)
        value = hf_db_slice(row, 6);
    text = db->host->alloc(scan->arena, owner.size + key.size + value.size + 1);
    if (!text)
        return HAFT_ENOMEM;
    memcpy(text, owner.data, owner.size);
    memcpy(text + owner.size, key.data, key.size);
    memcpy(text + owner.size + key.size, value.data, value.size);
    text[owner.size + key.size + value.size] = '\0';
    scan->ret_found[scan->n_found++] =
        (haft_store_found){.group = {text, owner.size},
                           .key = {text + owner.size, key.size},
                           .version = (uint64_t)sqlite3_column_int64(row, 3),
                           .value = {text + owner.size + key.size, value.size}};
    return 0;
}

static bool scan_matches(struct db *db, sqlite3_stmt *row, haft_slice prefix)
{
    haft_slice owner = hf_db_slice(row, 1);
    int64_t expires = sqlite3_column_int64(row, 4);

    return owner.size >= prefix.size && !memcmp(owner.data, prefix.data, prefix.size) &&
           !(expires > 0 && expires <= db->now);
}

/* The cursor is the id of the last entry: ids of entries that exist do not change. */
int hf_apply_scan(struct db *db, haft_store_scan *scan, const struct apply_names *names)
{
    size_t limit = scan->limit < INT32_MAX / sizeof *scan->ret_found
                       ? scan->limit
                       : INT32_MAX / sizeof *scan->ret_found;
    int64_t cursor = scan->cursor < INT64_MAX ? (int64_t)scan->cursor : INT64_MAX;
    struct db_space *space;
    sqlite3_stmt *rows;
    size_t seen = 0;
    int status;

    scan->n_found = 0;
    hf_db_set_now(db, scan->now);
    status = hf_space_load(db, names->space, &space);
    if (status)
        return status;
    scan->ret_found = db->host->alloc(scan->arena, limit * sizeof *scan->ret_found);
    if (!scan->ret_found)
        return HAFT_ENOMEM;
    rows = hf_db_start(db, DB_SCAN, "iii", space->id, cursor, (int64_t)limit);
    while ((status = hf_db_step(db, rows)) > 0 && seen < limit) {
        seen++;
        cursor = sqlite3_column_int64(rows, 0);
        if (scan_matches(db, rows, names->group) && (status = scan_found(db, scan, rows)) < 0)
            break;
    }
    if (status && rows)
        hf_db_end(rows);
    if (status < 0)
        return status;
    scan->cursor = seen == limit && cursor > 0 ? (uint64_t)cursor : 0;
    return 0;
}
