/* arguments.c - parses a command line: one command, options, and operands.
 *
 * The table of commands is here; the options are those of option.c and those of the program. */
#include "cli/arguments.h"

#include <string.h>

#include "cli/verb.h"
#include "config/program_options.h"

enum { HELP_WIDTH = 26 };

static const struct verb {
    struct verb_text text;
    int (*act)(struct command *command, haft_server *server); /* NULL: it changes how */
} verbs[] = {
    {{"--stdio", NULL, NULL, "serve on standard input and output"}, hf_command_stdio},
    {{"--list", NULL, NULL, "print the tools as a table"}, hf_command_list},
    {{"--check", NULL, NULL,
      "check the tools for problems with clients; exit with 1 if a tool is rejected"},
     hf_command_check},
    {{"--call", NULL, "TOOL [JSON]", "call a tool and print its result; exit with 1 if it fails"},
     hf_command_call},
    {{"--print-config", NULL, NULL, "print the value of every option and its source"},
     hf_command_config},
    {{"--json", NULL, NULL, "with --list, --call or --print-config: print JSON"}, NULL},
    {{"--verbose", NULL, NULL,
      "with --list: also print the stages that a call of each tool passes"},
     NULL},
    {{"--help", "-h", NULL, "print this help"}, hf_command_help},
    {{"--version", "-V", NULL, "print the version"}, hf_command_version},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

bool hf_verb_at(size_t i, struct verb_text *ret_text)
{
    if (i < VERBS)
        *ret_text = verbs[i].text;
    return i < VERBS;
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(verbs[i].text.name, name) ||
            (verbs[i].text.brief && !strcmp(verbs[i].text.brief, name)))
            return &verbs[i];
    return NULL;
}

bool hf_verb_is_taken(const char *name, int version)
{
    (void)version; /* none has come since programs have options */
    return find_verb(name);
}

void hf_verb_put_help(const struct program_options *own, haft_buffer *page)
{
    for (size_t i = 0; i < VERBS; i++) {
        const struct verb_text *text = &verbs[i].text;
        const char *rest = text->brief ? text->brief : text->takes ? text->takes : "";

        haft_buffer_printf(page, "  %s%s %-*s%s\n", text->name, text->brief ? "," : "",
                           (int)(HELP_WIDTH - 1 - strlen(text->name) - (text->brief != NULL)), rest,
                           text->help);
    }
    hf_option_put_help(own, page);
}

/* ---- refusing ---- */

static int refuse_name(const struct command *command, const char *given,
                       struct complaints *complaints)
{
    static const char http[] = "--http";
    struct nearest search = hf_nearest_begin(given);
    const struct option *option;

    /* The dashes are common to all of them. */
    if (!strncmp(given, "--", 2))
        search.edits = hf_nearest_begin(given + 2).edits;
    for (size_t i = 0; i < VERBS; i++)
        hf_nearest_offer(&search, verbs[i].text.name);
    for (size_t i = 0; (option = hf_settings_option(&command->from_program, i)); i++)
        if (option->flag)
            hf_nearest_offer(&search, option->flag);
    if (!HAFT_HTTP && !strncmp(given, http, sizeof http - 1))
        hf_complaints_add(complaints, "%s: this program was built without HTTP", http);
    else if (*given != '-' && !search.name)
        hf_complaints_add(complaints, "unexpected argument %s; --help shows the usage", given);
    else
        hf_complaints_add(complaints, "unknown option %s%s%s%s", given,
                          search.name ? "; did you mean " : "; --help lists the options",
                          search.name ? search.name : "", search.name ? "?" : "");
    return HAFT_EINVAL;
}

static int refuse_without(const char *name, const char *takes, struct complaints *complaints)
{
    hf_complaints_add(complaints, "%s needs %s", name, takes);
    return HAFT_EINVAL;
}

/* --help and --version may join any other. */
static bool verbs_conflict(const struct command *command, const struct verb *verb)
{
    return verb->act && command->verb && verb->act != command->act &&
           verb->act != hf_command_help && verb->act != hf_command_version &&
           !hf_arguments_ask_help(command);
}

static int refuse_verbs(const struct command *command, const struct verb *verb,
                        struct complaints *complaints)
{
    hf_complaints_add(complaints, "%s and %s exclude each other", command->verb, verb->text.name);
    return HAFT_EINVAL;
}

/* ---- reading ---- */

/* Whether a word belongs to --call: where there are operands, only what can be arguments does. */
static bool is_arguments(const struct command *command, const char *word)
{
    return hf_program_options_operand(command->from_program.own, 0) ? word[0] == '{'
                                                                    : word[0] != '-';
}

