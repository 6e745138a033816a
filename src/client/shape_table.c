/* shape_table.c - the shapes of everything that the program reads of responses. */
#include "protocol/meta.h"
#include "client/shape.h"

#define MEMBERS(...)                                                                               \
    ((const struct shape_member[]){__VA_ARGS__, {.name = NULL, .shape = NULL, .required = false}})
#define OBJECT(...)                                                                                \
    {                                                                                              \
        .type = SHAPE_OBJECT, .members = MEMBERS(__VA_ARGS__)                                      \
    }
#define NEEDS(name, shape)                                                                         \
    {                                                                                              \
        name, shape, true                                                                          \
    }
#define MAY_HAVE(name, shape)                                                                      \
    {                                                                                              \
        name, shape, false                                                                         \
    }

static const struct shape string = {.type = SHAPE_STRING}, boolean = {.type = SHAPE_BOOLEAN},
                          integer = {.type = SHAPE_INTEGER}, object = {.type = SHAPE_OBJECT},
                          strings = {.type = SHAPE_ARRAY, .each = &string};

/* ---- the handshake ---- */

static const struct shape server_info =
    OBJECT(MAY_HAVE("name", &string), MAY_HAVE("version", &string));
static const struct shape discovery_meta = OBJECT(MAY_HAVE(META_SERVER_INFO, &server_info));

const struct shape hf_shape_discovery =
    OBJECT(NEEDS("supportedVersions", &strings), MAY_HAVE("capabilities", &object),
           MAY_HAVE("_meta", &discovery_meta));
const struct shape hf_shape_greeting =
    OBJECT(NEEDS("protocolVersion", &string), MAY_HAVE("capabilities", &object),
           MAY_HAVE("serverInfo", &server_info));

/* ---- lists ---- */

/* The rest of a schema is not checked: parts that the program does not understand accept
 * everything. */
static const struct shape input_schema =
    OBJECT(MAY_HAVE("properties", &object), MAY_HAVE("required", &strings));
static const struct shape annotations =
    OBJECT(MAY_HAVE("readOnlyHint", &boolean), MAY_HAVE("destructiveHint", &boolean),
           MAY_HAVE("idempotentHint", &boolean), MAY_HAVE("openWorldHint", &boolean));
const struct shape hf_shape_tool =
    OBJECT(NEEDS("name", &string), MAY_HAVE("description", &string),
           NEEDS("inputSchema", &input_schema), MAY_HAVE("annotations", &annotations));
static const struct shape argument = OBJECT(
    NEEDS("name", &string), MAY_HAVE("description", &string), MAY_HAVE("required", &boolean));
static const struct shape arguments = {.type = SHAPE_ARRAY, .each = &argument};
const struct shape hf_shape_prompt = OBJECT(
    NEEDS("name", &string), MAY_HAVE("description", &string), MAY_HAVE("arguments", &arguments));
const struct shape hf_shape_resource =
    OBJECT(NEEDS("uri", &string), MAY_HAVE("name", &string), MAY_HAVE("mimeType", &string),
           MAY_HAVE("description", &string));
const struct shape hf_shape_template =
    OBJECT(NEEDS("uriTemplate", &string), MAY_HAVE("name", &string), MAY_HAVE("mimeType", &string),
           MAY_HAVE("description", &string));

static const struct shape tools = {.type = SHAPE_ARRAY, .each = &hf_shape_tool};
static const struct shape prompts = {.type = SHAPE_ARRAY, .each = &hf_shape_prompt};
static const struct shape resources = {.type = SHAPE_ARRAY, .each = &hf_shape_resource};
static const struct shape templates = {.type = SHAPE_ARRAY, .each = &hf_shape_template};

const struct shape hf_shape_tools = OBJECT(NEEDS("tools", &tools), MAY_HAVE("nextCursor", &string));
const struct shape hf_shape_prompts =
    OBJECT(NEEDS("prompts", &prompts), MAY_HAVE("nextCursor", &string));
