/* remember.c - saves the state of a legacy session as JSON, and restores it. */
#include "engine/session/remember.h"

#include <string.h>

#include "engine/session/session.h"

unsigned hf_session_changes(const haft_session *session)
{
    return session->n_changes;
}

static void remember_put_text(struct json_writer *w, const char *text, size_t size)
{
    if (text)
        hf_json_string(w, text, size);
    else
        hf_json_null(w);
}

void hf_session_put_memory(const haft_session *session, haft_buffer *out)
{
    const char *version = session->client.version;
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "revision"), hf_revision_rows[session->revision].name);
    hf_json_integer(json_key(&w, "level"), session->client.log_level);
    hf_json_unsigned(json_key(&w, "declared"), session->declared);
    hf_json_begin_object(json_key(&w, "client"));
    hf_json_begin_object(json_key(&w, "clientInfo"));
    remember_put_text(json_key(&w, "name"), session->client.name, session->client.name_size);
    remember_put_text(json_key(&w, "version"), version, version ? strlen(version) : 0);
    hf_json_end_object(&w);
    if (session->client.capabilities)
        hf_json_value(json_key(&w, "capabilities"), session->client.capabilities);
    else
        hf_json_empty_object(json_key(&w, "capabilities"));
    hf_json_end_object(&w);
    hf_json_begin_array(json_key(&w, "subscriptions"));
    for (const struct subscription *one = session->subscriptions; one; one = one->next)
        hf_json_string(&w, one->uri, one->size);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
}

/* New subscriptions are added at the front, so they are restored last to first, to keep their
 * order. */
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
    session->subscriber.unknown = session->subscriptions;
    session->initialized = true;
    session->revision = revision;
    session->client.log_level = (int)yyjson_get_sint(level);
    session->declared = (unsigned)yyjson_get_uint(declared);
    session->n_changes++;
    hf_event_of_meeting(session, session->client.name);
    return 0;
}