/* Takes a verb and what belongs to it off the front; so many arguments, or an error. */
static int read_verb(struct command *command, const struct verb *verb, char **argv, int left,
                     struct complaints *complaints)
{
    int taken = 1;

    if (verb->act == hf_command_call) {
        if (left < 2)
            return refuse_without(verb->text.name, verb->text.takes, complaints);
        command->tool = argv[taken++];
        if (taken < left && is_arguments(command, argv[taken]))
            command->arguments = argv[taken++];
    }
    command->json |= !strcmp(verb->text.name, "--json");
    command->verbose |= !strcmp(verb->text.name, "--verbose");
    if (verb->act) {
        command->act = verb->act;
        command->verb = verb->text.name;
    }
    return taken;
}

static const struct option *arguments_find(const struct command *command, const char *flag,
                                           size_t size)
{
    const struct option *option = hf_program_options_by_flag(command->from_program.own, flag, size);

    for (size_t i = 0; i < hf_option_count && !option; i++)
        if (strlen(hf_option_table[i].flag) == size &&
            !strncmp(hf_option_table[i].flag, flag, size))
            option = &hf_option_table[i];
    return option;
}

/* Whether a word is an option: then it is hardly the value of another. */
static bool is_known(const struct command *command, const char *word)
{
    return !strncmp(word, "--", 2) &&
           (find_verb(word) || arguments_find(command, word, strcspn(word, "=")));
}

/* Parses an option: "--workers 3", "--workers=3"; a switch without a value is on.  Returns 0 if the
 * word is not an option. */
static int cli_read_option(struct command *command, char **argv, int left,
                           struct complaints *complaints)
{
    const char *equals = strchr(argv[0], '=');
    size_t size = equals ? (size_t)(equals - argv[0]) : strlen(argv[0]);
    const struct option *option = arguments_find(command, argv[0], size);
    const char *value = equals ? equals + 1 : NULL;
    bool takes;

    if (!option)
        return 0;
    takes = !value && hf_option_takes(option) && !option->bare;
    if (takes && left < 2)
        return refuse_without(option->flag, hf_option_takes(option), complaints);
    if (takes && is_known(command, argv[1])) {
        hf_complaints_add(complaints, "%s needs %s; write %s=%s if that is its value", option->flag,
                          hf_option_takes(option), option->flag, argv[1]);
        return HAFT_EINVAL;
    }
    value = takes ? argv[1] : value ? value : option->bare;
    command->given[command->n_given++] = (struct given){option, value};
    return takes ? 2 : 1;
}

/* Parses an operand.  Returns 1 if the app or the program accepts it. */
static int read_operand(struct command *command, const char *word)
{
    const struct app *app = command->app;
    const struct option *option =
        hf_program_options_operand(command->from_program.own, command->n_operands);
    int status = HAFT_EINVAL;

    if (word[0] == '-' && word[1] && !command->only_operands)
        return 0;
    if (option) {
        command->given[command->n_given++] = (struct given){option, word};
        command->n_operands++;
        return 1;
    }
    if (word[0] != '-' && app && app->operand)
        status = app->operand(app->context, word);
    command->operands = command->operands || !status;
    return !status;
}

/* One word and what belongs to it: so many, or an error. */
static int read_next(struct command *command, char **argv, int left, struct complaints *complaints)
{
    const struct verb *verb = command->only_operands ? NULL : find_verb(argv[0]);
    int taken = 0;

    if (verb && verbs_conflict(command, verb))
        return refuse_verbs(command, verb, complaints);
    if (verb)
        return read_verb(command, verb, argv, left, complaints);
    if (!command->only_operands && !strcmp(argv[0], "--") &&
        hf_program_options_operand(command->from_program.own, 0)) {
        command->only_operands = true;
        return 1;
    }
    if (!command->only_operands)
        taken = cli_read_option(command, argv, left, complaints);
    if (!taken)
        taken = read_operand(command, argv[0]);
    return taken ? taken : refuse_name(command, argv[0], complaints);
}

int hf_arguments_read(struct command *command, int argc, char **argv, struct complaints *complaints)
{
    for (int i = 1; i < argc;) {
        int taken = read_next(command, argv + i, argc - i, complaints);

        if (taken < 0)
            return complaints->text.status ? HAFT_ENOMEM : taken;
        i += taken;
    }
    return 0;
}

bool hf_arguments_ask_help(const struct command *command)
{
    return command->act == hf_command_help || command->act == hf_command_version;
}
