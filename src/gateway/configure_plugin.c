/* configure_plugin.c - the plugins of a configured gateway: which files, and their routes and
 * policies. */
#include "gateway/configure.h"

#include <string.h>

enum { FIRST_FILES = 8 };

/* ---- parts of plugins ---- */

int hf_part_add_policies(haft_gateway *gateway, const haft_gateway_part *part)
{
    int status = 0;

    for (size_t i = 0; part->policy_kinds && part->policy_kinds[i] && !status; i++)
        status = haft_policy_kind_add(gateway, part->policy_kinds[i]);
    for (size_t i = 0; part->policies && part->policies[i] && !status; i++)
        status = haft_policy_add(gateway, part->policies[i]);
    return status;
}

int hf_part_add_routes(haft_gateway *gateway, const haft_gateway_part *part)
{
    int status = 0;

    for (size_t i = 0; part->routes && part->routes[i] && !status; i++)
        status = haft_route_add(gateway, part->routes[i]);
    return status;
}

static bool part_has_right_sizes(const haft_gateway_part *part)
{
    static const unsigned sizes[HAFT_GATEWAY_SIZES_] = HAFT_GATEWAY_LAYOUT_;

    for (size_t i = 0; i < HAFT_GATEWAY_SIZES_; i++)
        if (!part->sizes[i] || part->sizes[i] > sizes[i])
            return false;
    return true;
}

int hf_configure_add_parts(const struct configuration *configuration,
                           int (*add)(haft_gateway *gateway, const haft_gateway_part *part),
                           haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    const haft_gateway_part *part;
    haft_gateway_part own;
    const char *path;

    for (size_t i = 0; hf_plugins_part_at(configuration->plugins, i, &path, &part); i++) {
        const haft_reason *error = haft_gateway_error(gateway);
        int status;

        if (!part)
            continue;
        if (!part_has_right_sizes(part))
            return hf_error_set(
                reterr_reason, HAFT_EINVAL, "",
                "%s was compiled with the headers of another version of haft; this is %s", path,
                HAFT_VERSION);
        memset(&own, 0, sizeof own);
        memcpy(&own, part, part->sizes[0]);
        gateway->module = hf_plugins_module_at(configuration->plugins, i);
        status = add(gateway, &own);
        gateway->module = NULL;
        if (status)
            return hf_error_set(reterr_reason, status, "", "%s: %s: %s", path, error->path,
                                error->text);
    }
    return 0;
}

int hf_configure_hold_plugins(const struct configuration *configuration,
                              struct generation *generation)
{
    const haft_gateway_part *part;
    const char *path;
    size_t n = 0;

    while (hf_plugins_part_at(configuration->plugins, n, &path, &part))
        n++;
    generation->plugins = haft_arena_zalloc(generation->arena, n + 1, sizeof *generation->plugins);
    for (size_t i = 0; i < n && generation->plugins; i++)
        if (hf_plugins_part_at(configuration->plugins, i, &path, &part) && part)
            generation->plugins[generation->n_plugins++] =
                hf_module_take(hf_plugins_module_at(configuration->plugins, i));
    return generation->plugins ? 0 : HAFT_ENOMEM;
}

bool hf_configure_holds_plugins(const struct configuration *configuration,
                                const struct generation *generation)
{
    const haft_gateway_part *part;
    const char *path;
    size_t n = 0;

    for (size_t i = 0; hf_plugins_part_at(configuration->plugins, i, &path, &part); i++) {
        if (!part)
            continue;
        if (n == generation->n_plugins ||
            generation->plugins[n] != hf_plugins_module_at(configuration->plugins, i))
            return false;
        n++;
    }
    return n == generation->n_plugins;
}

/* ---- plugins ---- */

/* Loads the plugins named by the program first, before those of the configuration. */
static int configure_load(struct configuration *configuration, haft_reason *reterr_reason)
{
    haft_reason reason = {.code = 0};
    int status = haft_plugins_set(configuration->plugins, configuration->files,
                                  configuration->n_files, &reason);

    configuration->loaded = !status;
    return status ? hf_error_set(reterr_reason, status, "", "%s: %s", reason.path, reason.text) : 0;
}

static int configure_prepare_plugins(void *context, haft_value *value, void **ret_prepared,
                                     haft_reason *reterr_reason)
{
    struct configuration *configuration = context;
    const haft_section *section = haft_plugins_section(configuration->plugins);
    int status = configuration->loaded ? 0 : configure_load(configuration, reterr_reason);

    return status ? status : section->prepare(section->context, value, ret_prepared, reterr_reason);
}

static void configure_commit_plugins(void *context, void *prepared)
{
    const struct configuration *configuration = context;
    const haft_section *section = haft_plugins_section(configuration->plugins);

    section->commit(section->context, prepared);
}

static void configure_discard_plugins(void *context, void *prepared)
{
    const struct configuration *configuration = context;
    const haft_section *section = haft_plugins_section(configuration->plugins);

    section->discard(section->context, prepared);
}

int haft_gateway_plugin(haft_gateway *gateway, const char *path)
{
    struct configuration *configuration = gateway ? gateway->configuration : NULL;
    const char *copy;

    if (!configuration || !path)
        return HAFT_EINVAL;
    if (configuration->n_files == configuration->room) {
        size_t room = configuration->room ? 2 * configuration->room : FIRST_FILES;
        const char **files = haft_arena_zalloc(gateway->arena, room, sizeof *files);

        if (!files)
            return HAFT_ENOMEM;
        if (configuration->n_files)
            memcpy(files, configuration->files, configuration->n_files * sizeof *files);
        configuration->files = files;
        configuration->room = room;
    }
    copy = haft_arena_copy(gateway->arena, path, strlen(path));
    if (!copy)
        return HAFT_ENOMEM;
    configuration->files[configuration->n_files++] = copy;
    return 0;
}

int hf_configure_plugins(struct configuration *configuration)
{
    configuration->plugins = hf_plugins_new_for_gateway(configuration->gateway->server);
    configuration->plugin_section = (haft_section)HAFT_INIT(
        haft_section, .name = "plugins", .prepare = configure_prepare_plugins,
        .commit = configure_commit_plugins, .discard = configure_discard_plugins,
        .context = configuration);
    return configuration->plugins
               ? haft_section_add(configuration->gateway->server, &configuration->plugin_section)
               : HAFT_ENOMEM;
}
