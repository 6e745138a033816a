/* ecma_property.c - \p{...}: translates ECMA-262 names to those of PCRE2.
 *
 * ECMA-262 accepts exact names only: a general category by either name, a binary property of its
 * list, and scripts after Script= or Script_Extensions=. PCRE2 knows categories by their short
 * names, properties and scripts by both, and matches names loosely; so the lists are here, except
 * for the scripts, which PCRE2 checks. */
#include "schema/text/ecma.h"

#include <string.h>

enum { ECMA_PROPERTY_MAX_NAME = 64 };

/* A category: its short name, its long name, and the third that a few have. */
static const struct category {
    const char *code, *name, *alias;
} categories[] = {
    {"L", "Letter", NULL},
    {"Lu", "Uppercase_Letter", NULL},
    {"Ll", "Lowercase_Letter", NULL},
    {"Lt", "Titlecase_Letter", NULL},
    {"LC", "Cased_Letter", NULL},
    {"Lm", "Modifier_Letter", NULL},
    {"Lo", "Other_Letter", NULL},
    {"M", "Mark", "Combining_Mark"},
    {"Mn", "Nonspacing_Mark", NULL},
    {"Mc", "Spacing_Mark", NULL},
    {"Me", "Enclosing_Mark", NULL},
    {"N", "Number", NULL},
    {"Nd", "Decimal_Number", "digit"},
    {"Nl", "Letter_Number", NULL},
    {"No", "Other_Number", NULL},
    {"P", "Punctuation", "punct"},
    {"Pc", "Connector_Punctuation", NULL},
    {"Pd", "Dash_Punctuation", NULL},
    {"Ps", "Open_Punctuation", NULL},
    {"Pe", "Close_Punctuation", NULL},
    {"Pi", "Initial_Punctuation", NULL},
    {"Pf", "Final_Punctuation", NULL},
    {"Po", "Other_Punctuation", NULL},
    {"S", "Symbol", NULL},
    {"Sm", "Math_Symbol", NULL},
    {"Sc", "Currency_Symbol", NULL},
    {"Sk", "Modifier_Symbol", NULL},
    {"So", "Other_Symbol", NULL},
    {"Z", "Separator", NULL},
    {"Zs", "Space_Separator", NULL},
    {"Zl", "Line_Separator", NULL},
    {"Zp", "Paragraph_Separator", NULL},
    {"C", "Other", NULL},
    {"Cc", "Control", "cntrl"},
    {"Cf", "Format", NULL},
    {"Cs", "Surrogate", NULL},
    {"Co", "Private_Use", NULL},
    {"Cn", "Unassigned", NULL},
};

/* Binary properties, whose names are the same in PCRE2. */
static const char *const properties[] = {
    "ASCII",
    "ASCII_Hex_Digit",
    "AHex",
    "Alphabetic",
    "Alpha",
    "Any",
    "Bidi_Control",
    "Bidi_C",
    "Bidi_Mirrored",
    "Bidi_M",
    "Case_Ignorable",
    "CI",
    "Cased",
    "Changes_When_Casefolded",
    "CWCF",
    "Changes_When_Casemapped",
    "CWCM",
    "Changes_When_Lowercased",
    "CWL",
    "Changes_When_Titlecased",
    "CWT",
    "Changes_When_Uppercased",
    "CWU",
    "Dash",
    "Default_Ignorable_Code_Point",
    "DI",
    "Deprecated",
    "Dep",
    "Diacritic",
    "Dia",
    "Emoji",
    "Emoji_Component",
    "EComp",
    "Emoji_Modifier",
    "EMod",
    "Emoji_Modifier_Base",
    "EBase",
    "Emoji_Presentation",
    "EPres",
    "Extended_Pictographic",
    "ExtPict",
    "Extender",
    "Ext",
    "Grapheme_Base",
    "Gr_Base",
    "Grapheme_Extend",
    "Gr_Ext",
    "Hex_Digit",
    "Hex",
    "IDS_Binary_Operator",
    "IDSB",
    "IDS_Trinary_Operator",
    "IDST",
    "ID_Continue",
    "IDC",
    "ID_Start",
    "IDS",
    "Ideographic",
    "Ideo",
    "Join_Control",
    "Join_C",
    "Logical_Order_Exception",
    "LOE",
    "Lowercase",
    "Lower",
    "Math",
    "Noncharacter_Code_Point",
    "NChar",
    "Pattern_Syntax",
    "Pat_Syn",
    "Pattern_White_Space",
    "Pat_WS",
    "Quotation_Mark",
    "QMark",
    "Radical",
    "Regional_Indicator",
    "RI",
    "Sentence_Terminal",
    "STerm",
    "Soft_Dotted",
    "SD",
    "Terminal_Punctuation",
    "Term",
    "Unified_Ideograph",
    "UIdeo",
    "Uppercase",
    "Upper",
    "Variation_Selector",
    "VS",
    "White_Space",
    "space",
    "XID_Continue",
    "XIDC",
    "XID_Start",
    "XIDS",
};

