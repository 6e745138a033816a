/* shape_result.c - shortens the result of a call.
 *
 * JSON, as structured content and as text, is projected; then text and structured content that are still too
 * large are cut. A last block tells the model what was left out of lists or cut. */
#include <stdio.h>
#include <string.h>

#include "gateway/shape.h"

enum { SHAPE_NUMBER = 32, SHAPE_NOTE = 2048 };

/* What the note says. */
struct shape_notes {
    struct shape_cuts cuts;
    uint64_t kept, total; /* bytes of text; 0 if it was not cut */
    uint64_t structured;  /* size of structured content that was left out; 0 if it was not */
};

/* ---- JSON ---- */

/* Projects JSON in the call's arena. Returns 1 with the new text, 0 if the text remains, or an error. */
static int shape_json(haft_call *call, const struct shape_rule *rule, const char *text, size_t size,
                      haft_buffer *ret_json, struct shape_cuts *ret_cuts)
{
    yyjson_val *value;
    const char *reason;
    size_t offset;
    int status;

    ret_cuts->n = 0;
    if (!size || hf_json_text_is_deep(text, size, JSON_MAX_DEPTH))
        return 0;
    status = hf_json_parse(text, size, call->arena, &value, &offset, &reason);
    if (status)
        return status == HAFT_ENOMEM ? status : 0;
    return hf_shape_project(&rule->projection, value, call->arena, ret_json, ret_cuts);
}

static int shape_structured(haft_call *call, const struct shape_rule *rule,
                            struct shape_cuts *ret_cuts)
{
    haft_buffer json;
    int status;

    haft_buffer_init(&json, call->server->allocator, call->structured.limit);
    status = shape_json(call, rule, call->structured.data, call->structured.size, &json, ret_cuts);
    if (status > 0) {
        haft_buffer_clear(&call->structured);
        haft_buffer_add(&call->structured, json.data, json.size);
        status = call->structured.status;
    }
    haft_buffer_finish(&json);
    return status;
}

/* ---- text of blocks ---- */

/* The string in a block that came as JSON: of text, or of the contents of a resource. */
static yyjson_val *block_string(const struct content_block *block)
{
    yyjson_val *object = block->object;
    const char *type = yyjson_get_str(yyjson_obj_get(object, "type"));

    if (type && !strcmp(type, "resource"))
        object = yyjson_obj_get(object, "resource");
    else if (!type || strcmp(type, "text") != 0)
        return NULL;
    return rpc_string(object, "text");
}

/* Whether a block has text, and which. */
static bool shape_block_text(const struct content_block *block, struct text *ret_text)
{
    yyjson_val *string = block->object ? block_string(block) : NULL;

    if (!string && block->kind != BLOCK_TEXT && block->kind != BLOCK_TEXT_CONTENTS)
        return false;
    *ret_text =
        string ? (struct text){yyjson_get_str(string), yyjson_get_len(string)} : block->text;
    return true;
}

/* The text is in the call's arena, and ends in a NUL. */
static void shape_block_set_text(struct content_block *block, const char *text, size_t size)
{
    if (block->object)
        unsafe_yyjson_set_strn(block_string(block), text, size);
    else
        block->text = (struct text){text, size};
}

/* The blocks have changed: their sizes are counted again. */
static void shape_recount(struct content *content)
{
    content->counted = NULL;
    content->size = 0;
    content->pending = content->n != 0;
}

static int shape_block_json(haft_call *call, const struct shape_rule *rule,
                            struct content_block *block, struct shape_cuts *ret_cuts)
{
    struct text text;
    haft_buffer json;
    const char *copy;
    int status;

    ret_cuts->n = 0;
    if (!shape_block_text(block, &text))
        return 0;
    haft_buffer_init(&json, call->server->allocator, call->structured.limit);
    status = shape_json(call, rule, text.data, text.size, &json, ret_cuts);
    if (status > 0) {
        copy = haft_arena_copy(call->arena, json.data, json.size);
        status = copy ? 0 : HAFT_ENOMEM;
        if (copy)
            shape_block_set_text(block, copy, json.size);
    }
    haft_buffer_finish(&json);
    return status;
}

/* A text block often repeats the structured content: then its lists are not named again. */
static int shape_blocks(haft_call *call, const struct shape_rule *rule, struct shape_cuts *cuts)
{
    bool named = call->structured.size != 0;
    int status = 0;

    if (call->content.mirrors) {
        shape_recount(&call->content);
        return 0;
    }
    for (struct content_block *block = call->content.first; block && !status; block = block->next) {
        struct shape_cuts own;

        status = shape_block_json(call, rule, block, &own);
        if (!named && own.n) {
            *cuts = own;
            named = true;
        }
    }
    shape_recount(&call->content);
    return status;
}

/* ---- size ---- */

/* Removes the blocks of text that are left without any. */
static void shape_unlink_empty(struct content *content)
{
    struct content_block **link = &content->first, *block;
    struct text text;

    content->last = NULL;
    while ((block = *link)) {
        if (shape_block_text(block, &text) && !text.data) {
            *link = block->next;
            content->n--;
            continue;
        }
        content->last = block;
        link = &block->next;
    }
}

