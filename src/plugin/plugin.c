/* plugin.c - one shared object: loads it from a file, and unloads it.
 *
 * It loads an in-memory copy of the file. The dynamic loader identifies objects by file and would
 * return the old one for a replaced file; and overwriting a mapped file crashes the process. */
#define _GNU_SOURCE /* memfd_create */
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLUGIN_FILE_LIMIT = 256 << 20, PLUGIN_BLOCK = 16 << 10, HEADERS = 128, PLUGIN_NAME = 64 };

static int refuse_errno(const char *path, haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, HAFT_EINVAL, path, "%s", strerror(errno));
}

/* ---- a copy ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

bool hf_plugin_is_of(const struct plugin *plugin, const char *path)
{
    struct stat now;

    return !stat(path, &now) && is_same_file(&now, &plugin->file);
}

/* 0, or -1 with errno set. */
static int copy_bytes(int from, int to)
{
    char block[PLUGIN_BLOCK];
    ssize_t n;

    while ((n = read(from, block, sizeof block)) != 0) {
        if (n < 0 && errno != EINTR)
            return -1;
        for (ssize_t done = 0, wrote; done<n; done += wrote> 0 ? wrote : 0) {
            wrote = write(to, block + done, (size_t)(n - done));
            if (wrote < 0 && errno != EINTR)
                return -1;
        }
    }
    return 0;
}

static int copy_open_file(struct plugin *plugin, int fd, const char *path,
                          haft_reason *reterr_reason)
{
    struct stat after;

    if (fstat(fd, &plugin->file))
        return refuse_errno(path, reterr_reason);
    if (!S_ISREG(plugin->file.st_mode))
        return hf_error_set(reterr_reason, HAFT_EINVAL, path, "it is not a file");
    if (plugin->file.st_size > PLUGIN_FILE_LIMIT)
        return hf_error_set(reterr_reason, HAFT_ETOOBIG, path, "a plugin may have at most %d MiB",
                            PLUGIN_FILE_LIMIT >> 20);
    plugin->fd = memfd_create("haft-plugin", MFD_CLOEXEC);
    if (plugin->fd < 0 || copy_bytes(fd, plugin->fd) || fstat(fd, &after))
        return refuse_errno(path, reterr_reason);
    if (!is_same_file(&plugin->file, &after))
        return hf_error_set(reterr_reason, HAFT_EBUSY, path, "the file changed while haft read it");
    return 0;
}

static int copy_file(struct plugin *plugin, const char *path, haft_reason *reterr_reason)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

    if (fd < 0)
        return refuse_errno(path, reterr_reason);
    status = copy_open_file(plugin, fd, path, reterr_reason);
    close(fd);
    return status;
}

/* ---- checking ---- */

/* Whether the file contains everything that its headers map. The loader trusts the headers and
 * crashes on a partially copied file. */
static bool plugin_is_whole(int fd, uint64_t size)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;

    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_type != ET_DYN ||
        head.e_phentsize != sizeof part || head.e_phnum > HEADERS || head.e_phoff > size)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        if (pread(fd, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part)) !=
            (ssize_t)sizeof part)
            return false;
        if (part.p_type == PT_LOAD &&
            (part.p_offset > size || part.p_filesz > size - part.p_offset))
            return false;
    }
    return true;
}

/* Removes the name from the loader's message, because it is a meaningless path. */
static int refuse_load(const char *name, const char *path, haft_reason *reterr_reason)
{
    const char *text = dlerror();
    size_t size = strlen(name);

    if (!text)
        text = "it cannot be loaded";
    if (!strncmp(text, name, size) && !strncmp(text + size, ": ", 2))
        text += size + 2;
    return hf_error_set(reterr_reason, HAFT_EINVAL, path, "%s", text);
}

static int plugin_load(struct plugin *plugin, const char *path, haft_reason *reterr_reason)
{
    char name[PLUGIN_NAME];

    if (!plugin_is_whole(plugin->fd, (uint64_t)plugin->file.st_size))
        return hf_error_set(reterr_reason, HAFT_EINVAL, path, "the shared object is incomplete");
    /* The descriptor stays open, so that another copy cannot get the same name while this one is
     * loaded. Debuggers find the file by the process id. */
    snprintf(name, sizeof name, "/proc/%ld/fd/%d", (long)getpid(), plugin->fd);
    plugin->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return plugin->handle ? 0 : refuse_load(name, path, reterr_reason);
}

/* Plugins compiled with the headers of an earlier version have shorter structs. */
static bool has_right_sizes(const haft_plugin *definition)
{
    static const unsigned sizes[HAFT_PLUGIN_SIZES_] = HAFT_PLUGIN_LAYOUT_;

    for (size_t i = 0; i < HAFT_PLUGIN_SIZES_; i++)
        if (!definition->sizes[i] || definition->sizes[i] > sizes[i])
            return false;
    return true;
}

const struct haft_gateway_part *hf_plugin_part(const struct plugin *plugin)
{
    return plugin->definition->gateway;
}

/* Only the first member may be read before it has been checked. */
static int plugin_check(struct plugin *plugin, const char *path, haft_reason *reterr_reason)
{
    const haft_plugin *definition = dlsym(plugin->handle, "haft_plugin_definition");

    if (!definition)
        return hf_error_set(reterr_reason, HAFT_EINVAL, path, "it does not contain HAFT_PLUGIN");
    if (definition->abi != HAFT_PLUGIN_ABI)
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, path,
            "it was compiled for plugin interface version %u; this haft has version %d",
            definition->abi, HAFT_PLUGIN_ABI);
    if (!has_right_sizes(definition))
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, path,
            "it was compiled with the headers of another version of haft; this is %s",
            HAFT_VERSION);
    memcpy(&plugin->own, definition, definition->sizes[0]);
    plugin->definition = &plugin->own;
    return 0;
}

static int plugin_start(struct plugin *plugin, haft_server *server, const char *path,
                        haft_reason *reterr_reason)
{
    int status = plugin->definition->start ? plugin->definition->start(server) : 0;

    if (status)
        return hf_error_set(reterr_reason, status < 0 ? status : HAFT_EINVAL, path,
                            "its start function failed: %s", haft_strerror(status));
    plugin->started = true;
    return 0;
}

/* ---- lifetime ---- */

static void unload(struct module *module)
{
    struct plugin *plugin = (struct plugin *)(void *)module;

    if (plugin->started && plugin->definition->stop)
        plugin->definition->stop();
    if (plugin->handle)
        dlclose(plugin->handle);
    if (plugin->fd >= 0)
        close(plugin->fd);
    plugin->allocator->release(plugin->allocator->context, plugin, sizeof *plugin);
}

int hf_plugin_open(haft_server *server, const char *path, struct plugin **ret_plugin,
                   haft_reason *reterr_reason)
{
    const haft_allocator *allocator = server->allocator;
    struct plugin *plugin = allocator->alloc(allocator->context, sizeof *plugin);
    int status;

    if (!plugin)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, path, "out of memory");
    memset(plugin, 0, sizeof *plugin);
    hf_module_init(&plugin->module, unload);
    plugin->allocator = allocator;
    plugin->fd = -1;
    status = copy_file(plugin, path, reterr_reason);
    if (!status)
        status = plugin_load(plugin, path, reterr_reason);
    if (!status)
        status = plugin_check(plugin, path, reterr_reason);
    if (!status)
        status = plugin_start(plugin, server, path, reterr_reason);
    if (status)
        hf_module_drop(&plugin->module);
    else
        *ret_plugin = plugin;
    return status;
}
