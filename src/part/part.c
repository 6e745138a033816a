/* part.c - shared objects that libhaft opens on demand.
 *
 * They are opened by absolute path: in the directory that libhaft itself was loaded from, then in
 * the configured one. Environment variables have no influence, so that they cannot make another
 * user's program load code. */
#define _GNU_SOURCE /* dladdr1 */
#include "part/part.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined __linux__
#include <sys/auxv.h>
#endif

#include "base/base.h"

/* The open parts. A process has one of each, like shared objects. */
static struct {
    const char *name;
    _Atomic(const haft_part *) part;
} part_table[PARTS] = {[PART_HTTP_CLIENT] = {.name = "http-client"},
                       [PART_CRYPTO] = {.name = "crypto"},
                       [PART_YAML] = {.name = "yaml"},
                       [PART_SQLITE] = {.name = "sqlite"},
                       [PART_REDIS] = {.name = "redis"}};

/* ---- checking a part ---- */

/* Only the first two members may be read before they have been checked. */
static int part_check(const haft_part *part, const char *name, haft_reason *reterr_reason)
{
    if (part->magic != HAFT_PART_MAGIC)
        return hf_error_set(reterr_reason, HAFT_EINVAL, name, "it is not a part of haft");
    if (part->abi != HAFT_PART_ABI)
        return hf_error_set(reterr_reason, HAFT_EINVAL, name,
                            "it has part interface version %u; libhaft has %u", part->abi,
                            HAFT_PART_ABI);
    if (!part->name || strcmp(part->name, name) != 0)
        return hf_error_set(reterr_reason, HAFT_EINVAL, name, "it is a different part: %s",
                            part->name ? part->name : "without a name");
    if (!part->version || strcmp(part->version, HAFT_VERSION) != 0)
        return hf_error_set(reterr_reason, HAFT_EINVAL, name,
                            "it belongs to haft %s; this is haft " HAFT_VERSION,
                            part->version ? part->version : "without a version");
    if (!part->functions)
        return hf_error_set(reterr_reason, HAFT_EINVAL, name, "it has no functions");
    return 0;
}

int haft_part_register(const haft_part *part)
{
    const haft_part *none = NULL;

    if (!part || part->magic != HAFT_PART_MAGIC || part->abi != HAFT_PART_ABI)
        return HAFT_EINVAL;
    for (size_t i = 0; i < PARTS; i++) {
        if (part_check(part, part_table[i].name, NULL))
            continue;
        if (atomic_compare_exchange_strong(&part_table[i].part, &none, part) || none == part)
            return 0;
        return HAFT_EEXISTS;
    }
    return HAFT_EINVAL;
}

/* ---- a file ---- */

const haft_part *hf_part_load(const char *path, const char *name, bool *ret_missing,
                              haft_reason *reterr_reason)
{
    char symbol[64];
    const haft_part *part;
    const char *why;
    void *handle;

    *ret_missing = access(path, F_OK) && errno == ENOENT;
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        why = dlerror();
        hf_error_set(reterr_reason, *ret_missing ? HAFT_ENOTFOUND : HAFT_EINVAL, path, "%s",
                     why ? why : "it cannot be loaded");
        return NULL;
    }
    snprintf(symbol, sizeof symbol, "haft_%s_part", name);
    for (char *at = symbol; (at = strchr(at, '-'));)
        *at = '_';
    part = dlsym(handle, symbol);
    if (!part)
        hf_error_set(reterr_reason, HAFT_EINVAL, path,
                     "%s: it is not a part of haft: symbol %s is missing", path, symbol);
    if (part && !part_check(part, name, reterr_reason))
        return part; /* never closed: threads of its libraries may run */
    if (part && reterr_reason)
        hf_error_set(reterr_reason, HAFT_EINVAL, path, "%s: %s", path, reterr_reason->text);
    dlclose(handle);
    return NULL;
}

/* ---- directories ---- */

/* An address in libhaft.  A plugin with a copy of this file defines another function for it, which returns an
 * address in the program. */
#ifdef PART_ADDRESS
const void *PART_ADDRESS(void);
#else
#define PART_ADDRESS part_address
static const void *part_address(void)
{
    return &part_table;
}
#endif

/* Whether the program has more privileges than the user who starts it: the location, which the user
 * can choose with a link, must then not decide what it loads. */
static bool part_is_privileged(void)
{
#if defined __linux__
    return getauxval(AT_SECURE);
#else
    return true;
#endif
}

static bool part_set_directory(char path[PART_PATH], const char *beside)
{
    char *slash = strrchr(path, '/');
    size_t room;

    if (path[0] != '/' || !slash)
        return false;
    *slash = '\0';
    room = PART_PATH - (size_t)(slash - path);
    return !beside || (size_t)snprintf(slash, room, "/%s", beside) < room;
}

bool hf_part_find_home(char ret_path[PART_PATH])
{
    struct link_map *map = NULL;
    Dl_info info;
    ssize_t size;

    if (!dladdr1(PART_ADDRESS(), &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    /* The main program has an empty name here, and dladdr would return the name that its caller
     * chose. */
    if (map->l_name && map->l_name[0])
        return snprintf(ret_path, PART_PATH, "%s", map->l_name) < PART_PATH &&
               part_set_directory(ret_path, NULL);
    if (part_is_privileged())
        return false;
    size = readlink("/proc/self/exe", ret_path, PART_PATH - 1);
    if (size <= 0)
        return false;
    ret_path[size] = '\0';
    return part_set_directory(ret_path, HAFT_LIBDIR_BESIDE);
}

/* ---- opening ---- */

static const haft_part *part_search(const char *name, haft_reason *reterr_reason)
{
    char home[PART_PATH], path[PART_PATH + 64];
    const char *const places[] = {hf_part_find_home(home) ? home : NULL, HAFT_LIBDIR};
    const haft_part *part = NULL;
    bool missing = true, tried = false;
    haft_reason later;

    for (size_t i = 0; i < sizeof places / sizeof *places && !part && missing; i++) {
        if (!places[i])
            continue;
        snprintf(path, sizeof path, "%s/libhaft-%s.so." HAFT_SOVERSION, places[i], name);
        part = hf_part_load(path, name, &missing, &later);
        /* The error of the first place is the relevant one. */
        if (!part && (!tried || !missing))
            *reterr_reason = later;
        tried = true;
    }
    return part;
}

const void *hf_part_open(enum part_id id, const char *needed_by, haft_reason *reterr_reason)
{
    const haft_part *part = atomic_load(&part_table[id].part), *found;
    haft_reason reason = {0};

    if (part)
        return part->functions;
    found = part_search(part_table[id].name, &reason);
    if (!found) {
        hf_error_set(reterr_reason, reason.code, needed_by, "needs the package libhaft-%s: %s",
                     part_table[id].name, reason.text);
        return NULL;
    }
    /* If another thread opened it meanwhile, it is the same object. */
    atomic_compare_exchange_strong(&part_table[id].part, &part, found);
    return part ? part->functions : found->functions;
}
