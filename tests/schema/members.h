/* members.h - a struct as programs have them: narrow integers, float, texts and items inside it. */
#ifndef HAFT_TESTS_MEMBERS_H
#define HAFT_TESTS_MEMBERS_H

#include <haft/declare.h>

typedef enum member_region { MEMBER_EAST = 5, MEMBER_WEST = -7, MEMBER_FAR = 70000 } member_region;

HAFT_ENUM_NAMES(member_region, HAFT_VALUE(MEMBER_EAST, "us-east-1"),
                HAFT_VALUE(MEMBER_WEST, "us-west-2"), HAFT_VALUE(MEMBER_FAR, "application/json"));

/* What a packed enum is, without the compiler's help. */
typedef unsigned char member_level;
HAFT_ENUM_NAMES(member_level, HAFT_VALUE(3, "low"), HAFT_VALUE(200, "high"));

typedef struct member_spot {
    float x, y;
} member_spot;

HAFT_SCHEMA(member_spot,
    HAFT_NUMBER(x, "To the right"),
    HAFT_NUMBER(y, "Upwards", .max = 100));

typedef struct member_all {
    char guard; /* so that nothing is where it would be by chance */
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    short s;
    int i;
    unsigned u;
    long l;
    unsigned long long ull;
    size_t size;
    float ratio;
    double wide;
    bool yes;
    char name[8];
    const char *note;
    member_spot at;
    int fixed[3];
    size_t n_some;
    uint8_t some[4];
    size_t n_far;
    int16_t *far;
    char words[2][4];
    member_spot spots[2];
    member_region region;
    member_level level;
    bool has_limit;
    unsigned limit;
    bool null_tag;
    char tag[4];
    unsigned char after;
} member_all;

HAFT_SCHEMA(member_all,
    HAFT_INTEGER(i8, "One byte"),
    HAFT_INTEGER(u8, "One byte, no sign"),
    HAFT_INTEGER(i16, "Two bytes"),
    HAFT_INTEGER(u16, "Two bytes, no sign"),
    HAFT_INTEGER(i32, "Four bytes"),
    HAFT_INTEGER(u32, "Four bytes, no sign"),
    HAFT_INTEGER(i64, "Eight bytes"),
    HAFT_INTEGER(u64, "Eight bytes, no sign"),
    HAFT_INTEGER(s, "A short"),
    HAFT_INTEGER(i, "An int", .min = -5, .max = 5),
    HAFT_INTEGER(u, "An unsigned", .above = 2),
    HAFT_INTEGER(l, "A long"),
    HAFT_INTEGER(ull, "An unsigned long long"),
    HAFT_INTEGER(size, "A size_t"),
    HAFT_NUMBER(ratio, "A float"),
    HAFT_NUMBER(wide, "A double"),
    HAFT_BOOLEAN(yes, "A bool"),
    HAFT_STRING(name, "A text inside", .min = 1),
    HAFT_STRING(note, "A text elsewhere"),
    HAFT_OBJECT(at, member_spot, "A struct inside"),
    HAFT_FIXED(fixed, 3, HAFT_INTEGER(one, "A number"), "Three numbers"),
    HAFT_ARRAY(some, HAFT_INTEGER(one, "A byte"), "Up to four bytes"),
    HAFT_ARRAY(far, HAFT_INTEGER(one, "A short"), "Any number of shorts"),
    HAFT_FIXED(words, 2, HAFT_STRING(one, "A word"), "Two words"),
    HAFT_FIXED(spots, 2, HAFT_OBJECT(one, member_spot, "A spot"), "Two spots"),
    HAFT_ENUM(region, member_region, "Where"),
    HAFT_DEFAULT(HAFT_ENUM(level, member_level, "How much"), 200),
    HAFT_OPTIONAL(HAFT_INTEGER(limit, "At most")),
    HAFT_NULLABLE(HAFT_STRING(tag, "A label")));

#endif
