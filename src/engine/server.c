/* server.c - making a server, and what all offered things have in common. */
#include "engine/server.h"

#include <string.h>

#include "base/defaults.h"
#include "base/sha256.h"
#include "schema/text/format_check.h"

enum {
    STRAIGHT_FROM = 1024, /* below it, to look for the arguments takes longer than to parse them */
    ARENA_LIMIT = 64 << 20,
    HELD_LOG = 64 << 10
};

/* ---- texts ---- */

struct text text_of(haft_arena *arena, haft_buffer *buffer)
{
    struct text text = {NULL, buffer->size};

    if (!buffer->status)
        text.data = haft_arena_copy(arena, buffer->data, buffer->size);
    haft_buffer_finish(buffer);
    return text;
}

static void put_key(haft_buffer *buffer, const char *key)
{
    buffer_literal(buffer, ",\"");
    haft_buffer_puts(buffer, key);
    buffer_literal(buffer, "\":");
}

void put_text_member(haft_buffer *buffer, const char *key, const char *text)
{
    if (!text)
        return;
    put_key(buffer, key);
    haft_buffer_json_string(buffer, text, strlen(text));
}

void put_json_member(haft_buffer *buffer, const char *key, const char *json)
{
    if (!json)
        return;
    put_key(buffer, key);
    put_json_line(buffer, json);
}

/* A string of it, up to where that ends. */
static const char *put_line_string(haft_buffer *buffer, const char *json)
{
    const char *start = json++, *escape;
    size_t size;

    for (; *json != '"'; json++) {
        json += *json == '\\';
        size = line_end_size(json, &escape);
        if (!size)
            continue;
        haft_buffer_add(buffer, start, (size_t)(json - start));
        haft_buffer_puts(buffer, escape);
        json += size - 1;
        start = json + 1;
    }
    haft_buffer_add(buffer, start, (size_t)(json + 1 - start));
    return json + 1;
}

void put_json_line(haft_buffer *buffer, const char *json)
{
    while (*json) {
        size_t size = strcspn(json, "\" \t\r\n");

        haft_buffer_add(buffer, json, size);
        json += size;
        json = *json == '"' ? put_line_string(buffer, json) : json + strspn(json, " \t\r\n");
    }
}

static void put_icon_sizes(haft_buffer *buffer, const char *sizes)
{
    haft_buffer_puts(buffer, ",\"sizes\":[");
    for (const char *comma = ""; *sizes; comma = ",") {
        size_t size = strcspn(sizes, " ");

        haft_buffer_puts(buffer, comma);
        haft_buffer_json_string(buffer, sizes, size);
        sizes += size + strspn(sizes + size, " ");
    }
    haft_buffer_add(buffer, "]", 1);
}

void put_icons(haft_buffer *buffer, const haft_icon *icons, size_t n)
{
    if (!n)
        return;
    haft_buffer_puts(buffer, ",\"icons\":[");
    for (size_t i = 0; i < n; i++) {
        haft_buffer_puts(buffer, i ? ",{\"src\":" : "{\"src\":");
        haft_buffer_json_string(buffer, icons[i].src, strlen(icons[i].src));
        put_text_member(buffer, "mimeType", icons[i].mime_type);
        if (icons[i].sizes)
            put_icon_sizes(buffer, icons[i].sizes);
        put_text_member(buffer, "theme", icons[i].theme);
        haft_buffer_add(buffer, "}", 1);
    }
    haft_buffer_add(buffer, "]", 1);
}

int check_json_object(haft_server *server, const char *name, const char *what, const char *json,
                      haft_arena *arena)
{
    haft_reason error;
    haft_value *value, *key, *member;
    size_t i, n;

    if (!json)
        return 0;
    value = haft_json_read(json, strlen(json), 0, arena, &error);
    if (!value)
        return server_refuse(server, error.code, name, "%s: %s", what, error.text);
    if (!yyjson_is_obj(value))
        return server_refuse(server, HAFT_EINVAL, name, "%s must be a JSON object", what);
    yyjson_obj_foreach(value, i, n, key, member)
        if (!meta_key_is_right(yyjson_get_str(key), yyjson_get_len(key), false))
            return server_refuse(server, HAFT_EINVAL, name, "%s: \"%s\" is no key", what,
                                 yyjson_get_str(key));
    return 0;
}

