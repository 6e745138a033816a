/* hidden.c - characters that are invisible or change how others are displayed.
 *
 * A description can use them to hide instructions for a model, and they can manipulate a terminal
 * or a log. One table serves the warnings about them and the functions that print untrusted
 * text. */
#include "base/base.h"

#include <string.h>

/* Unicode's Default_Ignorable_Code_Point (bidirectional controls, joiners, tags), plus controls,
 * line separators and interlinear annotations, minus the variation selectors U+FE00 to U+FE0F,
 * which emoji use. Sorted. */
static const struct {
    uint32_t first, last;
} ranges[] = {{0x0000, 0x001F},   {0x007F, 0x009F},  {0x00AD, 0x00AD}, {0x034F, 0x034F},
              {0x061C, 0x061C},   {0x115F, 0x1160},  {0x17B4, 0x17B5}, {0x180B, 0x180F},
              {0x200B, 0x200F},   {0x2028, 0x202E},  {0x2060, 0x206F}, {0x3164, 0x3164},
              {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
              {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

bool hf_character_is_hidden(uint32_t c)
{
    size_t i = 0;

    if (c >= ' ' && c < 0x7F)
        return false;
    while (i < sizeof ranges / sizeof *ranges && c > ranges[i].last)
        i++;
    return i < sizeof ranges / sizeof *ranges && c >= ranges[i].first;
}

static size_t put_unit(uint32_t unit, char *out)
{
    static const char digits[] = "0123456789abcdef";

    memcpy(out, "\\u", 2);
    for (int i = 0; i < 4; i++)
        out[2 + i] = digits[unit >> (12 - 4 * i) & 15];
    return 6;
}

size_t hf_character_escape(uint32_t c, char ret_text[ESCAPE_TEXT])
{
    static const char named[] = "\bb\ff\nn\rr\tt";
    const char *name = c && c < ' ' ? strchr(named, (int)c) : NULL;

    if (name) {
        ret_text[0] = '\\';
        ret_text[1] = name[1];
        return 2;
    }
    if (c < 0x10000)
        return put_unit(c, ret_text);
    c -= 0x10000;
    return put_unit(0xD800 + (c >> 10), ret_text) + put_unit(0xDC00 + (c & 0x3FF), ret_text + 6);
}

/* Writes the character at `text`, of `size` bytes, in a form that is safe in one line. A size of 0
 * means invalid UTF-8. */
static size_t hidden_put_character(const char *text, size_t size, bool json, char out[ESCAPE_TEXT])
{
    const char *next = text;
    uint32_t c;

    if (!size) {
        memcpy(out, "\xEF\xBF\xBD", 3);
        return 3;
    }
    if (json && (*text == '"' || *text == '\\')) {
        out[0] = '\\';
        out[1] = *text;
        return 2;
    }
    c = hf_utf8_next(&next);
    if (hf_character_is_hidden(c))
        return hf_character_escape(c, out);
    memcpy(out, text, size);
    return size;
}

size_t hf_text_escape(const char *text, size_t size, bool json, char *ret_text, size_t room,
                      bool *ret_cut)
{
    size_t done = 0;

    *ret_cut = false;
    for (size_t i = 0; i < size && !*ret_cut;) {
        char out[ESCAPE_TEXT];
        size_t taken = hf_utf8_size(text + i, size - i),
               n = hidden_put_character(text + i, taken, json, out);

        *ret_cut = n > room - done;
        if (*ret_cut)
            break;
        memcpy(ret_text + done, out, n);
        done += n;
        i += taken ? taken : 1;
    }
    return done;
}
