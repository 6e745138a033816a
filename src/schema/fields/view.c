/* view.c - declared types in the layout of this version of the library.
 *
 * A program compiled with an earlier header has shorter types and fields. Types of the current
 * size, which are nearly all, are used in place. */
#include "base/struct.h"
#include "schema/fields/fields.h"

const haft_type *hf_fields_type(struct compile *c, const haft_type *given)
{
    haft_type *own;

    if (given->struct_size >= sizeof *given && given->field_size >= sizeof(haft_field))
        return given;
    own = hf_fields_take(c, 1, sizeof *own);
    if (!own)
        return NULL;
    if (!hf_struct_read(own, sizeof *own, given) || (own->n_fields && !own->field_size)) {
        hf_fields_fail(c, HAFT_EINVAL, NULL,
                       "the type was not declared by a macro of haft/declare.h");
        return NULL;
    }
    return own;
}

static const haft_field *field_copy(struct compile *c, const haft_field *given, size_t size)
{
    haft_field *first = NULL, **to = &first;

    for (; given; given = given->item) { /* items can have items */
        haft_field *own = hf_fields_take(c, 1, sizeof *own);

        if (!own)
            return NULL;
        memcpy(own, given, size);
        *to = own;
        to = (haft_field **)(uintptr_t)&own->item;
    }
    return first;
}

const haft_field *hf_fields_at(struct compile *c, const haft_type *type, size_t i)
{
    const haft_field *given = field_given(type, i);

    return type->field_size >= sizeof *given ? given : field_copy(c, given, type->field_size);
}

struct haft_type_options hf_fields_options(const haft_type *type)
{
    struct haft_type_options options = {.struct_size = 0};

    if (type->options && type->options->struct_size)
        hf_struct_read(&options, sizeof options, type->options);
    return options;
}
