/* remote_negotiate.c - finds out what the server speaks.
 *
 * The newest revision is asked for first, with a request that needs no handshake.  A server that
 * does not know it says so in one of many ways, and is then greeted the old way. */
#include <stdio.h>
#include <string.h>

#include "remote_link.h"

enum { REMOTE_NEGOTIATE_UNAUTHORIZED = 401, REMOTE_NEGOTIATE_FORBIDDEN = 403 };

enum { NEGOTIATE_PARAMS_LIMIT = 1 << 16 };

/* ---- the newest ---- */

static bool lists(yyjson_val *versions, const char *name)
{
    size_t i, n;
    yyjson_val *version;

    yyjson_arr_foreach(versions, i, n, version) {
        if (yyjson_equals_str(version, name))
            return true;
    }
    return false;
}

static bool lists_old(yyjson_val *versions)
{
    for (int i = 0; i < REVISIONS; i++)
        if (!hf_revision_rows[i].modern && lists(versions, hf_revision_rows[i].name))
            return true;
    return false;
}

enum remote_negotiate_verdict { SPEAKS_IT, ASK_AGAIN, GREET, GIVE_UP };

/* The newest that both know is spoken from here on; a request that was refused in another is made
 * again. */
static enum remote_negotiate_verdict judge_versions(struct remote *remote, yyjson_val *versions)
{
    enum revision asked = remote->revision;

    if (lists(versions, hf_revision_rows[asked].name))
        return SPEAKS_IT;
    for (int i = (int)asked; remote->options.revision == REVISIONS && --i >= LEGACY_REVISIONS;)
        if (lists(versions, hf_revision_rows[i].name)) {
            remote->revision = (enum revision)i;
            return remote->error ? ASK_AGAIN : SPEAKS_IT;
        }
    if (lists_old(versions) || remote->options.revision != REVISIONS)
        return GREET;
    remote_fail(remote, EXIT_PROTOCOL,
                "the server supports no protocol revision that haft supports");
    return GIVE_UP;
}

static void keep_discovery(struct remote *remote)
{
    yyjson_val *meta = rpc_object(remote->result, "_meta");

    remote->server_info = rpc_object(meta, META_SERVER_INFO);
    remote->capabilities = rpc_object(remote->result, "capabilities");
}

static enum remote_negotiate_verdict remote_negotiate_judge(struct remote *remote, int status)
{
    int code = remote_error_code(remote);

    if (status == EXIT_INTERRUPTED || remote->http_status == REMOTE_NEGOTIATE_UNAUTHORIZED ||
        remote->http_status == REMOTE_NEGOTIATE_FORBIDDEN)
        return GIVE_UP;
    if (remote->outcome == REFUSED)
        return GREET;
    /* A process may end at a method that it does not know, but not at one that it has not read. */
    if (status == EXIT_TIME || remote->outcome == LOST)
        return remote->options.child && !remote->unread && status != EXIT_LOCAL &&
                       status != EXIT_PROTOCOL
                   ? GREET
                   : GIVE_UP;
    if (status)
        return GIVE_UP;
    if (yyjson_is_obj(remote->result) && !yyjson_obj_get(remote->result, "supportedVersions"))
        return GREET; /* some old servers answer {} to every method that they do not know */
    if (!remote->error)
        return remote_check_result(remote, "server/discover", &hf_shape_discovery)
                   ? GIVE_UP
                   : judge_versions(remote, yyjson_obj_get(remote->result, "supportedVersions"));
    if (code == RPC_UNSUPPORTED_VERSION)
        return judge_versions(remote,
                              yyjson_obj_get(rpc_object(remote->error, "data"), "supported"));
    if (code != RPC_HEADER_MISMATCH && code != RPC_MISSING_CAPABILITY)
        return GREET;
    remote_fail(remote, EXIT_PROTOCOL, "the server rejected the first request (%d)", code);
    return GIVE_UP;
}

