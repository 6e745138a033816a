/* mcp.c - an upstream that is an MCP server of any revision: a program, or at a URL. */
#include "upstream/mcp.h"

#include <stdio.h>
#include <string.h>

#include "connect/environment.h"
#include "protocol/revision.h"

enum { MCP_SWEEP_MS = 30 * 1000 };

/* ---- making ---- */

static int mcp_refuse(haft_reason *reterr_reason, const char *path, const char *text)
{
    return hf_error_set(reterr_reason, HAFT_EINVAL, path, "%s", text);
}

static int mcp_no_memory(haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
}

/* The program's environment, and then the variables of the entry, which replace others. */
static int mcp_make_environment(struct mcp *mcp, haft_reason *reterr_reason)
{
    struct upstream *upstream = mcp->upstream;
    const mcp_entry *entry = mcp->entry;
    char **own = hf_environment_public(upstream->arena, upstream->set->named);
    const char **list;
    size_t n = 0, kept = 0;

    while (own && own[n])
        n++;
    list = own ? haft_arena_zalloc(upstream->arena, n + entry->n_env + 1, sizeof *list) : NULL;
    if (!list)
        return mcp_no_memory(reterr_reason);
    for (size_t i = 0; i < n; i++) {
        size_t size = strcspn(own[i], "="), k = 0;

        while (k < entry->n_env && (strlen(entry->env_keys[k]) != size ||
                                    strncmp(entry->env_keys[k], own[i], size) != 0))
            k++;
        if (k == entry->n_env)
            list[kept++] = haft_arena_copy(upstream->arena, own[i], strlen(own[i]));
    }
    for (size_t i = 0; i < entry->n_env; i++) {
        const char *value;
        int status = hf_upstream_secret(upstream, entry->env[i], &value, reterr_reason);

        if (status)
            return status;
        list[kept++] = haft_arena_printf(upstream->arena, "%s=%s", entry->env_keys[i], value);
    }
    for (size_t i = 0; i < kept; i++)
        if (!list[i])
            return mcp_no_memory(reterr_reason);
    mcp->target.environment = list;
    return 0;
}

static int mcp_make_command(struct mcp *mcp, haft_reason *reterr_reason)
{
    const mcp_entry *entry = mcp->entry;
    const char **words =
        haft_arena_zalloc(mcp->upstream->arena, entry->n_command + 1, sizeof *words);

    if (!words)
        return mcp_no_memory(reterr_reason);
    for (size_t i = 0; i < entry->n_command; i++)
        words[i] = entry->command[i];
    if (!*words[0])
        return mcp_refuse(reterr_reason, "command", "the name of the program is empty");
    mcp->target.command = words;
    mcp->target.directory = entry->has_directory ? hf_upstream_path(mcp->upstream, entry->directory)
                                                 : mcp->upstream->set->directory;
    return mcp_make_environment(mcp, reterr_reason);
}

static int mcp_make_basic(struct mcp *mcp, const mcp_basic *basic, haft_header *header,
                          haft_reason *reterr_reason)
{
    haft_arena *arena = mcp->upstream->arena;
    const char *password;
    char *pair, *value;
    size_t size;
    int status = hf_upstream_secret(mcp->upstream, basic->password, &password, reterr_reason);

    if (status)
        return status;
    pair = haft_arena_printf(arena, "%s:%s", basic->user, password);
    size = pair ? strlen(pair) : 0;
    value = pair ? haft_arena_zalloc(arena, 1, sizeof "Basic " + HAFT_BASE64_SIZE(size)) : NULL;
    if (!value)
        return mcp_no_memory(reterr_reason);
    memcpy(value, "Basic ", sizeof "Basic " - 1);
    haft_base64_encode(pair, size, value + sizeof "Basic " - 1);
    *header = (haft_header){"Authorization", value};
    return 0;
}

static int mcp_make_headers(struct mcp *mcp, haft_reason *reterr_reason)
{
    const mcp_entry *entry = mcp->entry;
    haft_header *headers =
        haft_arena_zalloc(mcp->upstream->arena, entry->n_headers + 1, sizeof *headers);
    size_t n = 0;
    int status = 0;

    if (!headers)
        return mcp_no_memory(reterr_reason);
    for (; n < entry->n_headers && !status; n++) {
        headers[n].name = entry->headers_keys[n];
        status =
            hf_upstream_secret(mcp->upstream, entry->headers[n], &headers[n].value, reterr_reason);
    }
    if (!status && entry->has_auth && entry->auth.has_basic)
        status = mcp_make_basic(mcp, &entry->auth.basic, &headers[n++], reterr_reason);
    mcp->target.headers = headers;
    mcp->target.n_headers = n;
    return status;
}

