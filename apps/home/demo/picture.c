/* picture.c - a PNG (RFC 2083) with a palette, made of rectangles.  Its data is stored, not compressed: zlib is not
 * needed for a door. */
#include "demo/picture.h"

enum { PICTURE_WIDTH = 160, PICTURE_HEIGHT = 120 };

enum {
    PICTURE_SKY,
    PICTURE_WALL,
    PICTURE_DOOR,
    PICTURE_GLASS,
    PICTURE_STEP,
    PICTURE_GREEN,
    PICTURE_RED
};

static const unsigned char picture_palette[][3] = {{135, 190, 230}, {190, 170, 150}, {110, 60, 40},
                                                   {230, 240, 250}, {120, 120, 120}, {40, 200, 60},
                                                   {220, 40, 40}};

static const struct picture_box {
    int left, top, right, bottom, colour;
} picture_boxes[] = {
    {0, 20, 160, 120, PICTURE_WALL}, {50, 30, 100, 110, PICTURE_DOOR},
    {62, 40, 88, 60, PICTURE_GLASS}, {40, 110, 120, 120, PICTURE_STEP},
    {92, 70, 96, 74, PICTURE_GLASS}, {112, 60, 120, 68, PICTURE_GREEN},
};

static int picture_colour(int x, int y, bool locked)
{
    int colour = PICTURE_SKY;

    for (size_t i = 0; i < sizeof picture_boxes / sizeof *picture_boxes; i++) {
        const struct picture_box *box = &picture_boxes[i];

        if (x >= box->left && x < box->right && y >= box->top && y < box->bottom)
            colour = box->colour;
    }
    return colour == PICTURE_GREEN && !locked ? PICTURE_RED : colour;
}

/* ---- chunks ---- */

static uint32_t picture_crc(uint32_t crc, const unsigned char *bytes, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

static void picture_word(unsigned char at[4], uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* A chunk whose type is the first four bytes. */
static void picture_chunk(haft_buffer *out, const unsigned char *bytes, size_t size)
{
    unsigned char word[4];

    picture_word(word, (uint32_t)(size - 4));
    haft_buffer_add(out, word, 4);
    haft_buffer_add(out, bytes, size);
    picture_word(word, picture_crc(0, bytes, size));
    haft_buffer_add(out, word, 4);
}

enum {
    PICTURE_LINE = PICTURE_WIDTH + 1,
    PICTURE_RAW = PICTURE_LINE * PICTURE_HEIGHT,
    PICTURE_DATA = 4 + 2 + 5 + PICTURE_RAW + 4
};

/* One stored block: 19,320 bytes are fewer than its 65,535. */
static void picture_data(haft_buffer *out, bool locked)
{
    unsigned char data[PICTURE_DATA] = {'I', 'D', 'A', 'T', 0x78, 0x01, 1};
    uint32_t a = 1, b = 0;
    size_t n = 11;

    data[7] = PICTURE_RAW & 0xff;
    data[8] = PICTURE_RAW >> 8;
    data[9] = (unsigned char)~data[7];
    data[10] = (unsigned char)~data[8];
    for (int y = 0; y < PICTURE_HEIGHT; y++)
        for (int x = -1; x < PICTURE_WIDTH; x++) { /* each line begins with its filter, 0 */
            data[n] = (unsigned char)(x < 0 ? 0 : picture_colour(x, y, locked));
            a = (a + data[n++]) % 65521;
            b = (b + a) % 65521;
        }
    picture_word(data + n, b << 16 | a);
    picture_chunk(out, data, sizeof data);
}

void demo_picture_write(haft_buffer *out, bool locked)
{
    unsigned char header[17] = {'I', 'H', 'D', 'R'},
                  palette[4 + sizeof picture_palette] = {'P', 'L', 'T', 'E'};

    picture_word(header + 4, PICTURE_WIDTH);
    picture_word(header + 8, PICTURE_HEIGHT);
    header[12] = 8; /* bits */
    header[13] = 3; /* by a palette */
    for (size_t i = 0; i < sizeof picture_palette; i++)
        palette[4 + i] = picture_palette[i / 3][i % 3];
    haft_buffer_add(out, "\x89PNG\r\n\x1a\n", 8);
    picture_chunk(out, header, sizeof header);
    picture_chunk(out, palette, sizeof palette);
    picture_data(out, locked);
    picture_chunk(out, (const unsigned char *)"IEND", 4);
}
