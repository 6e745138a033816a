/* oauth-server.c - notes that clients read and write as far as their scopes allow.
 *
 *     oauth-server --http 127.0.0.1:8808 --oauth-resource http://127.0.0.1:8808/mcp
 *         --oauth-issuer http://127.0.0.1:4000 --oauth-scopes notes:read
 *
 * Each client sees the notes of its principal.  Over standard input and output nobody is identified,
 * and everything may be used.  docs/auth.md explains the options. */
#include <haft.h>
#include <haft/access.h>
#include <string.h>

enum { NOTES = 100, NOTE_SIZE = 200, OWNER_SIZE = 256 };

struct note {
    char owner[OWNER_SIZE];
    char text[NOTE_SIZE];
};

struct notes {
    struct note notes[NOTES];
    size_t n_notes;
};

/* Who calls; everybody over standard input and output is one owner. */
static const char *owner_of(const haft_call *call)
{
    const char *principal = haft_call_principal(call);

    return principal ? principal : "";
}

static int whoami(haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);
    const char *name = !identity           ? "nobody"
                       : identity->subject ? identity->subject
                       : identity->client  ? identity->client
                                           : identity->principal;

    return haft_text(call, "%s with %s", name,
                     identity && identity->scopes ? identity->scopes : "no scopes");
}
HAFT_TOOL_BARE(whoami, "Tells who the server thinks you are", .quick = true,
               .annotations = {.read_only = HAFT_YES});

static int list_notes(haft_call *call)
{
    const struct notes *notes = haft_server_data(call);
    const char *list = "";

    for (size_t i = 0; i < notes->n_notes && list; i++)
        if (!strcmp(notes->notes[i].owner, owner_of(call)))
            list = haft_call_printf(call, "%s- %s\n", list, notes->notes[i].text);
    return list ? haft_text(call, "%s", list) : HAFT_ENOMEM;
}
HAFT_TOOL_BARE(list_notes, "Lists your notes", .quick = true, .scopes = "notes:read",
               .annotations = {.read_only = HAFT_YES});

HAFT_STRUCT(note_args,
    HAFT_STRING(text, "The note", .max = NOTE_SIZE / 4));

static int add_note(haft_call *call, const note_args *in)
{
    struct notes *notes = haft_server_data(call);
    struct note *note = &notes->notes[notes->n_notes];

    if (notes->n_notes == NOTES || strlen(owner_of(call)) >= OWNER_SIZE ||
        strlen(in->text) >= NOTE_SIZE)
        return haft_error(call, "There is no room for another note");
    memcpy(note->owner, owner_of(call), strlen(owner_of(call)) + 1);
    memcpy(note->text, in->text, strlen(in->text) + 1);
    notes->n_notes++;
    return haft_text(call, "Noted.");
}
HAFT_TOOL_IN(add_note, note_args, "Adds a note", .quick = true, .scopes = "notes:write");

int main(int argc, char **argv)
{
    struct notes notes = {.n_notes = 0};
    haft_server *server =
        haft_server_new_with("notes", "1.0.0", HAFT_WITH(haft_server_options, .data = &notes));

    if (server) {
        haft_add(server, &whoami_tool);
        haft_add(server, &list_notes_tool);
        haft_add(server, &add_note_tool);
    }
    return haft_main(server, argc, argv);
}
