/* program.cc - the headers are C++ too. */
#include <haft.h>

#include <cstdio>

int main()
{
    haft_arena *arena = haft_arena_new(nullptr, 1 << 20);
    haft_builder *builder = haft_builder_new(nullptr);
    haft_schema *schema = nullptr;
    haft_issues issues{};
    haft_reason error{};

    haft_def *def = haft_def_object(builder, "age", haft_def_at_least(haft_def_int(builder), 0), NULL);
    if (!arena || haft_schema_build(builder, def, &schema, &error))
        return 1;
    int good = haft_schema_validate_text(schema, "{\"age\":1}", 9, arena, &issues);
    int bad = haft_schema_validate_text(schema, "{\"age\":-1}", 10, arena, &issues);
    std::printf("%d %s\n", good, haft_strerror(bad));
    haft_schema_free(schema);
    haft_arena_free(arena);
    return 0;
}
