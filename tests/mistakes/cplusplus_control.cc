/* expect nothing */
/* A header of C in C++, and what C++ has of its own. */
extern "C" {
#include <haft.h>

HAFT_ENUMERATION(colour, red, green);
HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs", .min = 1),
    HAFT_OPTIONAL(HAFT_INTEGER(level, "Percent", .max = 100, .min = 0)),
    HAFT_NULLABLE(HAFT_NUMBER(height, "Metres")),
    HAFT_DEFAULT(HAFT_ENUM(tint, colour, "Its colour"), colour_red),
    HAFT_ARRAY(tags, HAFT_STRING(tag, "One label"), "Labels", .max = 4));
HAFT_STRUCT(socket, HAFT_INTEGER(watts, "How many"));
HAFT_CHOICE(thing, "kind", HAFT_CASE(lamp, lamp), HAFT_CASE(socket, socket));
HAFT_LIST(lamps, HAFT_OBJECT(one, lamp, "A lamp"), "Lamps");
}
#include <haft.hpp>

#include <map>

namespace home
{
HAFT_ENUM_CLASS(mood, calm, (cross, "very-cross"));
HAFT_STRUCT(person,
    HAFT_FIELD(std::string, name, "A name", .max = 20, .min = 1),
    HAFT_FIELD((std::map<std::string, int>), scores, "By game", .values.min = 0),
    HAFT_DEFAULT(HAFT_FIELD(mood, now, "How it goes"), mood::calm));

struct house {
    std::vector<person> people;
};
HAFT_SCHEMA(house, HAFT_MEMBER(people, "Who lives there", .min = 1));

inline void crowded(haft::refinement &r, const house &value)
{
    if (value.people.size() > 9)
        r.issue("people", "too many");
}
HAFT_REFINE(house, crowded);
}

bool light(lamp &one, thing &other, lamps &all);
bool light(lamp &one, thing &other, lamps &all)
{
    one.has_level = one.null_height = true;
    one.level = INT64_C(5);
    one.tint = colour_green;
    other.kind = thing::thing_socket;
    other.as.socket.watts = 5;
    all.items = &one;
    all.n_items = 1;
    return one.n_tags == 0 && !one.tags && !one.room;
}

int main(int argc, char **argv)
{
    haft::server server("home", "1.0.0");

    server.tool("who", "Counts people", [](const home::house &in) { return in.people.size(); }, haft::read_only());
    return server.main(argc, argv);
}
