/* server.c - construction of a server. */
#include "engine/offer/form.h"
#include "engine/offer/server.h"
#include "protocol/meta.h"

#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "base/sha256.h"

enum {
    STRAIGHT_FROM = 1024, /* for smaller messages, locating the arguments takes longer than parsing
                           * them */
    SERVER_ARENA_LIMIT = 64 << 20,
    HELD_LOG = 64 << 10
};

static void put_info(struct json_writer *w, const haft_server *server)
{
    const haft_server_options *options = &server->options;

    hf_json_begin_object(w);
    hf_json_text(json_key(w, "name"), server->name);
    json_text_member(w, "title", options->title);
    hf_json_text(json_key(w, "version"), server->version);
    json_text_member(w, "description", options->description);
    json_text_member(w, "websiteUrl", options->website);
    hf_put_icons(w, options->icons, options->n_icons);
    hf_json_end_object(w);
}

/* Prepares the strings that every response contains. */
static bool server_render(haft_server *server)
{
    haft_buffer buffer;
    struct json_writer value = {.out = &buffer}, member = json_members(&buffer, false);

    haft_buffer_init(&buffer, server->allocator, 1 << 20);
    put_info(&value, server);
    server->info = hf_text_of(server->arena, &buffer);
    haft_buffer_init(&buffer, server->allocator, 1 << 20);
    put_info(json_key(&member, META_SERVER_INFO), server);
    server->modern_tail = hf_text_of(server->arena, &buffer);
    return server->info.data && server->modern_tail.data;
}

static void server_set_defaults(haft_server_options *options)
{
    options->timeout_ms = options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT;
    options->max_message = options->max_message ? options->max_message : DEFAULT_MESSAGE;
    options->max_depth = options->max_depth ? options->max_depth : DEFAULT_DEPTH;
    options->max_in_flight = options->max_in_flight ? options->max_in_flight : DEFAULT_IN_FLIGHT;
    options->max_subscriptions =
        options->max_subscriptions ? options->max_subscriptions : DEFAULT_SUBSCRIPTIONS;
    options->replicas = options->replicas ? options->replicas : DEFAULT_REPLICAS;
    options->store_rate = options->store_rate ? options->store_rate : HAFT_AWAY_LOCAL;
    options->store_replay = options->store_replay ? options->store_replay : HAFT_AWAY_CLOSED;
}

void hf_server_set_timeout(haft_server *server, unsigned ms)
{
    atomic_store(&server->limits.timeout_ms, ms);
}

void hf_server_set_lenient(haft_server *server, bool lenient)
{
    atomic_store(&server->limits.lenient, lenient);
}

/* A call that reads the limit between the two stores sees one old and one new value, once. */
void hf_server_set_client_rate(haft_server *server, haft_rate rate)
{
    atomic_store(&server->limits.client_per_ms, rate.per_ms);
    atomic_store(&server->limits.client_calls, rate.calls);
}

/* Extensions must be an object of objects: each has settings, possibly empty. */
static int check_extensions(haft_server *server)
{
    const char *json = server->options.extensions;
    int status = hf_check_json_object(server, "extensions", "extensions", json, server->arena);
    yyjson_val *key, *value;
    haft_value *all;
    size_t i, n;

    if (status || !json)
        return status;
    all = haft_json_read(json, strlen(json), 0, server->arena, NULL);
    if (!all)
        return HAFT_ENOMEM;
    yyjson_obj_foreach(all, i, n, key, value)
        if (!yyjson_is_obj(value) ||
            !hf_meta_key_is_right(yyjson_get_str(key), yyjson_get_len(key), true))
            return hf_server_refuse(server, HAFT_EINVAL, "extensions",
                                    yyjson_is_obj(value)
                                        ? "%s must have a prefix, as in com.example/x"
                                        : "%s must be a JSON object",
                                    yyjson_get_str(key));
    return 0;
}

void hf_server_declare(haft_server *server, struct extension *extension)
{
    hf_server_lock(server);
    extension->next = atomic_load(&server->changes.extensions);
    atomic_store(&server->changes.extensions, extension);
    hf_server_unlock(server);
}

int hf_server_view(haft_server *server, const char *type, const void *given, size_t own,
                   haft_arena *arena, const void **ret_view)
{
    int status;

    if (!arena)
        hf_server_lock(server);
    status = hf_struct_view(given, own, arena ? arena : server->arena, ret_view);
    if (!arena)
        hf_server_unlock(server);
    return !status ? 0
                   : hf_server_refuse(server, status, type, "%s",
                                      status == HAFT_EINVAL ? STRUCT_UNSIZED : "out of memory");
}

