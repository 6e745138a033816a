/* upstream/http_entry.h - options of an HTTP upstream: the member "http" of an entry of
 * gateway.upstreams. */
#ifndef HAFT_SRC_UPSTREAM_HTTP_ENTRY_H
#define HAFT_SRC_UPSTREAM_HTTP_ENTRY_H

#include "upstream/task_entry.h"

/* ---- where ---- */

HAFT_STRUCT(http_target_entry,
    HAFT_STRING(url, "Base URL, to which paths are appended", .min = 1),
    HAFT_DEFAULT(HAFT_INTEGER(weight, "Share of the requests", .min = 1, .max = 100), 1));

HAFT_ENUMERATION(http_balance, round_robin, least_pending);

HAFT_STRUCT(http_timeouts_entry,
    HAFT_DEFAULT(HAFT_INTEGER(connect_ms, "Time to connect", .min = 1, .max = 600000), 5000),
    HAFT_DEFAULT(HAFT_INTEGER(answer_ms, "Time from the request to the headers of the answer", .min = 1, .max = 86400000), 30000),
    HAFT_DEFAULT(HAFT_INTEGER(total_ms, "Time for a call with its retries", .min = 1, .max = 86400000), 60000));

HAFT_STRUCT(http_retries_entry,
    HAFT_DEFAULT(HAFT_INTEGER(max, "Maximum number of retries of a call", .min = 0, .max = 10), 2),
    HAFT_DEFAULT(HAFT_INTEGER(delay_ms, "Delay before the first retry, which doubles with each", .min = 1, .max = 60000), 200),
    HAFT_DEFAULT(HAFT_INTEGER(max_delay_ms, "Maximum delay, unless the server asks for more", .min = 1, .max = 600000), 5000),
    HAFT_DEFAULT(HAFT_INTEGER(percent, "Retries per 100 calls, in the long run", .min = 0, .max = 100), 20));

HAFT_STRUCT(http_breaker_entry,
    HAFT_DEFAULT(HAFT_INTEGER(failures, "Failures in a row that open the breaker; 0: no limit", .min = 0, .max = 1000000), 5),
    HAFT_DEFAULT(HAFT_INTEGER(percent, "Percentage of failures that opens the breaker; 0: no limit", .min = 0, .max = 100), 50),
    HAFT_DEFAULT(HAFT_INTEGER(minimum, "Minimum number of calls for the percentage", .min = 1, .max = 1000000), 10),
    HAFT_DEFAULT(HAFT_INTEGER(window_ms, "Time that the percentage is about", .min = 12, .max = 86400000), 60000),
    HAFT_DEFAULT(HAFT_INTEGER(open_ms, "Time that the breaker stays open", .min = 1, .max = 86400000), 30000));

HAFT_STRUCT(http_health_entry,
    HAFT_STRING(path, "Path that is requested; a status from 200 to 399 is good", .starts = "/"),
    HAFT_DEFAULT(HAFT_INTEGER(interval_ms, "Time between checks of a target", .min = 10, .max = 86400000), 10000),
    HAFT_DEFAULT(HAFT_INTEGER(timeout_ms, "Time for a check", .min = 1, .max = 600000), 2000),
    HAFT_DEFAULT(HAFT_INTEGER(failures, "Failed checks in a row after which a target is left out", .min = 1, .max = 1000), 2));