/* Cuts text at the end of a character; without room, nothing of it remains. Returns 0 or HAFT_ENOMEM. */
static int shape_block_cut(haft_call *call, struct content_block *block, const struct text *text,
                           size_t room, uint64_t *kept)
{
    size_t size = haft_utf8_valid(text->data, room);
    const char *copy = room ? haft_arena_copy(call->arena, text->data, size) : NULL;

    if (room && !copy)
        return HAFT_ENOMEM;
    shape_block_set_text(block, copy, size);
    *kept += size;
    return 0;
}

/* Cuts the text of all blocks together. */
static int shape_cut_text(haft_call *call, uint64_t max, struct shape_notes *notes)
{
    uint64_t total = 0, kept = 0, room = max;
    struct text text;
    int status = 0;

    for (struct content_block *block = hf_content_first(call); block && !status;
         block = block->next) {
        if (!shape_block_text(block, &text) || !text.size)
            continue;
        total += text.size;
        if (text.size <= room) {
            kept += text.size;
            room -= text.size;
        } else {
            status = shape_block_cut(call, block, &text, (size_t)room, &kept);
            room = 0;
        }
    }
    if (total <= max)
        return status ? status : call->content.status;
    notes->total = total;
    notes->kept = kept;
    shape_unlink_empty(&call->content);
    shape_recount(&call->content);
    return status ? status : call->content.status;
}

/* Structured content cannot be cut: its text, or the beginning of it, is there instead. */
static int shape_cut(haft_call *call, uint64_t max, struct shape_notes *notes)
{
    haft_buffer *structured = &call->structured;
    int status = 0;

    if (structured->size > max) {
        if (!call->content.n)
            status = hf_content_mirror(call);
        hf_content_first(call);
        if (!status)
            status = call->content.status;
        notes->structured = structured->size;
        haft_buffer_clear(structured);
    }
    if (call->content.mirrors) /* the same text, which fits */
        return status;
    return status ? status : shape_cut_text(call, max, notes);
}

/* ---- the note ---- */

/* "12,345" */
static const char *shape_number(uint64_t number, char text[SHAPE_NUMBER])
{
    char *at = text + SHAPE_NUMBER - 1;

    *at = '\0';
    for (unsigned n = 0; number || !n; number /= 10, n++) {
        if (n && n % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
    }
    return at;
}

static void notes_put_cuts(const struct shape_cuts *cuts, haft_buffer *note)
{
    char kept[SHAPE_NUMBER], total[SHAPE_NUMBER];

    for (size_t i = 0; i < cuts->n && i < SHAPE_CUTS; i++)
        haft_buffer_printf(
            note, " %s has %s of %s items;", *cuts->list[i].path ? cuts->list[i].path : "the list",
            shape_number(cuts->list[i].kept, kept), shape_number(cuts->list[i].total, total));
    if (cuts->n > SHAPE_CUTS)
        haft_buffer_printf(note, " %s more lists are shortened;",
                           shape_number(cuts->n - SHAPE_CUTS, kept));
}

static void notes_write(const struct shape_notes *notes, const char *fewer, haft_buffer *note)
{
    char kept[SHAPE_NUMBER], total[SHAPE_NUMBER];

    haft_buffer_puts(note, "[Shortened by the gateway:");
    notes_put_cuts(&notes->cuts, note);
    if (notes->total)
        haft_buffer_printf(note, " this is %s of %s bytes of text;",
                           shape_number(notes->kept, kept), shape_number(notes->total, total));
    if (notes->structured)
        haft_buffer_printf(note, " structured content of %s bytes is left out;",
                           shape_number(notes->structured, total));
    note->size--; /* the last semicolon */
    haft_buffer_puts(note, ". To get what is missing, call the tool again and ask for less");
    if (fewer)
        haft_buffer_printf(note, ", with its arguments: %s.]", fewer);
    else
        haft_buffer_puts(note, ", if its arguments allow that.]");
}

/* Adds the note, if something was left out that the rule does not say. */
static int shape_note(haft_call *call, const struct tool_shape *shape,
                      const struct shape_notes *notes)
{
    haft_buffer note;
    int status;

    if (!notes->cuts.n && !notes->total && !notes->structured)
        return 0;
    haft_buffer_init(&note, call->server->allocator, SHAPE_NOTE);
    notes_write(notes, shape->fewer, &note);
    status = note.status;
    if (!status) {
        hf_content_first(call);
        status = hf_content_add_text(call, note.data, note.size, false);
    }
    haft_buffer_finish(&note);
    return status;
}

int hf_shape_shorten(haft_call *call, const struct tool_shape *shape)
{
    const struct shape_rule *rule = shape->rule;
    struct shape_notes notes = {.cuts.n = 0};
    int status = call->content.status ? call->content.status : call->structured.status;

    if (!status && rule->projects && !call->result.is_error) {
        status = shape_structured(call, rule, &notes.cuts);
        if (!status)
            status = shape_blocks(call, rule, &notes.cuts);
    }
    if (!status && rule->max_bytes)
        status = shape_cut(call, rule->max_bytes, &notes);
    if (!status)
        status = shape_note(call, shape, &notes);
    return status;
}
