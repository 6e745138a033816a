/* content_write.c - writes the blocks of a result as JSON.
 *
 * The members of a block are rows of a table: see engine/offer/member_rows.h. */
#include <string.h>

#include "engine/call/content_block.h"

/* The struct that contains the values of its members. */
static const void *block_base(const struct content_block *block)
{
    return hf_block_rows[block->kind].of_link ? (const void *)block->link : block;
}

/* Writes the members of a block that came as JSON, except `_meta`, which comes last in every
 * block. */
static void object_write(yyjson_val *object, haft_buffer *out)
{
    yyjson_val *key, *value;
    bool any = false;
    size_t i, n;

    buffer_literal(out, "{");
    yyjson_obj_foreach(object, i, n, key, value) {
        if (yyjson_equals_str(key, "_meta"))
            continue;
        if (any)
            buffer_literal(out, ",");
        haft_json_write(key, out);
        buffer_literal(out, ":");
        haft_json_write(value, out);
        any = true;
    }
}

void hf_block_write(const struct content_block *block, bool bare, haft_buffer *out)
{
    const struct block_row *row = &hf_block_rows[block->kind];

    if (block->kind == BLOCK_TEXT && !block->annotations && !block->meta) {
        text_block_write(out, block->text.data, block->text.size);
        return;
    }
    if (block->kind == BLOCK_RENDERED) {
        buffer_add(out, block->text.data, block->text.size);
        return;
    }
    bare = bare && row->nests;
    if (block->object) {
        object_write(block->object, out);
    } else {
        buffer_add(out, bare ? "{" : row->open, bare ? 1 : row->open_size);
        hf_members_write(row->members, block_base(block), row->nests, out);
    }
    if (row->nests && !bare)
        buffer_literal(out, "}");
    if (block->annotations)
        hf_annotations_write(block->annotations, out);
    if (block->meta) {
        buffer_literal(out, ",\"_meta\":");
        haft_json_write(block->meta, out);
    }
    buffer_literal(out, "}");
}

size_t hf_block_size(const struct content_block *block, bool bare)
{
    const struct block_row *row = &hf_block_rows[block->kind];

    if (block->object)
        return hf_json_size(block->object);
    if (block->kind == BLOCK_RENDERED)
        return block->text.size;
    return (bare && row->nests ? 2 : row->open_size + 1 + row->nests) +
           hf_members_size(row->members, block_base(block), row->nests);
}

/* Everything is measured exactly except text, which may be long. */
int hf_block_check(const struct content_block *block, uint64_t *ret_size)
{
    const struct block_row *row = &hf_block_rows[block->kind];
    const struct member_row *member = row->members;
    const void *base = block_base(block);
    uint64_t size = row->open_size + 2;

    if (!hf_members_are_utf8(member, base, block->is_utf8))
        return HAFT_EUTF8;
    for (; member->key; member++) {
        if (member->kind == MEMBER_TEXT)
            size += member->key_size + 2 + (uint64_t)block->text.size * JSON_ESCAPED;
        else if (hf_member_is_there(member, base))
            size += member->key_size + hf_member_size(member, base);
    }
    *ret_size = block->object                   ? hf_json_size(block->object)
                : block->kind == BLOCK_RENDERED ? block->text.size
                                                : size;
    return 0;
}

int hf_block_copy(struct content_block *block, haft_arena *arena)
{
    const struct block_row *row = &hf_block_rows[block->kind];
    struct content_link *link;

    if (!row->of_link)
        return hf_members_copy(row->members, block, block->in_arena, arena) ? 0 : HAFT_ENOMEM;
    link = haft_arena_alloc(arena, sizeof *link);
    if (!link)
        return HAFT_ENOMEM;
    *link = *block->link;
    block->link = link;
    return hf_members_copy(row->members, link, false, arena) ? 0 : HAFT_ENOMEM;
}