static uint64_t shorter(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static enum remote_negotiate_verdict remote_negotiate_probe(struct remote *remote, int *ret_status)
{
    const struct remote_request discover = {.method = "server/discover"};
    bool only = remote->options.revision != REVISIONS;
    uint64_t wait = remote->options.timeout;
    enum remote_negotiate_verdict verdict;

    if (remote->options.child && !only)
        wait = shorter(wait, PROBE_WAIT);
    remote->revision = only ? remote->options.revision : REV_NEWEST;
    do {
        *ret_status = remote_exchange(remote, &discover, wait);
        verdict = remote_negotiate_judge(remote, *ret_status);
    } while (verdict == ASK_AGAIN);
    if (verdict == SPEAKS_IT)
        keep_discovery(remote);
    if (verdict == GREET && only) {
        if (!*ret_status || remote->outcome == REFUSED)
            *ret_status = remote_fail(remote, EXIT_PROTOCOL, "the server does not speak %s",
                                      hf_revision_rows[remote->revision].name);
        return GIVE_UP;
    }
    if (verdict == GIVE_UP && !*ret_status)
        *ret_status = remote->code;
    return verdict;
}

/* ---- the old way ---- */

static int take_greeting(struct remote *remote)
{
    yyjson_val *version;
    enum revision revision;
    int status = remote->error ? remote_check_error(remote, "initialize")
                               : remote_check_result(remote, "initialize", &hf_shape_greeting);

    if (status)
        return status;
    if (remote->error)
        return remote_fail(remote, EXIT_PROTOCOL, "the server rejected the handshake: %s (%d)",
                           yyjson_get_str(yyjson_obj_get(remote->error, "message")),
                           remote_error_code(remote));
    version = yyjson_obj_get(remote->result, "protocolVersion");
    revision = hf_revision_named(yyjson_get_str(version), yyjson_get_len(version));
    if (revision == REVISIONS || hf_revision_rows[revision].modern)
        return remote_fail(remote, EXIT_PROTOCOL,
                           "the server chose protocol revision %.40s, which haft does not support",
                           yyjson_get_str(version));
    if (remote->options.revision != REVISIONS && remote->options.revision != revision)
        return remote_fail(remote, EXIT_PROTOCOL, "the server speaks %s, not %s",
                           hf_revision_rows[revision].name,
                           hf_revision_rows[remote->options.revision].name);
    remote->revision = revision;
    remote->server_info = rpc_object(remote->result, "serverInfo");
    remote->capabilities = rpc_object(remote->result, "capabilities");
    return 0;
}

static bool remote_negotiate_is_flushed(void *context)
{
    struct remote *remote = context;

    return remote->transport->is_flushed(remote->wire);
}

static int handshake(struct remote *remote)
{
    struct remote_request initialize = {.method = "initialize"};
    bool chosen = remote->options.revision != REVISIONS;
    const char *capabilities;
    haft_buffer params;
    struct json_writer w = json_members(&params, false);
    int status;

    remote->revision = chosen ? remote->options.revision : REV_NEWEST_LEGACY;
    capabilities = remote_client_capabilities(remote);
    haft_buffer_init(&params, NULL, NEGOTIATE_PARAMS_LIMIT);
    hf_json_text(json_key(&w, "protocolVersion"), hf_revision_rows[remote->revision].name);
    hf_json_raw(json_key(&w, "capabilities"), capabilities, strlen(capabilities));
    remote_put_client_info(json_key(&w, "clientInfo"));
    haft_buffer_add(&params, "", 1);
    initialize.params = params.data;
    status = params.status ? remote_fail(remote, EXIT_LOCAL, "cannot write the message: %s",
                                         haft_strerror(params.status))
                           : remote_exchange(remote, &initialize, remote->options.timeout);
    haft_buffer_finish(&params);
    if (!status)
        status = take_greeting(remote);
    if (!status)
        status = remote_notify(remote, "notifications/initialized", NULL);
    /* Some servers answer nothing before they have heard it. */
    if (!status &&
        !remote_run(remote, remote->options.timeout, remote_negotiate_is_flushed, remote))
        status = remote->interrupted ? remote_fail(remote, EXIT_INTERRUPTED, "interrupted")
                                     : remote_fail(remote, EXIT_TIME, "the handshake timed out");
    if (!status)
        remote->transport->settled(remote->wire);
    return status;
}

int remote_negotiate(struct remote *remote)
{
    int status = 0;

    if (remote->options.revision == REVISIONS ||
        hf_revision_rows[remote->options.revision].modern) {
        enum remote_negotiate_verdict verdict = remote_negotiate_probe(remote, &status);

        if (verdict == SPEAKS_IT)
            return 0;
        if (verdict == GIVE_UP)
            return status;
        if (remote->outcome == LOST) {
            remote->loss = (struct loss){0};
            status = remote->transport->restart(remote->wire);
            if (status)
                return status;
        }
    }
    return handshake(remote);
}