haft_server *hf_server_make(const char *name, const char *version,
                            const haft_server_options *options)
{
    haft_server_options own;
    const haft_allocator *allocator;
    haft_server *server;

    if (!name || !*name || !version || !hf_struct_read(&own, sizeof own, options))
        return NULL;
    allocator = hf_allocator_or_default(own.allocator);
    server = allocator->alloc(allocator->context, sizeof *server);
    if (!server)
        return NULL;
    memset(server, 0, sizeof *server);
    server->options = own;
    server->allocator = allocator;
    atomic_flag_clear(&server->lock);
    haft_buffer_init(&server->held, allocator, HELD_LOG);
    server_set_defaults(&server->options);
    hf_server_set_timeout(server, server->options.timeout_ms);
    hf_server_set_lenient(server, server->options.lenient);
    server->limits.direct_from = STRAIGHT_FROM;
    if (server->options.seal_key)
        haft_server_set_seal_key(server, server->options.seal_key);
    haft_server_set_other_seal_key(server, server->options.other_seal_key);
    server->arena = haft_arena_new(allocator, SERVER_ARENA_LIMIT);
    server->catalogue = hf_catalogue_empty(allocator);
    if (server->arena) {
        server->name = haft_arena_copy(server->arena, name, strlen(name));
        server->version = haft_arena_copy(server->arena, version, strlen(version));
    }
    if (!server->arena || !server->catalogue || !server->name || !server->version ||
        hf_check_icons(server, "icons", server->options.icons, server->options.n_icons) ||
        !server_render(server) || check_extensions(server)) {
        hf_server_unmake(server);
        return NULL;
    }
    hf_server_set_client_rate(server, server->options.client_rate);
    return server;
}

int hf_server_make_seal_key(haft_server *server, const haft_loop *loop)
{
    unsigned char key[sizeof server->keys.seal];
    int status = 0;

    if (server->keys.has_seal || !loop || !loop->random)
        return 0;
    status = loop->random(loop->context, key, sizeof key);
    if (!status)
        haft_server_set_seal_key(server, key);
    hf_secret_wipe(key, sizeof key);
    return status;
}

void haft_server_set_data(haft_server *server, void *data)
{
    server->options.data = data;
}

/* Digests of arguments keep the first key, so that those of one audit can be compared. */
void haft_server_set_seal_key(haft_server *server, const unsigned char key[32])
{
    static const char purpose[] = "digests of arguments";
    unsigned char digest[SHA256_SIZE];

    hf_hmac_sha256(key, sizeof server->keys.seal, purpose, sizeof purpose - 1, digest);
    hf_server_lock(server);
    memcpy(server->keys.seal, key, sizeof server->keys.seal);
    if (!server->keys.has_seal)
        memcpy(server->keys.digest, digest, sizeof server->keys.digest);
    server->keys.has_seal = true;
    hf_server_unlock(server);
    hf_secret_wipe(digest, sizeof digest);
}

void haft_server_set_other_seal_key(haft_server *server, const unsigned char *key)
{
    hf_server_lock(server);
    if (key)
        memcpy(server->keys.other, key, sizeof server->keys.other);
    else
        hf_secret_wipe(server->keys.other, sizeof server->keys.other);
    server->keys.has_other = key;
    hf_server_unlock(server);
}

int hf_server_copy_seal_keys(haft_server *server, unsigned char ret_keys[SEAL_KEYS][SEAL_KEY])
{
    int n = 0;

    hf_server_lock(server);
    if (server->keys.has_seal)
        memcpy(ret_keys[n++], server->keys.seal, SEAL_KEY);
    if (n && server->keys.has_other)
        memcpy(ret_keys[n++], server->keys.other, SEAL_KEY);
    hf_server_unlock(server);
    return n;
}

void hf_server_share_seal_keys(haft_server *server, haft_server *with)
{
    unsigned char keys[SEAL_KEYS][SEAL_KEY];
    int n = hf_server_copy_seal_keys(with, keys);

    if (n)
        haft_server_set_seal_key(server, keys[0]);
    haft_server_set_other_seal_key(server, n > 1 ? keys[1] : NULL);
    hf_secret_wipe(keys, sizeof keys);
}

void hf_server_unmake(haft_server *server)
{
    struct isolation *isolation = atomic_load(&server->isolation.runner);

    if (isolation)
        isolation->release(isolation);
    hf_catalogue_drop(server->catalogue);
    for (struct extension *at = atomic_load(&server->changes.extensions); at; at = at->next)
        if (at->release)
            at->release(at);
    hf_forms_free(server->forms);
    for (size_t i = 0; i < UPDATES; i++)
        if (server->changes.updates[i])
            server->allocator->release(server->allocator->context, server->changes.updates[i],
                                       strlen(server->changes.updates[i]) + 1);
    haft_arena_free(server->arena);
    haft_buffer_finish(&server->held);
    hf_secret_wipe(server->keys.seal, sizeof server->keys.seal);
    hf_secret_wipe(server->keys.other, sizeof server->keys.other);
    hf_secret_wipe(server->keys.digest, sizeof server->keys.digest);
    server->allocator->release(server->allocator->context, server, sizeof *server);
}