/* The names before the = of `Name=Value`. */
static const struct selector {
    const char *name, *prefix; /* NULL for a general category */
} selectors[] = {
    {"General_Category", NULL},    {"gc", NULL},    {"Script", "sc:"}, {"sc", "sc:"},
    {"Script_Extensions", "scx:"}, {"scx", "scx:"},
};

static const char *find_category(const char *name)
{
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
        const struct category *row = &categories[i];

        if (!strcmp(row->code, name) || !strcmp(row->name, name) ||
            (row->alias && !strcmp(row->alias, name)))
            return strcmp(row->code, "LC") ? row->code : "L&";
    }
    return NULL;
}

/* With the flag i, a property of one case matches both cases, and its complement also matches
 * letters of that case, through their other case. */
static const struct folded {
    const char *name, *both;
} foldings[] = {
    {"Lu", "L&"},       {"Ll", "L&"},           {"Lt", "L&"},       {"Uppercase", "Cased"},
    {"Upper", "Cased"}, {"Lowercase", "Cased"}, {"Lower", "Cased"},
};

static bool put_property(struct ecma *ecma, bool negated, const char *prefix, const char *name)
{
    for (size_t i = 0; ecma->ignore_case && i < sizeof foldings / sizeof *foldings; i++)
        if (!*prefix && !strcmp(name, foldings[i].name)) {
            name = negated ? "Any" : foldings[i].both;
            negated = false;
        }
    haft_buffer_printf(&ecma->out, "\\%c{%s%s}", negated ? 'P' : 'p', prefix, name);
    return true;
}

static bool put_named(struct ecma *ecma, bool negated, const char *name)
{
    const char *category = find_category(name);

    if (category)
        return put_property(ecma, negated, "", category);
    if (!strcmp(name, "Assigned"))
        return put_property(ecma, !negated, "", "Cn");
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (!strcmp(properties[i], name))
            return put_property(ecma, negated, "", name);
    return false;
}

static bool put_selected(struct ecma *ecma, bool negated, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        const struct selector *row = &selectors[i];

        if (strcmp(row->name, name) != 0)
            continue;
        if (row->prefix)
            return *value >= 'A' && *value <= 'Z' &&
                   put_property(ecma, negated, row->prefix, value);
        value = find_category(value);
        return value && put_property(ecma, negated, "", value);
    }
    return false;
}

bool hf_ecma_property(struct ecma *ecma, bool negated)
{
    size_t start = ecma->pos - 2, size = 0;
    char name[ECMA_PROPERTY_MAX_NAME + 1], c, *value = NULL;

    if (hf_ecma_peek(ecma, 0) != '{')
        return hf_ecma_fail(ecma, start, "invalid property name");
    while (size < ECMA_PROPERTY_MAX_NAME && (c = hf_ecma_peek(ecma, 1 + size)) != '}') {
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';

        if (c == '=' && !value)
            value = name + size + 1;
        else if (!letter && c != '_' && !(c >= '0' && c <= '9'))
            return hf_ecma_fail(ecma, start, "invalid property name");
        name[size++] = c == '=' ? '\0' : c;
    }
    name[size] = '\0';
    if (hf_ecma_peek(ecma, 1 + size) != '}' ||
        !(value ? put_selected(ecma, negated, name, value) : put_named(ecma, negated, name)))
        return hf_ecma_fail(ecma, start, "invalid property name");
    ecma->pos += size + 2;
    return true;
}
