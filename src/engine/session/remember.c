/* remember.c - what a legacy session knows of its client, as JSON and back. */
#include "engine/session/remember.h"

#include <string.h>

#include "engine/session/session.h"

unsigned hf_session_changes(const haft_session *session)
{
    return session->n_changes;
}

static void remember_put_text(haft_buffer *out, const char *text, size_t size)
{
    if (text)
        haft_buffer_json_string(out, text, size);
    else
        haft_buffer_puts(out, "null");
}

void hf_session_put_memory(const haft_session *session, haft_buffer *out)
{
    const char *version = session->client.version;

    haft_buffer_printf(out, "{\"revision\":\"%s\",\"level\":%d,\"declared\":%u,",
                       hf_revision_rows[session->revision].name, session->client.log_level,
                       session->declared);
    haft_buffer_puts(out, "\"client\":{\"clientInfo\":{\"name\":");
    remember_put_text(out, session->client.name, session->client.name_size);
    haft_buffer_puts(out, ",\"version\":");
    remember_put_text(out, version, version ? strlen(version) : 0);
    haft_buffer_puts(out, "},\"capabilities\":");
    if (session->client.capabilities)
        haft_json_write(session->client.capabilities, out);
    else
        haft_buffer_puts(out, "{}");
    haft_buffer_puts(out, "},\"subscriptions\":[");
    for (const struct subscription *one = session->subscriptions; one; one = one->next) {
        if (one != session->subscriptions)
            haft_buffer_puts(out, ",");
        haft_buffer_json_string(out, one->uri, one->size);
    }
    haft_buffer_puts(out, "]}");
}

/* Each goes to the front: the last one first, so that they are in the order they were. */
static int remember_subscriptions(haft_session *session, yyjson_val *uris)
{
    for (size_t i = yyjson_arr_size(uris); i--;) {
        const char *uri = yyjson_get_str(yyjson_arr_get(uris, i));
        int status = uri ? hf_session_subscribe(session, uri) : HAFT_EINVAL;

        if (status)
            return status;
    }
    return 0;
}

int hf_session_restore_memory(haft_session *session, yyjson_val *memory)
{
    yyjson_val *name = rpc_string(memory, "revision"), *client = rpc_object(memory, "client");
    yyjson_val *level = yyjson_obj_get(memory, "level");
    yyjson_val *declared = yyjson_obj_get(memory, "declared");
    enum revision revision =
        name ? hf_revision_named(yyjson_get_str(name), yyjson_get_len(name)) : REVISIONS;
    int status;

    if (revision == REVISIONS || hf_revision_rows[revision].modern || !client ||
        !yyjson_is_int(level) || !yyjson_is_uint(declared))
        return HAFT_EINVAL;
    status = hf_session_remember_client(session, client);
    if (!status)
        status = remember_subscriptions(session, yyjson_obj_get(memory, "subscriptions"));
    if (status)
        return status;
    session->initialized = true;
    session->revision = revision;
    session->client.log_level = (int)yyjson_get_sint(level);
    session->declared = (unsigned)yyjson_get_uint(declared);
    session->n_changes++;
    hf_event_of_meeting(session, session->client.name);
    return 0;
}
