/* search_call.c - the tools of a search: find_tools, describe_tool and call_tool.
 *
 * A call of call_tool becomes the call of the tool that it names when it starts, before it is counted,
 * checked or reported. So everything that applies to that tool applies to the call, and the handler of
 * call_tool only sees calls to refuse. What a client may not see is not there for any of the three. */
#include "engine/call/search_call.h"

#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/offer/shape.h"

enum { SEARCH_SUMMARY = 300, SEARCH_TITLE = 100, SEARCH_ANSWER = 1 << 20 };

/* The entry of that name, if it is there for the client. */
static const struct entry *search_entry(haft_call *call, const char *name, size_t size)
{
    const struct entry *entry =
        hf_offer_list_find(&call->catalogue->lists[HAFT_OFFER_TOOL], name, size);

    return entry && !entry->disabled && hf_guard_permits(call, entry->item, NULL) == 1 ? entry
                                                                                       : NULL;
}

static int search_refuse_unknown(haft_call *call, const char *name)
{
    return haft_error(call, "Tool %.*s not found. Use find_tools to find the names of tools.",
                      hf_quotable_size(name, strlen(name)), name);
}

/* ---- find_tools ---- */

/* clang-format off */
HAFT_STRUCT(search_find_input,
    HAFT_STRING(query, "What the tool should do, in a few words", .min = 1, .max = SEARCH_QUERY),
    HAFT_OPTIONAL(HAFT_INTEGER(limit, "Maximum number of tools to return", .min = 1, .max = SEARCH_MOST_RESULTS)));
/* clang-format on */

/* What the client of a search sees. */
struct search_scope {
    const struct offer_list *tools;
    const struct audience *audience; /* NULL: all that is not disabled */
};

static bool search_allows(const void *context, size_t i)
{
    const struct search_scope *scope = context;
    const struct entry *entry = &scope->tools->entries[i];

    return !entry->role && !entry->pinned &&
           (scope->audience ? audience_sees(scope->audience, HAFT_OFFER_TOOL, i)
                            : !entry->disabled);
}

/* Writes the text, cut after `most` bytes. */
static void search_put_text(struct json_writer *w, const char *text, size_t most)
{
    size_t size = strlen(text), kept = size > most ? most : size;
    haft_buffer *out = hf_json_begin_string(w);

    kept = haft_utf8_valid(text, kept);
    haft_buffer_add(out, text, kept);
    if (kept < size)
        haft_buffer_puts(out, "\xE2\x80\xA6");
    hf_json_end_string(w);
}

static void search_put_hit(struct json_writer *w, const struct item *item)
{
    const haft_tool *tool = item->tool;
    const char *title = tool->title ? tool->title : tool->annotations.title;

    hf_json_begin_object(w);
    hf_json_string(json_key(w, "name"), item->name, item->name_size);
    if (title)
        search_put_text(json_key(w, "title"), title, SEARCH_TITLE);
    if (tool->description)
        search_put_text(json_key(w, "description"), tool->description, SEARCH_SUMMARY);
    hf_json_end_object(w);
}

static int search_answer(haft_call *call, const struct search_hit *hits, size_t n, size_t total)
{
    const struct offer_list *tools = &call->catalogue->lists[HAFT_OFFER_TOOL];
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, call->server->allocator, SEARCH_ANSWER);
    hf_json_begin_object(&w);
    hf_json_begin_array(json_key(&w, "tools"));
    for (size_t i = 0; i < n; i++)
        search_put_hit(&w, tools->entries[hits[i].entry].item);
    hf_json_end_array(&w);
    hf_json_unsigned(json_key(&w, "total"), total);
    if (!n)
        hf_json_text(json_key(&w, "hint"), "No tool matches. Try other words, or fewer.");
    hf_json_end_object(&w);
    status = text.status ? text.status : haft_json(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}

/* Ranks what the client sees. */
static int search_run(haft_call *call, const search_find_input *in, const struct audience *audience)
{
    const struct offer_list *tools = &call->catalogue->lists[HAFT_OFFER_TOOL];
    struct search_scope scope = {tools, audience};
    size_t size = strlen(in->query), room = call->catalogue->search->results, n, total;
    const struct entry *named = hf_offer_list_find(tools, in->query, size);
    struct search_query query = {in->query,
                                 size,
                                 search_allows,
                                 &scope,
                                 named ? (size_t)(named - tools->entries) : SIZE_MAX,
                                 call->arena};
    const struct search_index *index = hf_search_index(call->catalogue);
    struct search_hit hits[SEARCH_MOST_RESULTS];
    int status;

    if (in->has_limit && (size_t)in->limit < room)
        room = (size_t)in->limit;
    status = index ? hf_search_rank(index, &query, hits, room, &n, &total) : HAFT_ENOMEM;
    return status ? status : search_answer(call, hits, n, total);
}

