/* about.c - what the server says about itself, and what the program can ask about it and about a
 * failure. */
#include "client/client.h"

#include <string.h>

/* ---- keeping it ---- */

static bool about_is_same(yyjson_val *left, yyjson_val *right, haft_arena *arena)
{
    return left && right ? hf_json_equal(left, right, arena) == 1 : left == right;
}

void hf_about_keep(haft_client *client, yyjson_val *info, yyjson_val *capabilities,
                   yyjson_val *instructions)
{
    struct negotiation *own = &client->negotiation;
    struct document *document = client->documents.current;

    if (own->about && about_is_same(info, own->server_info, document->arena) &&
        about_is_same(capabilities, own->capabilities, document->arena))
        return;
    hf_document_drop(client, own->about);
    own->about = hf_document_keep(document);
    own->server_info = info;
    own->capabilities = capabilities;
    own->instructions = yyjson_get_str(instructions);
}

int hf_about_remember(haft_client *client)
{
    const char *text = client->options.discovery;
    struct document *document = hf_document_read(client, text, strlen(text));
    yyjson_val *version = document ? rpc_string(document->root, "revision") : NULL;
    enum revision revision =
        version ? hf_revision_named(yyjson_get_str(version), yyjson_get_len(version)) : REVISIONS;

    if (revision == REVISIONS) {
        int status = document ? HAFT_EINVAL : HAFT_ENOMEM;

        hf_document_drop(client, document);
        return status;
    }
    client->revision = revision;
    client->negotiation.probe = false;
    client->documents.current = document;
    hf_about_keep(client, rpc_object(document->root, "serverInfo"),
                  rpc_object(document->root, "capabilities"),
                  rpc_string(document->root, "instructions"));
    client->documents.current = NULL;
    hf_document_drop(client, document);
    return 0;
}

void hf_about_finish(haft_client *client)
{
    hf_document_drop(client, client->negotiation.about);
}

/* ---- for the program ---- */

const char *haft_client_revision(const haft_client *client)
{
    return client ? hf_revision_rows[client->revision].name : NULL;
}

haft_value *haft_client_server_info(const haft_client *client)
{
    return client ? client->negotiation.server_info : NULL;
}

haft_value *haft_client_capabilities(const haft_client *client)
{
    return client ? client->negotiation.capabilities : NULL;
}

const char *haft_client_instructions(const haft_client *client)
{
    return client ? client->negotiation.instructions : NULL;
}

int haft_client_discovery(const haft_client *client, haft_buffer *ret_text)
{
    struct json_writer w = {.out = ret_text};
    const struct negotiation *known;

    if (!client || !ret_text || !client->negotiation.again)
        return HAFT_EINVAL;
    known = &client->negotiation;
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "revision"), hf_revision_rows[client->revision].name);
    if (known->server_info)
        hf_json_value(json_key(&w, "serverInfo"), known->server_info);
    if (known->capabilities)
        hf_json_value(json_key(&w, "capabilities"), known->capabilities);
    json_text_member(&w, "instructions", known->instructions);
    hf_json_end_object(&w);
    return ret_text->status;
}

const char *haft_client_error(const haft_client *client, int *ret_http_status)
{
    if (ret_http_status)
        *ret_http_status = client ? client->http_status : 0;
    return client ? client->error : "";
}
