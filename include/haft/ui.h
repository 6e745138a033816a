/* haft/ui.h - MCP Apps: a tool that has a user interface, an HTML document that the host shows (the
 * extension io.modelcontextprotocol/ui).
 *
 *     static const haft_ui_page board_page = HAFT_INIT(haft_ui_page, .prefers_border = HAFT_YES);
 *     static const haft_resource board = HAFT_INIT(haft_resource, .uri = "ui://chess/board", .name = "board",
 *                                                  .mime_type = HAFT_UI_TYPE, .page = &board_page,
 *                                                  .read = read_board);
 *     static const haft_ui board_ui = HAFT_INIT(haft_ui, .resource = "ui://chess/board");
 *     HAFT_TOOL(move, move_args, position, "Moves a piece", .ui = &board_ui);
 *
 * A host that does not support apps ignores them, and shows the result of the tool as before. */
#ifndef HAFT_UI_H
#define HAFT_UI_H

#include <haft/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Media type of an app. */
#define HAFT_UI_TYPE "text/html;profile=mcp-app"

/* The user interface of a tool: `_meta.ui` in tools/list. */
struct haft_ui {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* URI of the app that shows the tool's results, such as "ui://chess/board".  haft_add refuses a tool
     * whose resource has not been added, or is not an app; the server logs a warning for a tool of a plugin
     * without its app, and when an app is removed or disabled later.  NULL for none: a tool for apps alone. */
    const char *resource;
    /* Who may call the tool: "model", "app" or "model app"; NULL for both. */
    const char *visibility;
};

/* What an app needs of the host: `_meta.ui` of its resource and of its contents.  Origins are strings such as
 * "https://api.example.com" or "wss://example.com:8443"; a host that begins with "*." stands for all hosts
 * below it.  Lists of origins end with NULL; a list that is NULL permits none. */
struct haft_ui_page {
    size_t struct_size;           /* set by HAFT_INIT or HAFT_WITH */
    const char *const *connect;   /* origins that scripts may connect to */
    const char *const *resources; /* origins of images, scripts, styles, fonts and media */
    const char *const *frames;    /* origins of nested frames */
    const char *const *base_uris; /* origins of base URIs */
    bool camera, microphone, geolocation, clipboard_write; /* permissions to ask for */
    const char *domain;       /* origin of its own, in the format of the host; NULL for none */
    haft_hint prefers_border; /* whether the host draws a border; UNSET: as the host likes */
};

#ifdef __cplusplus
}
#endif
#endif
