/* program.c - a user's program, outside the tree.  It has functions whose names the library uses
 * inside, which must not meet, and calls yyjson's functions on what the library has read. */
#include <haft.h>
#include <haft/json.h>

#include <stdio.h>
#include <yyjson.h>

int hash_bytes(void);
int error_set(void);
int node_new(void);

int hash_bytes(void)
{
    return 1;
}

int error_set(void)
{
    return 2;
}

int node_new(void)
{
    return 3;
}

/* Not a function that yyjson's header has inline. */
static bool is_same(haft_arena *arena)
{
    return yyjson_equals(haft_json_read("[1, 2]", 6, 0, arena, NULL),
                         haft_json_read("[1,2]", 5, 0, arena, NULL));
}

int main(void)
{
    static const char document[] = "{\"type\": \"integer\", \"minimum\": 3}";
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};
    haft_reason error;
    int good, bad;

    if (!arena || haft_schema_parse(document, sizeof document - 1, NULL, &schema, &error))
        return 1;
    good = haft_schema_validate_text(schema, "4", 1, arena, &issues);
    bad = haft_schema_validate_text(schema, "2", 1, arena, &issues);
    printf("%d %s %d %d\n", good, haft_strerror(bad), hash_bytes() + error_set() + node_new(),
           is_same(arena));
    haft_schema_free(schema);
    haft_arena_free(arena);
    return 0;
}
