/* upstream/mcp_entry.h - the member "mcp" of an upstream's entry in the configuration. */
#ifndef HAFT_SRC_UPSTREAM_MCP_ENTRY_H
#define HAFT_SRC_UPSTREAM_MCP_ENTRY_H

#include <haft/declare.h>

/* clang-format off */
HAFT_STRUCT(mcp_basic,
    HAFT_STRING(user, "User name", .min = 1),
    HAFT_STRING(password, "Password, or @FILE", .secret = true));
HAFT_STRUCT(mcp_oauth,
    HAFT_STRING(client_id, "Client id at the authorization server", .min = 1),
    HAFT_OPTIONAL(HAFT_STRING(client_secret, "Client secret, or @FILE", .secret = true)),
    HAFT_OPTIONAL(HAFT_STRING(private_key, "Private key in PEM in place of a secret, or @FILE", .secret = true)),
    HAFT_OPTIONAL(HAFT_STRING(issuer, "Authorization server that the credentials are for; required: another one that the upstream names does not get them", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(scopes, "Scopes to ask for, separated by spaces")));
HAFT_STRUCT(mcp_auth,
    HAFT_OPTIONAL(HAFT_STRING(bearer, "Bearer token, or @FILE", .secret = true)),
    HAFT_OPTIONAL(HAFT_OBJECT(basic, mcp_basic, "User name and password")),
    HAFT_OPTIONAL(HAFT_OBJECT(oauth, mcp_oauth, "OAuth client credentials")));
HAFT_STRUCT(mcp_restart,
    HAFT_DEFAULT(HAFT_INTEGER(min_ms, "First pause before it is connected again", .min = 1, .max = 3600000), 100),
    HAFT_DEFAULT(HAFT_INTEGER(max_ms, "Longest pause; pauses double, with jitter", .min = 1, .max = 3600000), 30000),
    HAFT_DEFAULT(HAFT_INTEGER(limit, "Failures in a row after which it is not connected again; 0: no limit", .min = 0, .max = 1000000), 0));
HAFT_STRUCT(mcp_breaker,
    HAFT_DEFAULT(HAFT_INTEGER(failures, "Failures in a row after which calls are refused at once", .min = 1, .max = 1000), 5),
    HAFT_DEFAULT(HAFT_INTEGER(open_ms, "How long they are, until the upstream is tried again", .min = 1, .max = 3600000), 10000));

HAFT_ENUMERATION(mcp_trust, first, strict);

HAFT_STRUCT(mcp_entry,
    HAFT_OPTIONAL(HAFT_ARRAY(command, HAFT_STRING(word, "A word"), "Program to start, and its arguments", .min = 1)),
    HAFT_OPTIONAL(HAFT_MAP(env, HAFT_STRING(value, "Value, or @FILE", .secret = true), "Variables besides those of the gateway's environment that do not look like secrets")),
    HAFT_OPTIONAL(HAFT_STRING(directory, "Working directory of the program")),
    HAFT_OPTIONAL(HAFT_STRING(url, "URL of the server in place of a program", .min = 1)),
    HAFT_OPTIONAL(HAFT_MAP(headers, HAFT_STRING(value, "Value, or @FILE", .secret = true), "Additional headers of requests")),
    HAFT_OPTIONAL(HAFT_OBJECT(auth, mcp_auth, "Credentials of the gateway; those of clients are never passed on")),
    HAFT_OPTIONAL(HAFT_STRING(ca_file, "Certificates to trust, in PEM")),
    HAFT_OPTIONAL(HAFT_STRING(certificate_file, "Certificate of the gateway, in PEM")),
    HAFT_OPTIONAL(HAFT_STRING(key_file, "Key of that certificate, in PEM")),
    HAFT_OPTIONAL(HAFT_STRING(proxy, "HTTP proxy: that of the environment; empty for none")),
    HAFT_OPTIONAL(HAFT_STRING(revision, "Protocol revision to speak: the newest that the server has")),
    HAFT_OPTIONAL(HAFT_INTEGER(timeout_ms, "Time limit of a call: that of the gateway", .min = 1, .max = 86400000)),
    HAFT_DEFAULT(HAFT_INTEGER(connect_ms, "Time for a connection", .min = 1, .max = 600000), 10000),
    HAFT_DEFAULT(HAFT_INTEGER(close_ms, "Time for a program to end before it is killed", .min = 1, .max = 600000), 2000),
    HAFT_DEFAULT(HAFT_INTEGER(max_in_flight, "Calls at a time; others wait", .min = 1, .max = 100000), 256),
    HAFT_DEFAULT(HAFT_INTEGER(max_message, "Bytes of a message of the upstream", .min = 1024, .max = 1073741824), 16777216),
    HAFT_DEFAULT(HAFT_INTEGER(refresh_ms, "How often lists are fetched again without a notification; 0: never", .min = 0, .max = 86400000), 300000),
    HAFT_DEFAULT(HAFT_OBJECT(restart, mcp_restart, "How a lost upstream is connected again"), "{}"),
    HAFT_DEFAULT(HAFT_OBJECT(breaker, mcp_breaker, "When calls are refused at once"), "{}"),
    HAFT_DEFAULT(HAFT_STRING(log_level, "Minimum level of messages of an upstream of an older revision"), "info"),
    HAFT_DEFAULT(HAFT_BOOLEAN(per_principal, "One connection for each identity of clients"), false),
    HAFT_OPTIONAL(HAFT_STRING(pin, "File of approved definitions; others are held back", .min = 1)),
    HAFT_DEFAULT(HAFT_ENUM(trust, mcp_trust, "first: the first definitions are approved; strict: only those in the file"), mcp_trust_first),
    HAFT_OPTIONAL(HAFT_MAP(rename, HAFT_STRING(name, "Name in place of its own, without prefix", .min = 1), "Names of tools and prompts")),
    HAFT_OPTIONAL(HAFT_MAP(describe, HAFT_STRING(text, "Description in place of its own"), "Descriptions of tools and prompts")),
    HAFT_DEFAULT(HAFT_BOOLEAN(resources, "Offer its resources"), true),
    HAFT_DEFAULT(HAFT_BOOLEAN(prompts, "Offer its prompts"), true));
/* clang-format on */

#endif
