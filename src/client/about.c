/* about.c - what the program can ask about the server and about a failure. */
#include "client/client.h"

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

    if (!client || !client->negotiation.again)
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
