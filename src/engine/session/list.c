/* list.c - the four lists, in pages.
 *
 * Items were rendered when they were added; a list is their text separated by commas. A cursor
 * names the last entry of the previous page, so that it stays valid while items are added and
 * removed. */
#include <string.h>

#include "engine/session/method.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "engine/offer/search.h"
#include "engine/offer/shape.h"

#define TEXT(literal) literal, sizeof literal - 1

static const struct list {
    const char *method;
    haft_offer kind;
    const char *member; /* member of the result */
    struct text first;  /* start of an entry, up to the value of its key */
} lists[] = {
    {"tools/list", HAFT_OFFER_TOOL, "tools", {TEXT(JSON_ITEM("name"))}},
    {"resources/list", HAFT_OFFER_RESOURCE, "resources", {TEXT(JSON_ITEM("uri"))}},
    {"resources/templates/list",
     HAFT_OFFER_TEMPLATE,
     "resourceTemplates",
     {TEXT(JSON_ITEM("uriTemplate"))}},
    {"prompts/list", HAFT_OFFER_PROMPT, "prompts", {TEXT(JSON_ITEM("name"))}},
};

static const struct list *session_list_of(const char *method)
{
    size_t i = 0;

    while (strcmp(lists[i].method, method))
        i++;
    return &lists[i];
}

/* A list as a client sees it. */
struct list_page {
    const struct list *list;
    const struct offer_list *offers;
    const struct audience *audience;    /* NULL: it sees all that is not disabled */
    const struct search_survey *survey; /* of the tools of a catalogue with a search; or NULL */
};

/* With a search, lists show either the pinned tools and those of the search, or all others. */
static bool list_search_shows(const struct list_page *page, const struct entry *entry)
{
    return page->survey->applies ? entry->pinned || entry->role : !entry->role;
}

static bool list_shows(const struct list_page *page, size_t i)
{
    if (page->survey && !list_search_shows(page, &page->offers->entries[i]))
        return false;
    return page->audience ? audience_sees(page->audience, page->list->kind, i)
                          : !page->offers->entries[i].disabled;
}

/* ---- cursors ---- */

/* The contents of a cursor: a version, the position where the page ended, and the name of its last
 * entry. */
enum { CURSOR_HEAD = 5, CURSOR_VERSION = 1 };

static void put_cursor(struct json_writer *w, haft_arena *arena, const struct item *last, size_t at)
{
    size_t size = CURSOR_HEAD + last->name_size;
    char *text = haft_arena_alloc(arena, HAFT_BASE64_SIZE(size) + 1);
    unsigned char *plain = haft_arena_alloc(arena, size);

    if (!text || !plain) {
        w->out->status = HAFT_ENOMEM;
        return;
    }
    plain[0] = CURSOR_VERSION;
    for (int i = 0; i < 4; i++)
        plain[1 + i] = (unsigned char)(at >> (i * 8));
    memcpy(plain + CURSOR_HEAD, last->name, last->name_size);
    hf_json_string(json_key(w, "nextCursor"), text, haft_base64_encode(plain, size, text));
}

/* The position of an entry in the list as the client sees it; hidden entries are not counted. */
static size_t list_position(const struct list_page *page, size_t entry)
{
    size_t n = 0;

    if (!page->audience && !page->survey)
        return entry;
    for (size_t i = 0; i < entry; i++)
        n += list_shows(page, i);
    return n;
}

/* The entry at such a position. */
static size_t list_entry(const struct list_page *page, size_t position)
{
    size_t i = 0;

    if (!page->audience && !page->survey)
        return position < page->offers->n ? position : page->offers->n;
    for (; i < page->offers->n && (position || !list_shows(page, i)); i++)
        position -= list_shows(page, i);
    return i;
}

/* The start of the page after the cursor; -1 if the cursor is invalid. If the entry that it names
 * has been removed, the next one has taken its position. */
static ptrdiff_t after_cursor(haft_call *call, const struct list_page *page, yyjson_val *cursor)
{
    const struct offer_list *offers = page->offers;
    size_t size = yyjson_get_len(cursor), n, at = 0;
    unsigned char *plain = haft_arena_alloc(call->arena, size + 1);
    struct entry *entry;

    if (!plain || haft_base64_decode(yyjson_get_str(cursor), size, plain, &n) || n <= CURSOR_HEAD ||
        plain[0] != CURSOR_VERSION)
        return -1;
    entry = hf_offer_list_find(offers, (const char *)plain + CURSOR_HEAD, n - CURSOR_HEAD);
    if (entry &&
        ((!page->audience && !page->survey) || list_shows(page, (size_t)(entry - offers->entries))))
        return entry - offers->entries + 1;
    for (int i = 0; i < 4; i++)
        at |= (size_t)plain[1 + i] << (i * 8);
    return (ptrdiff_t)list_entry(page, at);
}

/* ---- the list ---- */

/* Writes an entry from its prerendered text. */
static void list_put_entry(haft_buffer *out, const struct list *list, const struct entry *entry,
                           int era, bool comma)
{
    const struct text *rest = entry_rest(entry, era);

    buffer_add(out, list->first.data + !comma, list->first.size - !comma);
    buffer_add(out, entry->item->quoted.data, entry->item->quoted.size);
    buffer_add(out, rest->data, rest->size);
}