static int search_find(haft_call *call, const void *in, void *out)
{
    struct audience *audience = NULL;
    int status = hf_guard_audience(call, &audience);

    (void)out;
    if (!status)
        status = search_run(call, in, audience);
    hf_audience_drop(call->catalogue, audience);
    return status;
}

/* ---- describe_tool ---- */

HAFT_STRUCT(search_describe_input, HAFT_STRING(name, "Name of the tool", .min = 1));

static int search_describe(haft_call *call, const void *in, void *out)
{
    const search_describe_input *wanted = in;
    const struct entry *entry = search_entry(call, wanted->name, strlen(wanted->name));
    const struct text *rest;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    (void)out;
    if (!entry)
        return search_refuse_unknown(call, wanted->name);
    rest = entry_rest(entry, hf_revision_rows[call->revision].modern ? MODERN : LEGACY);
    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    hf_json_string(json_key(&w, "name"), entry->item->name, entry->item->name_size);
    hf_json_raw_members(&w, rest->data + 1, rest->size - 2); /* without the comma and the brace */
    hf_json_end_object(&w);
    status = text.status ? text.status : haft_json(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}

/* ---- call_tool ---- */

HAFT_STRUCT(search_call_input, HAFT_STRING(name, "Name of the tool", .min = 1),
            HAFT_OPTIONAL(HAFT_MAP(arguments, HAFT_JSON(value, "A value"),
                                   "Arguments of the tool, as its inputSchema describes them")));

/* Refuses a call that was not redirected. */
static int search_refuse(haft_call *call, const void *in, void *out)
{
    const char *name = ((const search_call_input *)in)->name;
    const struct entry *entry = search_entry(call, name, strlen(name));

    (void)out;
    if (!entry)
        return search_refuse_unknown(call, name);
    if (entry->role || entry->pinned)
        return haft_error(call,
                          "Call the tool %s directly, not through call_tool: it is in the "
                          "list of tools.",
                          name);
    return haft_error(call, "\"arguments\" must be a JSON object.");
}

static bool search_is_lenient(const haft_call *call)
{
    return atomic_load(&((haft_call *)(uintptr_t)call)->server->limits.lenient);
}

/* The arguments for the tool that is called; NULL if they are not an object. A lenient server also
 * accepts one that is written as a string. */
static yyjson_val *search_inner(haft_call *call, yyjson_val *arguments)
{
    static yyjson_val empty = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof empty};

    if (!arguments || yyjson_is_null(arguments))
        return &empty;
    /* Not everything that gets them checks them again. */
    if (yyjson_is_str(arguments) && search_is_lenient(call))
        arguments = haft_json_read(yyjson_get_str(arguments), yyjson_get_len(arguments),
                                   call->server->options.max_depth, call->arena, NULL);
    return yyjson_is_obj(arguments) ? arguments : NULL;
}

void hf_search_redirect(haft_call *call)
{
    yyjson_val *given = call->request.message.arguments, *inner;
    yyjson_val *name = yyjson_obj_get(given, "name"),
               *arguments = yyjson_obj_get(given, "arguments");
    const struct entry *entry;

    /* Others, also members that are there twice, are for the validation of call_tool. */
    if (!yyjson_is_str(name) || yyjson_obj_size(given) != (arguments ? 2 : 1))
        return;
    inner = search_inner(call, arguments);
    entry = inner ? search_entry(call, yyjson_get_str(name), yyjson_get_len(name)) : NULL;
    if (!entry || entry->role || entry->pinned)
        return;
    call->entry = entry;
    call->item = entry->item;
    call->args.json = inner;
    call->args.redirected = true;
}

/* ---- definitions ---- */

static const struct search_part search_parts[SEARCH_TOOLS] = {
    {SEARCH_FIND}, {SEARCH_DESCRIBE}, {SEARCH_CALL}};

/* The hints of call_tool are those of the tools that it reaches (list.c). */
const haft_tool hf_search_tools[SEARCH_TOOLS] = {
    HAFT_INIT(haft_tool, .name = "find_tools", .title = "Find tools",
              .description =
                  "Searches the tools of this server, most of which are not in the list of tools. "
                  "Returns names and descriptions, best match first. Then use describe_tool to "
                  "see the arguments of a tool, and call_tool to call it.",
              .input = &search_find_input_type, .call = search_find,
              .data = (void *)(uintptr_t)&search_parts[0],
              .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}),
    HAFT_INIT(haft_tool, .name = "describe_tool", .title = "Describe a tool",
              .description = "Returns the definition of a tool that find_tools found, including "
                             "the JSON Schema of its arguments (inputSchema).",
              .input = &search_describe_input_type, .call = search_describe,
              .data = (void *)(uintptr_t)&search_parts[1], .quick = true,
              .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}),
    HAFT_INIT(haft_tool, .name = "call_tool", .title = "Call a tool",
              .description = "Calls a tool that find_tools found, with the arguments that "
                             "describe_tool describes, and returns its result.",
              .input = &search_call_input_type, .call = search_refuse,
              .data = (void *)(uintptr_t)&search_parts[2], .quick = true),
};
