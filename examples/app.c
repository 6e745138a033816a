/* app.c - a tool with a user interface: an MCP App, in one file.
 *
 *     app                 serves on standard input and output
 *     app --http 8808     serves over HTTP
 *
 * A host that supports apps shows the page below for the results of roll_dice. The page gets the result from the
 * host, and its button calls roll_again, a tool that the model does not see. */
#include <haft.h>
#include <stdlib.h>

/* It needs nothing from the network, so the host permits nothing: no origins in `page`. */
static const char page[] =
    "<!doctype html>\n"
    "<html lang=\"en\"><meta charset=\"utf-8\"><title>Dice</title>\n"
    "<style>\n"
    "  body { font: 16px var(--font-sans, sans-serif); color: var(--color-text-primary, #222) }\n"
    "  #dice { font-size: 3em; letter-spacing: .2em }\n"
    "</style>\n"
    "<p id=\"dice\">&hellip;</p><p>Sum: <b id=\"sum\"></b></p><button id=\"again\">Roll again</button>\n"
    "<script>\n"
    "  let last = 0, count = 2;\n"
    "  const waiting = new Map();\n"
    "  const element = (id) => document.getElementById(id);\n"
    "  const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');\n"
    "  const ask = (method, params) => new Promise((resolve, reject) => {\n"
    "    waiting.set(++last, { resolve, reject });\n"
    "    post({ id: last, method, params });\n"
    "  });\n"
    "  const say = (text) => { element('dice').textContent = text; element('sum').textContent = ''; };\n"
    "  const show = ({ structuredContent, isError }) => {\n"
    "    if (isError || !structuredContent) return say('The dice could not be rolled.');\n"
    "    const { dice, sum } = structuredContent;\n"
    "    element('dice').textContent = dice.map((n) => String.fromCodePoint(0x267f + n)).join('');\n"
    "    element('sum').textContent = sum;\n"
    "  };\n"
    "  const handlers = {\n"
    "    'ui/notifications/tool-input': (params) => { count = params.arguments?.count ?? count; },\n"
    "    'ui/notifications/tool-result': show,\n"
    "    'ui/notifications/tool-cancelled': () => say('Cancelled.'),\n"
    "  };\n"
    "  addEventListener('message', ({ source, data }) => {\n"
    "    if (source !== parent || data?.jsonrpc !== '2.0') return;\n"
    "    if (data.method) {\n"
    "      handlers[data.method]?.(data.params);\n"
    "      if (data.id !== undefined) post({ id: data.id, result: {} }); /* ping, ui/resource-teardown */\n"
    "    } else if (waiting.has(data.id)) {\n"
    "      const { resolve, reject } = waiting.get(data.id);\n"
    "      waiting.delete(data.id);\n"
    "      if (data.error) reject(new Error(data.error.message)); else resolve(data.result);\n"
    "    }\n"
    "  });\n"
    "  element('again').onclick = () =>\n"
    "    ask('tools/call', { name: 'roll_again', arguments: { count } }).then(show, (e) => say(e.message));\n"
    "  ask('ui/initialize', { appInfo: { name: 'dice', version: '1.0.0' }, appCapabilities: {},\n"
    "                         protocolVersion: '2026-01-26' }).then(({ hostContext }) => {\n"
    "    for (const [name, value] of Object.entries(hostContext?.styles?.variables ?? {}))\n"
    "      document.documentElement.style.setProperty(name, value);\n"
    "    post({ method: 'ui/notifications/initialized' });\n"
    "    new ResizeObserver(() => post({ method: 'ui/notifications/size-changed', params: {\n"
    "      width: document.documentElement.scrollWidth, height: document.documentElement.offsetHeight } }))\n"
    "      .observe(document.documentElement);\n"
    "  });\n"
    "</script>\n"
    "</html>\n";

static int read_page(haft_call *call, const char *uri)
{
    (void)uri;
    return haft_text_bytes(call, page, sizeof page - 1);
}

static const haft_ui_page dice_needs = HAFT_INIT(haft_ui_page, .prefers_border = HAFT_YES);
static const haft_resource dice_page =
    HAFT_INIT(haft_resource, .uri = "ui://dice/page", .name = "dice", .mime_type = HAFT_UI_TYPE,
              .page = &dice_needs, .read = read_page, .quick = true);

HAFT_STRUCT(roll_args,
            HAFT_DEFAULT(HAFT_INTEGER(count, "Number of dice", .min = 1, .max = 20), 2));
HAFT_STRUCT(roll_result, HAFT_ARRAY(dice, HAFT_INTEGER(n, "Number of pips"), "Each of the dice"),
            HAFT_INTEGER(sum, "Sum of all dice"));

static int roll(haft_call *call, const roll_args *in, roll_result *out)
{
    int64_t *dice = haft_call_alloc(call, (size_t)in->count * sizeof *dice);

    if (!dice)
        return HAFT_ENOMEM;
    for (int64_t i = 0; i < in->count; i++) {
        dice[i] = rand() % 6 + 1;
        out->sum += dice[i];
    }
    out->dice = dice;
    out->n_dice = (size_t)in->count;
    return 0;
}

static int roll_dice(haft_call *call, const roll_args *in, roll_result *out)
{
    return roll(call, in, out);
}

static int roll_again(haft_call *call, const roll_args *in, roll_result *out)
{
    return roll(call, in, out);
}

static const haft_ui dice_ui = HAFT_INIT(haft_ui, .resource = "ui://dice/page");
static const haft_ui button_ui =
    HAFT_INIT(haft_ui, .resource = "ui://dice/page", .visibility = "app");

HAFT_TOOL(roll_dice, roll_args, roll_result, "Rolls dice and shows them", .ui = &dice_ui);
HAFT_TOOL(roll_again, roll_args, roll_result, "Rolls the dice of the page again", .ui = &button_ui);

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("dice", "1.0.0");

    if (haft_resource_add(server, &dice_page) || haft_add(server, &roll_dice_tool) ||
        haft_add(server, &roll_again_tool)) {
        haft_server_free(server);
        return 1;
    }
    return haft_main(server, argc, argv);
}