/* The same for clients of experimental tasks, which learn here which tools are tasks. */
APART static void list_put_task_entry(haft_buffer *out, const struct list *list,
                                      const struct entry *entry, bool comma)
{
    struct json_writer w = json_members(out, true);

    list_put_entry(out, list, entry, LEGACY, comma);
    if (!entry->item->tool || !entry->item->tool->task || out->status)
        return;
    out->size--; /* the brace */
    hf_json_begin_object(json_key(&w, "execution"));
    hf_json_text(json_key(&w, "taskSupport"),
                 entry->item->tool->task == HAFT_TASK_REQUIRED ? "required" : "optional");
    hf_json_end_object(&w);
    hf_json_end_object(&w);
}

static bool list_shows_tasks(const haft_call *call)
{
    return call->server->tasks.hooks &&
           hf_revision_rows[call->revision].tasks == TASKS_EXPERIMENTAL;
}

/* Writes the entry of call_tool, with the hints that all the tools have which it reaches. */
static void list_put_caller(haft_buffer *out, const struct list *list, const struct item *item,
                            unsigned hints, bool comma)
{
    struct json_writer w = json_members(out, true);
    struct text rest = item->rest[MODERN];

    buffer_add(out, list->first.data + !comma, list->first.size - !comma);
    buffer_add(out, item->quoted.data, item->quoted.size);
    buffer_add(out, rest.data, rest.size - 1); /* without the brace */
    hf_json_begin_object(json_key(&w, "annotations"));
    hf_json_bool(json_key(&w, "readOnlyHint"), hints & SEARCH_READ_ONLY);
    hf_json_bool(json_key(&w, "destructiveHint"), !(hints & SEARCH_NOT_DESTRUCTIVE));
    hf_json_bool(json_key(&w, "idempotentHint"), hints & SEARCH_IDEMPOTENT);
    hf_json_bool(json_key(&w, "openWorldHint"), !(hints & SEARCH_CLOSED_WORLD));
    hf_json_end_object(&w);
    hf_json_end_object(&w);
}

/* Writes a page of what an audience or a search shows, and returns its end. */
APART static size_t list_put_seen(haft_call *call, haft_buffer *out, const struct list_page *page,
                                  size_t i)
{
    size_t most = call->server->options.page_size ? call->server->options.page_size : SIZE_MAX;
    int era = hf_revision_rows[call->revision].modern ? MODERN : LEGACY;
    size_t n = 0;

    for (; i < page->offers->n && n < most; i++) {
        const struct entry *entry = &page->offers->entries[i];

        if (!list_shows(page, i))
            continue;
        if (entry->role == SEARCH_CALL)
            list_put_caller(out, page->list, entry->item, page->survey->hints, n++);
        else if (list_shows_tasks(call))
            list_put_task_entry(out, page->list, entry, n++);
        else
            list_put_entry(out, page->list, entry, era, n++);
    }
    return i;
}

/* Writes a page from `i` on and returns its end. */
static size_t put_page(haft_call *call, haft_buffer *out, const struct list *list,
                       const struct offer_list *offers, size_t i)
{
    size_t page = call->server->options.page_size ? call->server->options.page_size : SIZE_MAX;
    int era = hf_revision_rows[call->revision].modern ? MODERN : LEGACY;
    bool tasks = list_shows_tasks(call);
    size_t n = 0;

    for (; i < offers->n && n < page; i++) {
        if (offers->entries[i].disabled)
            continue;
        if (tasks)
            list_put_task_entry(out, list, &offers->entries[i], n++);
        else
            list_put_entry(out, list, &offers->entries[i], era, n++);
    }
    return i;
}

static bool list_has_more(const struct list_page *page, size_t i)
{
    for (; i < page->offers->n; i++)
        if (list_shows(page, i))
            return true;
    return false;
}

static void list_respond(haft_call *call, const struct list_page *page)
{
    const struct list *list = page->list;
    yyjson_val *cursor = yyjson_obj_get(call->request.params, "cursor");
    ptrdiff_t start = 0;
    struct json_writer w;
    size_t end;

    if (cursor) {
        start = yyjson_is_str(cursor) ? after_cursor(call, page, cursor) : -1;
        if (start < 0) {
            hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid params: the cursor is not valid",
                             NULL);
            return;
        }
    }
    w = json_members(hf_respond_begin(call), false);
    hf_json_begin_array(hf_json_name(&w, list->member, strlen(list->member)));
    end = page->audience || page->survey ? list_put_seen(call, w.out, page, (size_t)start)
                                         : put_page(call, w.out, list, page->offers, (size_t)start);
    hf_json_end_array(&w);
    if (list_has_more(page, end))
        put_cursor(&w, call->arena, page->offers->entries[end - 1].item,
                   list_position(page, end - 1));
    hf_put_cache_hints(call, &w);
    hf_respond_end(call, true, NULL);
}

void hf_handle_list(haft_call *call)
{
    const struct list *list = session_list_of(call->request.method);
    struct audience *audience = NULL;
    struct list_page page = {.list = list, .offers = &call->catalogue->lists[list->kind]};
    struct search_survey survey;

    if (call_is_guarded(call) && hf_guard_audience(call, &audience)) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    page.audience = audience;
    if (call->catalogue->search && list->kind == HAFT_OFFER_TOOL) {
        survey = hf_search_survey(call->catalogue, audience);
        page.survey = &survey;
    }
    list_respond(call, &page);
    hf_audience_drop(call->catalogue, audience);
}
