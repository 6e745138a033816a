/* agent-loop.c - the loop at the heart of an agent: list the tools of a server, let a model choose, call, and
 * give the result back, until the model has its answer.
 *
 *     agent-loop                                    a server in this process
 *     agent-loop http://127.0.0.1:8808/mcp          a server elsewhere
 *     agent-loop ./server --option                  a program that it starts
 *
 * The model here is a stand-in of a few lines: it sees what a real one would see, the question, the tools with
 * their schemas and the results so far, and answers in the same way, with a call or with text. */
#include <haft.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

enum { MOST_TURNS = 8 };

/* ---- a server, for those who have none ---- */

HAFT_STRUCT(weather_args, HAFT_STRING(city, "Name of the city", .min = 1));
HAFT_STRUCT(weather_report,
    HAFT_NUMBER(celsius, "Temperature in degrees Celsius"),
    HAFT_STRING(sky, "Clouds, rain, sun"));

static int get_weather(haft_call *call, const weather_args *in, weather_report *out)
{
    if (strcmp(in->city, "Oslo"))
        return haft_error(call, "There is no station in %s", in->city);
    out->celsius = -3.5;
    out->sky = "snow";
    return 0;
}
HAFT_TOOL(get_weather, weather_args, weather_report, "Current weather of a city",
          .annotations = {.read_only = HAFT_YES});

/* ---- a model, for those who have none ---- */

/* What the model wants: a call, or to answer the person if tool is NULL. */
struct turn {
    const char *tool, *arguments;
    const char *text;
};

/* Chooses the first tool whose name occurs in the question, and reports what it returned. */
static struct turn model_choose(haft_value *tools, const char *question, const char *latest)
{
    haft_value *tool;
    size_t i, n;

    if (latest)
        return (struct turn){.text = latest};
    yyjson_arr_foreach(tools, i, n, tool) {
        const char *name = yyjson_get_str(yyjson_obj_get(tool, "name"));
        const char *topic = name ? strrchr(name, '_') : NULL;

        if (topic && strstr(question, topic + 1))
            return (struct turn){.tool = name, .arguments = "{\"city\":\"Oslo\"}"};
    }
    return (struct turn){.text = "None of the tools can help."};
}

/* ---- the loop ---- */

/* Text of the latest result, which the next request would overwrite. */
static const char *keep(haft_buffer *text, const haft_result *result)
{
    haft_buffer_clear(text);
    haft_buffer_puts(text, result->is_error ? "The tool failed: " : "The tool says: ");
    haft_buffer_puts(text, result->text);
    haft_buffer_add(text, "", 1);
    return text->status ? "The result is too long." : text->data;
}

static int run_turns(haft_client *client, const char *question)
{
    haft_result tools, result;
    haft_buffer text;
    struct turn turn = {0};
    int status = 0;

    haft_buffer_init(&text, NULL, 1 << 20);
    for (int n = 0; n < MOST_TURNS && !status && !turn.text; n++) {
        /* The list is kept for as long as the server permits: this does not ask it every time. */
        status = haft_client_list(client, HAFT_OFFER_TOOL, &tools);
        if (status)
            break;
        turn = model_choose(tools.content, question, text.size ? text.data : NULL);
        if (!turn.tool)
            break;
        printf("-> %s %s\n", turn.tool, turn.arguments);
        status = haft_client_call(client, turn.tool, turn.arguments, &result);
        if (!status)
            printf("<- %s\n", keep(&text, &result));
    }
    if (!status)
        printf("%s\n", turn.text ? turn.text : "The model does not come to an end.");
    else
        fprintf(stderr, "agent-loop: %s\n", haft_client_error(client, NULL));
    haft_buffer_finish(&text);
    return status;
}

/* A URL has a scheme; everything else is a program. */
static haft_client *open_client(char **words, haft_server *server, haft_reason *reterr_reason)
{
    haft_target target = HAFT_INIT(haft_target, 0);

    if (!words[0])
        target.server = server;
    else if (strstr(words[0], "://") || !strncmp(words[0], "unix:", 5))
        target.url = words[0];
    else
        target.command = (const char *const *)words;
    return haft_client_connect(&target, HAFT_WITH(haft_client_options, .name = "agent-loop"),
                               reterr_reason);
}

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("weather", "1.0.0");
    haft_reason reason = {0};
    haft_client *client;
    int status;

    if (!server || haft_add(server, &get_weather_tool))
        return 1;
    client = open_client(argv + (argc > 0), server, &reason);
    if (!client)
        fprintf(stderr, "agent-loop: %s\n", reason.text);
    status = client ? run_turns(client, "What is the weather in Oslo?") : 1;
    haft_client_free(client);
    haft_server_free(server);
    return status ? 1 : 0;
}
