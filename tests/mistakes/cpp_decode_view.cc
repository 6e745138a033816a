/* expect: haft: what a std::string_view points to lives in a call alone: to decode without one, the member must be a std::string */
/* A view of text that is gone when decode returns. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string_view, room, "Where it hangs"));

lamp read(const haft::schema_of<lamp> &schema);
lamp read(const haft::schema_of<lamp> &schema)
{
    return schema.decode("{}");
}
