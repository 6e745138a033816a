/* form.c - forms. */
#include "auth/form.h"

#include <uv.h>

#include "base/percent.h"
#include "base/sha256.h"

enum { FORM_RANDOM = 64 };

/* As hf_percent_encode, with "+" for a space. */
static void form_encode(haft_buffer *form, const char *text)
{
    for (size_t size; *text; text += size) {
        size = strcspn(text, " ");
        hf_percent_encode(form, text, size);
        if (text[size] == ' ') {
            haft_buffer_add(form, "+", 1);
            size++;
        }
    }
}

void hf_form_add(haft_buffer *form, const char *name, const char *value)
{
    if (!value)
        return;
    if (form->size && form->data[form->size - 1] != '?')
        haft_buffer_add(form, "&", 1);
    haft_buffer_puts(form, name);
    haft_buffer_add(form, "=", 1);
    form_encode(form, value);
}

void hf_form_basic(haft_buffer *header, const haft_allocator *allocator, const char *id,
                   const char *secret)
{
    haft_buffer pair;

    haft_buffer_init(&pair, allocator, header->limit);
    form_encode(&pair, id);
    haft_buffer_add(&pair, ":", 1);
    form_encode(&pair, secret);
    haft_buffer_puts(header, "Basic ");
    if (pair.status)
        header->status = pair.status;
    else if (hf_buffer_reserve(header, HAFT_BASE64_SIZE(pair.size)))
        header->size += haft_base64_encode(pair.data, pair.size, header->data + header->size);
    haft_buffer_finish(&pair);
}

const char *hf_random_text(haft_arena *arena, size_t size)
{
    unsigned char bytes[FORM_RANDOM];
    haft_buffer text;
    const char *copy = NULL;

    haft_buffer_init(&text, hf_arena_allocator(arena), HAFT_BASE64_SIZE(FORM_RANDOM));
    if (size <= sizeof bytes && !uv_random(NULL, NULL, bytes, size, 0, NULL)) {
        hf_base64url_put(&text, bytes, size);
        copy = text.status ? NULL : haft_arena_copy(arena, text.data, text.size);
    }
    hf_secret_wipe(bytes, sizeof bytes);
    haft_buffer_finish(&text);
    return copy;
}