const struct shape hf_shape_resources =
    OBJECT(NEEDS("resources", &resources), MAY_HAVE("nextCursor", &string));
const struct shape hf_shape_templates =
    OBJECT(NEEDS("resourceTemplates", &templates), MAY_HAVE("nextCursor", &string));

static const struct shape any_entries = {.type = SHAPE_ARRAY};

const struct shape hf_shape_tool_page =
    OBJECT(NEEDS("tools", &any_entries), MAY_HAVE("nextCursor", &string));
const struct shape hf_shape_prompt_page =
    OBJECT(NEEDS("prompts", &any_entries), MAY_HAVE("nextCursor", &string));
const struct shape hf_shape_resource_page =
    OBJECT(NEEDS("resources", &any_entries), MAY_HAVE("nextCursor", &string));
const struct shape hf_shape_template_page =
    OBJECT(NEEDS("resourceTemplates", &any_entries), MAY_HAVE("nextCursor", &string));

/* ---- calls ---- */

static const struct shape contents = OBJECT(NEEDS("uri", &string), MAY_HAVE("mimeType", &string),
                                            MAY_HAVE("text", &string), MAY_HAVE("blob", &string));

/* A block of another type is shown by its type. */
static const struct shape_case block_cases[] = {
    {"text", MEMBERS(NEEDS("text", &string))},
    {"image", MEMBERS(NEEDS("data", &string), NEEDS("mimeType", &string))},
    {"audio", MEMBERS(NEEDS("data", &string), NEEDS("mimeType", &string))},
    {"resource", MEMBERS(NEEDS("resource", &contents))},
    {"resource_link", MEMBERS(NEEDS("uri", &string), MAY_HAVE("mimeType", &string))},
    {NULL, NULL},
};
static const struct shape block = {
    .type = SHAPE_OBJECT, .members = MEMBERS(NEEDS("type", &string)), .cases = block_cases};
static const struct shape blocks = {.type = SHAPE_ARRAY, .each = &block};

const struct shape hf_shape_call =
    OBJECT(MAY_HAVE("content", &blocks), MAY_HAVE("isError", &boolean));

static const struct shape read_contents = {.type = SHAPE_ARRAY, .each = &contents};
static const struct shape prompt_message =
    OBJECT(NEEDS("role", &string), NEEDS("content", &object));
static const struct shape prompt_messages = {.type = SHAPE_ARRAY, .each = &prompt_message};
static const struct shape completion = OBJECT(NEEDS("values", &strings));

const struct shape hf_shape_read = OBJECT(NEEDS("contents", &read_contents));
const struct shape hf_shape_get = OBJECT(NEEDS("messages", &prompt_messages));
const struct shape hf_shape_completion = OBJECT(NEEDS("completion", &completion));

/* ---- elicitation ---- */

static const struct shape question = OBJECT(NEEDS("method", &string));
static const struct shape questions = {.type = SHAPE_OBJECT, .each = &question};
static const struct shape fields = {.type = SHAPE_OBJECT, .each = &object};
static const struct shape form_schema =
    OBJECT(MAY_HAVE("properties", &fields), MAY_HAVE("required", &strings));

const struct shape hf_shape_input_required =
    OBJECT(MAY_HAVE("inputRequests", &questions), MAY_HAVE("requestState", &string));
const struct shape hf_shape_url = OBJECT(NEEDS("message", &string), NEEDS("url", &string));
const struct shape hf_shape_form =
    OBJECT(NEEDS("message", &string), NEEDS("requestedSchema", &form_schema));

/* ---- tasks ---- */

/* Times are not used, and intervals are limited: whatever they are, they do no harm. */
const struct shape hf_shape_task =
    OBJECT(NEEDS("taskId", &string), NEEDS("status", &string), MAY_HAVE("statusMessage", &string),
           MAY_HAVE("inputRequests", &questions));

/* ---- all results ---- */

const struct shape hf_shape_result = OBJECT(MAY_HAVE("resultType", &string));
const struct shape hf_shape_error = OBJECT(NEEDS("code", &integer), NEEDS("message", &string));
