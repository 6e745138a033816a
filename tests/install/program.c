/* program.c - a user's program, outside the tree.  It has functions whose names the library uses
 * inside, which must not meet. */
#include <haft.h>

#include <stdio.h>

int hf_hash_bytes(void);
int hf_error_set(void);
int hf_node_new(void);

int hf_hash_bytes(void)
{
    return 1;
}

int hf_error_set(void)
{
    return 2;
}

int hf_node_new(void)
{
    return 3;
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
    printf("%d %s %d\n", good, haft_strerror(bad),
           hf_hash_bytes() + hf_error_set() + hf_node_new());
    haft_schema_free(schema);
    haft_arena_free(arena);
    return 0;
}