static int mcp_make_oauth(struct mcp *mcp, const mcp_oauth *oauth, haft_reason *reterr_reason)
{
    const char *secret = NULL, *key = NULL;
    int status;

    /* Otherwise the upstream says who gets the secret. */
    if (!oauth->has_issuer)
        return mcp_refuse(reterr_reason, "auth.oauth.issuer",
                          "expected the authorization server that the credentials are for");
    status = hf_upstream_secret(mcp->upstream, oauth->client_secret, &secret, reterr_reason);
    if (!status)
        status = hf_upstream_secret(mcp->upstream, oauth->private_key, &key, reterr_reason);
    if (status)
        return status;
    mcp->authorizer = haft_oauth_new(
        HAFT_WITH(haft_oauth_options, .grant = HAFT_GRANT_CREDENTIALS,
                  .client_id = oauth->client_id, .client_secret = secret, .private_key = key,
                  .issuer = oauth->issuer, .scopes = oauth->scopes, .ca_file = mcp->target.ca_file,
                  .no_registration = true),
        reterr_reason);
    return mcp->authorizer ? 0 : reterr_reason->code;
}

static int mcp_make_auth(struct mcp *mcp, haft_reason *reterr_reason)
{
    const mcp_auth *auth = &mcp->entry->auth;
    const char *token;
    int status;

    if (!mcp->entry->has_auth)
        return 0;
    if (auth->has_bearer + auth->has_basic + auth->has_oauth != 1)
        return mcp_refuse(reterr_reason, "auth", "expected one of bearer, basic and oauth");
    if (auth->has_oauth)
        return mcp_make_oauth(mcp, &auth->oauth, reterr_reason);
    if (!auth->has_bearer)
        return 0;
    status = hf_upstream_secret(mcp->upstream, auth->bearer, &token, reterr_reason);
    if (status)
        return status;
    mcp->authorizer = haft_bearer_new(token);
    return mcp->authorizer
               ? 0
               : mcp_refuse(reterr_reason, "auth.bearer", "the token is not valid in a header");
}

static int mcp_make_files(struct mcp *mcp, haft_reason *reterr_reason)
{
    const mcp_entry *entry = mcp->entry;
    const struct {
        const char *member;
        bool has;
        const char *file, **path;
    } rows[] = {
        {"ca_file", entry->has_ca_file, entry->ca_file, &mcp->target.ca_file},
        {"certificate_file", entry->has_certificate_file, entry->certificate_file,
         &mcp->target.certificate},
        {"key_file", entry->has_key_file, entry->key_file, &mcp->target.key},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        haft_reason reason;

        if (rows[i].has && hf_upstream_file(mcp->upstream, rows[i].file, rows[i].path, &reason))
            return hf_error_set(reterr_reason, reason.code, rows[i].member, "%s", reason.text);
    }
    return 0;
}

static int mcp_make_url(struct mcp *mcp, haft_reason *reterr_reason)
{
    const mcp_entry *entry = mcp->entry;
    haft_target *target = &mcp->target;
    int status;

    if (strncmp(entry->url, "https://", 8) && strncmp(entry->url, "http://", 7) &&
        strncmp(entry->url, "unix:", 5))
        return mcp_refuse(reterr_reason, "url", "expected http://, https:// or unix:");
    target->url = entry->url;
    target->proxy = entry->has_proxy ? entry->proxy : NULL;
    target->legacy_sse = true;
    status = mcp_make_files(mcp, reterr_reason);
    if (!status)
        status = mcp_make_headers(mcp, reterr_reason);
    if (!status)
        status = mcp_make_auth(mcp, reterr_reason);
    target->authorizer = mcp->authorizer;
    return status;
}

static void mcp_make_options(struct mcp *mcp)
{
    const mcp_entry *entry = mcp->entry;

    mcp->target.struct_size = sizeof mcp->target;
    mcp->target.connect_ms = (unsigned)entry->connect_ms;
    mcp->target.close_ms = (unsigned)entry->close_ms;
    mcp->options = (haft_client_options)HAFT_INIT(
        haft_client_options, .name = "haft", .version = haft_version(),
        .revision = entry->has_revision ? entry->revision : NULL,
        .allocator = mcp->upstream->set->allocator, .ask = hf_mcp_ask, .notify = hf_mcp_notified,
        .manual_rounds = true, .no_tasks = true, .max_in_flight = (unsigned)entry->max_in_flight,
        .max_message = (size_t)entry->max_message, .timeout_ms = 30000,
        .max_ms = 24 * 60 * 60 * 1000);
}