/* One that is not right costs some clients the whole list. */
int check_icons(haft_server *server, const char *name, const haft_icon *icons, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *src = icons[i].src, *theme = icons[i].theme;

        if (!src || !rfc_uri(src, strlen(src)))
            return server_refuse(server, HAFT_EINVAL, name, "icons.%zu: src is no absolute URI", i);
        if (theme && strcmp(theme, "light") && strcmp(theme, "dark"))
            return server_refuse(server, HAFT_EINVAL, name,
                                 "icons.%zu: the theme is \"light\" or \"dark\"", i);
    }
    return 0;
}

/* ---- refusals ---- */

int server_refuse(haft_server *server, int code, const char *path, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    error_vset(&server->error, code, path, format, args);
    va_end(args);
    server_log(server, HAFT_ERROR, "%s: %s", server->error.path, server->error.text);
    return code;
}

const haft_reason *haft_server_error(const haft_server *server)
{
    return &server->error;
}

/* ---- lock ---- */

/* Held while a pointer is swapped or a count taken, never while anything is made or called. */
void server_lock(haft_server *server)
{
    while (atomic_flag_test_and_set_explicit(&server->lock, memory_order_acquire))
        ;
}

void server_unlock(haft_server *server)
{
    atomic_flag_clear_explicit(&server->lock, memory_order_release);
}

void server_wake(haft_server *server)
{
    server_lock(server);
    for (haft_session *session = server->sessions; session; session = session_next(session))
        session_wake(session);
    server_unlock(server);
}

/* ---- the server ---- */

static void put_info(haft_buffer *buffer, const haft_server *server)
{
    const haft_server_options *options = &server->options;

    haft_buffer_puts(buffer, "{\"name\":");
    haft_buffer_json_string(buffer, server->name, strlen(server->name));
    put_text_member(buffer, "title", options->title);
    haft_buffer_puts(buffer, ",\"version\":");
    haft_buffer_json_string(buffer, server->version, strlen(server->version));
    put_text_member(buffer, "description", options->description);
    put_text_member(buffer, "websiteUrl", options->website);
    put_icons(buffer, options->icons, options->n_icons);
    haft_buffer_add(buffer, "}", 1);
}

/* The texts that every answer to a client is made with. */
static bool render(haft_server *server)
{
    haft_buffer buffer;

    haft_buffer_init(&buffer, server->allocator, 1 << 20);
    put_info(&buffer, server);
    server->info = text_of(server->arena, &buffer);
    haft_buffer_init(&buffer, server->allocator, 1 << 20);
    haft_buffer_puts(&buffer, "\"" META_SERVER_INFO "\":");
    put_info(&buffer, server);
    server->modern_tail = text_of(server->arena, &buffer);
    return server->info.data && server->modern_tail.data;
}

static void set_defaults(haft_server_options *options)
{
    options->timeout_ms = options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT;
    options->max_message = options->max_message ? options->max_message : DEFAULT_MESSAGE;
    options->max_depth = options->max_depth ? options->max_depth : DEFAULT_DEPTH;
    options->max_in_flight = options->max_in_flight ? options->max_in_flight : DEFAULT_IN_FLIGHT;
    options->max_subscriptions =
        options->max_subscriptions ? options->max_subscriptions : DEFAULT_SUBSCRIPTIONS;
}

void server_set_timeout(haft_server *server, unsigned ms)
{
    atomic_store(&server->timeout_ms, ms);
}

void server_set_lenient(haft_server *server, bool lenient)
{
    atomic_store(&server->lenient, lenient);
}

/* A call between the two stores is measured by one of each, once. */
void server_set_client_rate(haft_server *server, haft_rate rate)
{
    atomic_store(&server->client_per_ms, rate.per_ms);
    atomic_store(&server->client_calls, rate.calls);
}

/* An object of objects: each has settings, if only none. */
static int check_extensions(haft_server *server)
{
    const char *json = server->options.extensions;
    int status = check_json_object(server, "extensions", "extensions", json, server->arena);
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
            !meta_key_is_right(yyjson_get_str(key), yyjson_get_len(key), true))
            return server_refuse(server, HAFT_EINVAL, "extensions",
                                 yyjson_is_obj(value) ? "%s must have a prefix, as com.example/x"
                                                      : "%s must be a JSON object",
                                 yyjson_get_str(key));
    return 0;
}