HAFT_STRUCT(http_tls_entry,
    HAFT_OPTIONAL(HAFT_STRING(ca_file, "Certificates to trust instead of those of the system", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(certificate, "File with the client's certificate, as PEM", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(key, "File with the client's private key, as PEM", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(key_password, "Password of the key", .secret = true)),
    HAFT_DEFAULT(HAFT_BOOLEAN(verify, "Whether the server's certificate and name are checked"), true));

HAFT_STRUCT(http_redirects_entry,
    HAFT_DEFAULT(HAFT_INTEGER(max, "Redirects that are followed", .min = 0, .max = 10), 3),
    HAFT_DEFAULT(HAFT_BOOLEAN(elsewhere, "Whether redirects may lead to another public host"), false));

/* ---- credentials ---- */

HAFT_STRUCT(http_basic_entry,
    HAFT_STRING(username, "User name"),
    HAFT_STRING(password, "Password", .secret = true));

HAFT_ENUMERATION(http_key_place, header, query, cookie);

HAFT_STRUCT(http_key_entry,
    HAFT_OPTIONAL(HAFT_NAMED("in", HAFT_ENUM(place, http_key_place, "Where the key is sent: in a header, unless an OpenAPI document says so"))),
    HAFT_OPTIONAL(HAFT_STRING(name, "Name of the header, parameter or cookie: X-API-Key", .min = 1)),
    HAFT_STRING(value, "The key", .min = 1, .secret = true));

HAFT_ENUMERATION(http_oauth_method, basic, post);

HAFT_STRUCT(http_oauth_entry,
    HAFT_OPTIONAL(HAFT_STRING(token_url, "Token endpoint; by default that of the OpenAPI document", .min = 1)),
    HAFT_STRING(client_id, "Client id", .min = 1),
    HAFT_STRING(client_secret, "Client secret", .min = 1, .secret = true),
    HAFT_OPTIONAL(HAFT_STRING(scopes, "Scopes, separated by spaces")),
    HAFT_OPTIONAL(HAFT_STRING(audience, "Parameter audience of the token request")),
    HAFT_OPTIONAL(HAFT_STRING(resource, "Parameter resource of the token request (RFC 8707)")),
    HAFT_DEFAULT(HAFT_ENUM(method, http_oauth_method, "How the client authenticates at the token endpoint"), http_oauth_method_basic));

HAFT_STRUCT(http_auth_entry,
    HAFT_OPTIONAL(HAFT_STRING(bearer, "Bearer token", .min = 1, .secret = true)),
    HAFT_OPTIONAL(HAFT_OBJECT(basic, http_basic_entry, "User name and password")),
    HAFT_OPTIONAL(HAFT_OBJECT(api_key, http_key_entry, "API key")),
    HAFT_OPTIONAL(HAFT_OBJECT(oauth, http_oauth_entry, "OAuth client credentials")));

/* ---- headers ---- */

HAFT_STRUCT(http_headers_entry,
    HAFT_OPTIONAL(HAFT_MAP(set, HAFT_STRING(value, "Value", .secret = true), "Headers that every request has")),
    HAFT_OPTIONAL(HAFT_ARRAY(remove, HAFT_STRING(name, "Name", .min = 1), "Headers that no request has")),
    HAFT_OPTIONAL(HAFT_ARRAY(forward, HAFT_STRING(name, "Name", .min = 1), "Headers of the client's request that are passed on; credentials never are")));

/* ---- tools ---- */

HAFT_STRUCT(http_rule_entry,
    HAFT_OPTIONAL(HAFT_STRING(tag, "Pattern for a tag")),
    HAFT_OPTIONAL(HAFT_STRING(path, "Pattern for the path")),
    HAFT_OPTIONAL(HAFT_STRING(method, "Pattern for the method")),
    HAFT_OPTIONAL(HAFT_STRING(id, "Pattern for the operationId")),
    HAFT_DEFAULT(HAFT_BOOLEAN(exclude, "Whether matching operations are left out"), false));

HAFT_STRUCT(http_change_entry,
    HAFT_OPTIONAL(HAFT_STRING(name, "Name of the tool", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(title, "Title of the tool")),
    HAFT_OPTIONAL(HAFT_STRING(description, "Description of the tool")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(read_only, "Whether the tool changes nothing")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(destructive, "Whether the tool may delete or overwrite something")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(idempotent, "Whether repeating a call has no further effect")),
    HAFT_OPTIONAL(HAFT_JSON(arguments, "Object of arguments that are always sent, and that clients do not see")),
    HAFT_OPTIONAL(HAFT_ENUM(task, upstream_task, "Whether calls become tasks: if the client supports them, or always")));

HAFT_ENUMERATION(http_argument_place, query, header, cookie, body);

HAFT_STRUCT(http_tool_entry,
    HAFT_STRING(description, "Description of the tool", .min = 1),
    HAFT_OPTIONAL(HAFT_STRING(title, "Title of the tool")),
    HAFT_DEFAULT(HAFT_STRING(method, "HTTP method", .pattern = "^(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)$"), "GET"),
    HAFT_STRING(path, "Path below the base URL, such as /weather/{city}", .starts = "/"),
    HAFT_OPTIONAL(HAFT_JSON(input, "JSON Schema of the arguments: an object")),
    HAFT_OPTIONAL(HAFT_JSON(output, "JSON Schema of a successful answer")),
    HAFT_OPTIONAL(HAFT_MAP(places, HAFT_ENUM(place, http_argument_place, "Where it is sent"), "Arguments that are sent elsewhere than in the path, the query of GET and DELETE, or the JSON body of other methods")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(read_only, "Whether the tool changes nothing")),
    HAFT_OPTIONAL(HAFT_ENUM(task, upstream_task, "Whether calls become tasks: if the client supports them, or always")));

HAFT_STRUCT(http_entry,
    HAFT_OPTIONAL(HAFT_STRING(url, "Base URL of the API, to which paths are appended", .min = 1)),
    HAFT_OPTIONAL(HAFT_ARRAY(targets, HAFT_OBJECT(target, http_target_entry, "A server"), "Several servers of the API instead of `url`", .min = 1, .max = 64)),
    HAFT_DEFAULT(HAFT_ENUM(balance, http_balance, "How requests are distributed over the targets"), http_balance_round_robin),
    HAFT_DEFAULT(HAFT_OBJECT(timeouts, http_timeouts_entry, "Limits on time"), "{}"),
    HAFT_DEFAULT(HAFT_OBJECT(retries, http_retries_entry, "Retries of failed requests that may be repeated"), "{}"),
    HAFT_DEFAULT(HAFT_OBJECT(breaker, http_breaker_entry, "Circuit breaker of each target"), "{}"),
    HAFT_OPTIONAL(HAFT_OBJECT(health, http_health_entry, "Health checks of the targets")),
    HAFT_DEFAULT(HAFT_INTEGER(max_running, "Maximum number of requests at once", .min = 1, .max = 10000), 64),
    HAFT_DEFAULT(HAFT_INTEGER(max_waiting, "Maximum number of calls that wait for their turn", .min = 0, .max = 100000), 256),
    HAFT_DEFAULT(HAFT_INTEGER(max_request, "Maximum size of a request's body in bytes", .min = 0, .max = 1073741824), 16777216),
    HAFT_DEFAULT(HAFT_INTEGER(max_response, "Maximum size of a response's body in bytes", .min = 1, .max = 1073741824), 16777216),
    HAFT_OPTIONAL(HAFT_OBJECT(auth, http_auth_entry, "Credentials of every request")),
    HAFT_OPTIONAL(HAFT_MAP(security, HAFT_OBJECT(auth, http_auth_entry, "Credentials"), "Credentials by security scheme of the OpenAPI document")),
    HAFT_DEFAULT(HAFT_OBJECT(headers, http_headers_entry, "Changes to the headers of requests"), "{}"),
    HAFT_DEFAULT(HAFT_OBJECT(tls, http_tls_entry, "TLS"), "{}"),
    HAFT_OPTIONAL(HAFT_STRING(proxy, "HTTP proxy, http://HOST:PORT", .min = 1)),
    HAFT_OPTIONAL(HAFT_OBJECT(redirects, http_redirects_entry, "Follow redirects; by default they are answers")),
    HAFT_OPTIONAL(HAFT_JSON(openapi, "OpenAPI document whose operations become tools: a file name or an object")),
    HAFT_OPTIONAL(HAFT_ARRAY(select, HAFT_OBJECT(rule, http_rule_entry, "A rule"), "Rules that select operations; the first that matches decides")),
    HAFT_OPTIONAL(HAFT_MAP(changes, HAFT_OBJECT(change, http_change_entry, "Changes"), "Changes to tools, by operationId or by method and path")),
    HAFT_DEFAULT(HAFT_BOOLEAN(read_only, "Whether only GET and HEAD operations become tools"), false),
    HAFT_DEFAULT(HAFT_BOOLEAN(lenient, "Whether answers may differ from the schemas of the document"), false),
    HAFT_OPTIONAL(HAFT_MAP(tools, HAFT_OBJECT(tool, http_tool_entry, "A tool"), "Tools by name, without a document")));

#endif