static int mcp_make(struct upstream *upstream, const void *options, haft_reason *reterr_reason)
{
    struct mcp *mcp = haft_arena_zalloc(upstream->arena, 1, sizeof *mcp);
    const mcp_entry *entry = options;
    int status;

    if (!mcp || uv_mutex_init(&mcp->spare_lock))
        return mcp_no_memory(reterr_reason);
    upstream->data = mcp;
    upstream->module.unanswered = hf_mcp_parked_unanswered;
    mcp->upstream = upstream;
    mcp->entry = entry;
    mcp->main.mcp = mcp;
    haft_buffer_init(&mcp->params, upstream->set->allocator, (size_t)entry->max_message);
    for (int i = 0; i < MCP_KINDS; i++)
        haft_buffer_init(&mcp->fetch.json[i], upstream->set->allocator, (size_t)entry->max_message);
    if (entry->has_command == entry->has_url)
        return mcp_refuse(reterr_reason, "", "expected either command or url");
    if (entry->has_revision &&
        hf_revision_named(entry->revision, strlen(entry->revision)) == REVISIONS)
        return mcp_refuse(reterr_reason, "revision", "haft does not speak this revision");
    mcp_make_options(mcp);
    status =
        entry->has_url ? mcp_make_url(mcp, reterr_reason) : mcp_make_command(mcp, reterr_reason);
    if (!status && entry->has_pin)
        status = hf_pins_read(&mcp->pins, upstream, entry->pin, entry->trust == mcp_trust_first,
                              reterr_reason);
    return status;
}

/* ---- starting and stopping ---- */

static void mcp_swept(uv_timer_t *timer)
{
    struct mcp *mcp = timer->data;
    uint64_t now = uv_now(timer->loop);

    hf_mcp_parked_sweep(mcp, now, false);
    hf_mcp_link_sweep(mcp, now);
}

static void mcp_sweep_closed(uv_handle_t *handle)
{
    mcp_let_go(handle->data);
}

static void mcp_start(struct upstream *upstream)
{
    struct mcp *mcp = mcp_of(upstream);
    struct outbound *outbound = &upstream->set->outbound;

    if (!uv_timer_init(&outbound->loop, &mcp->sweep)) {
        mcp->sweep.data = mcp;
        mcp->has_sweep = true;
        mcp_hold(mcp);
        uv_timer_start(&mcp->sweep, mcp_swept, MCP_SWEEP_MS, MCP_SWEEP_MS);
    }
    hf_mcp_link_open(&mcp->main);
}

/* A connection other than the main one that is not being drained. */
static struct mcp_link *mcp_link_to_end(const struct mcp *mcp)
{
    struct mcp_link *link = mcp->links;

    while (link && link->draining)
        link = link->next;
    return link;
}

static void mcp_stop(struct upstream *upstream)
{
    struct mcp *mcp = mcp_of(upstream);
    void (*end)(struct mcp_link * link) =
        upstream->set->ending ? hf_mcp_link_close : hf_mcp_link_drain;
    struct mcp_link *link;

    if (mcp->has_sweep)
        uv_close((uv_handle_t *)&mcp->sweep, mcp_sweep_closed);
    mcp->has_sweep = false;
    hf_mcp_parked_sweep(mcp, 0, true);
    while ((link = mcp_link_to_end(mcp)))
        end(link);
    mcp->fetch.running = false; /* what it offers is not asked for any more */
    end(&mcp->main);
}

static void mcp_release(struct upstream *upstream)
{
    struct mcp *mcp = mcp_of(upstream);

    if (!mcp)
        return;
    hf_mcp_calls_free(mcp);
    hf_mcp_lists_free(mcp->lists);
    haft_arena_free(mcp->pins.arena);
    haft_buffer_finish(&mcp->params);
    for (int i = 0; i < MCP_KINDS; i++)
        haft_buffer_finish(&mcp->fetch.json[i]);
    haft_authorizer_free(mcp->authorizer);
    uv_mutex_destroy(&mcp->spare_lock);
}

const struct upstream_kind hf_upstream_mcp = {
    .name = "mcp",
    .options = &mcp_entry_type,
    .declares = 1u << HAFT_OFFER_TOOL | 1u << HAFT_OFFER_RESOURCE | 1u << HAFT_OFFER_TEMPLATE |
                1u << HAFT_OFFER_PROMPT,
    .make = mcp_make,
    .inherit = hf_mcp_lists_inherit,
    .start = mcp_start,
    .stop = mcp_stop,
    .items = hf_mcp_items,
    .same = hf_mcp_items_same,
    .passes_meta = true,
    .release = mcp_release};