haft_server *server_make(const char *name, const char *version, const haft_server_options *options,
                         const haft_stage *rate)
{
    static const haft_server_options none;
    const haft_allocator *allocator = allocator_or_default(options ? options->allocator : NULL);
    haft_server *server;

    if (!name || !*name || !version)
        return NULL;
    server = allocator->alloc(allocator->context, sizeof *server);
    if (!server)
        return NULL;
    memset(server, 0, sizeof *server);
    server->options = options ? *options : none;
    server->allocator = allocator;
    atomic_flag_clear(&server->lock);
    haft_buffer_init(&server->held, allocator, HELD_LOG);
    set_defaults(&server->options);
    stages_init(server, rate);
    server_set_timeout(server, server->options.timeout_ms);
    server_set_lenient(server, server->options.lenient);
    server->straight_from = STRAIGHT_FROM;
    if (server->options.seal_key)
        haft_server_set_seal_key(server, server->options.seal_key);
    server->arena = haft_arena_new(allocator, ARENA_LIMIT);
    server->catalogue = catalogue_empty(allocator);
    if (server->arena) {
        server->name = haft_arena_copy(server->arena, name, strlen(name));
        server->version = haft_arena_copy(server->arena, version, strlen(version));
    }
    if (!server->arena || !server->catalogue || !server->name || !server->version ||
        check_icons(server, "icons", server->options.icons, server->options.n_icons) ||
        !render(server) || check_extensions(server)) {
        server_unmake(server);
        return NULL;
    }
    server_set_client_rate(server, server->options.client_rate);
    return server;
}

int server_make_seal_key(haft_server *server, const haft_loop *loop)
{
    unsigned char key[sizeof server->seal_key];
    int status = 0;

    if (server->has_seal_key || !loop || !loop->random)
        return 0;
    status = loop->random(loop->context, key, sizeof key);
    if (!status)
        haft_server_set_seal_key(server, key);
    secret_wipe(key, sizeof key);
    return status;
}

void haft_server_set_seal_key(haft_server *server, const unsigned char key[32])
{
    static const char purpose[] = "digests of arguments";
    unsigned char digest[SHA256_SIZE];

    memcpy(server->seal_key, key, sizeof server->seal_key);
    server->has_seal_key = true;
    hmac_sha256(key, sizeof server->seal_key, purpose, sizeof purpose - 1, digest);
    memcpy(server->digest_key, digest, sizeof server->digest_key);
    secret_wipe(digest, sizeof digest);
}

void server_unmake(haft_server *server)
{
    struct isolation *isolation = atomic_load(&server->isolation);

    if (isolation)
        isolation->release(isolation);
    catalogue_drop(server->catalogue);
    forms_free(server->forms);
    for (size_t i = 0; i < UPDATES; i++)
        if (server->updates[i])
            server->allocator->release(server->allocator->context, server->updates[i],
                                       strlen(server->updates[i]) + 1);
    haft_arena_free(server->arena);
    haft_buffer_finish(&server->held);
    secret_wipe(server->seal_key, sizeof server->seal_key);
    secret_wipe(server->digest_key, sizeof server->digest_key);
    server->allocator->release(server->allocator->context, server, sizeof *server);
}

/* ---- methods of the program's own ---- */

int haft_on(haft_server *server, const char *method, haft_json_handler *handler, void *data)
{
    struct custom_method *custom;

    if (!method || !handler || !strchr(method, '/'))
        return server_refuse(server, HAFT_EINVAL, method ? method : "",
                             "a method of your own needs a prefix, as in acme/thing");
    if (method_is_reserved(method))
        return server_refuse(server, HAFT_EINVAL, method,
                             "the server itself handles this method of the protocol");
    custom = haft_arena_zalloc(server->arena, 1, sizeof *custom);
    if (custom)
        custom->name = haft_arena_copy(server->arena, method, strlen(method));
    if (!custom || !custom->name)
        return server_refuse(server, HAFT_ENOMEM, method, "out of memory");
    custom->handler = handler;
    custom->data = data;
    server_lock(server);
    custom->next = server->methods;
    server->methods = custom;
    server_unlock(server);
    return 0;
}
