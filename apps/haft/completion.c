/* completion.c - generates shell completions from the tables.
 *
 * Names of tools are fetched from the server whose URL is on the command line. The server chooses
 * them, so they are untrusted: the shell must not expand them, and names that it would execute or
 * expand when Enter is pressed are not offered. Both the program (--safe-names) and the functions
 * ensure this, since either may be older than the other. */
#include <string.h>

#include "program.h"

static void put_options(haft_buffer *out, const struct command *command)
{
    struct option_row row;

    for (size_t i = 0; option_at(command, i, &row); i++)
        haft_buffer_printf(out, "%s%s%s%s", i ? " " : "", row.name, row.brief ? " " : "",
                           row.brief ? row.brief : "");
}

static void put_words(haft_buffer *out, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        haft_buffer_printf(out, "%s%s", i ? " " : "", words[i]);
}

static void put_names(haft_buffer *out)
{
    for (const struct command *row = command_rows; row->name; row++)
        haft_buffer_printf(out, "%s%s", row == command_rows ? "" : " ", row->name);
}

/* Completes the value of an option. */
static void put_bash_values(haft_buffer *out, const struct command *command)
{
    struct option_row row;

    for (size_t i = 0; option_at(command, i, &row); i++) {
        if (!row.takes)
            continue;
        haft_buffer_printf(out, "    %s/%s) ", command->name, row.name);
        if (row.values) {
            haft_buffer_puts(out, "_haft_words ");
            put_words(out, row.values);
            haft_buffer_puts(out, "; ");
        } else if (!strcmp(row.takes, "FILE")) {
            haft_buffer_puts(out, "_haft_files -f; ");
        }
        haft_buffer_puts(out, "return ;;\n");
    }
}

/* compgen -W expands its words, and COMPREPLY=($(compgen ...)) splits and globs its output, so
 * neither is used. */
static const char bash_functions[] =
    "# haft(1) completion for bash; printed by `haft completion bash`\n"
    "\n"
    "# Offers the words that begin with what is typed; nothing expands them.\n"
    "_haft_words()\n{\n"
    "    local each\n"
    "    for each; do\n"
    "        [[ $each == \"$word\"* ]] && COMPREPLY+=(\"$each\")\n"
    "    done\n"
    "}\n"
    "\n"
    "# Offers files or commands, with quotes where a name needs them.\n"
    "_haft_files()\n{\n"
    "    local each\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r each; do\n"
    "        COMPREPLY+=(\"$each\")\n"
    "    done < <(compgen \"$@\" -- \"$word\")\n"
    "}\n"
    "\n"
    "# Offers the tools of the server whose URL is on the line, before the word that is typed (bash takes\n"
    "# a URL apart at its colons).  The server chooses the names: only plain ones are offered.\n"
    "_haft_tools()\n{\n"
    "    local each url= line=${COMP_LINE:0:COMP_POINT} IFS=$' \\t\\n' LC_ALL=C\n"
    "    read -ra line <<<\"${line}x\"\n"
    "    for each in \"${line[@]:0:${#line[@]}-1}\"; do\n"
    "        [[ $each == http*://* ]] && url=$each && break\n"
    "    done\n"
    "    [[ -n $url ]] || return\n"
    "    while IFS= read -r each; do\n"
    "        [[ $each == [A-Za-z0-9_]* && $each != *[!A-Za-z0-9_./-]* ]] && _haft_words \"$each\"\n"
    "    done < <(haft tools --safe-names --timeout 3 \"$url\" 2>/dev/null)\n"
    "}\n"
    "\n";

static void bash(haft_buffer *out)
{
    haft_buffer_puts(out, bash_functions);
    haft_buffer_puts(out,
                     "_haft()\n{\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} i\n"
                     "    COMPREPLY=()\n"
                     "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                     "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
                     "            _haft_files -c -f\n"
                     "            return\n"
                     "        fi\n"
                     "    done\n"
                     "    case ${COMP_WORDS[1]}/$last in\n");
    for (const struct command *command = command_rows; command->name; command++)
        put_bash_values(out, command);
    haft_buffer_puts(out, "    esac\n"
                          "    if ((COMP_CWORD == 1)); then\n"
                          "        _haft_words ");
    put_names(out);
    haft_buffer_puts(out, " --help -h --version -V\n"
                          "        return\n"
                          "    fi\n"
                          "    case ${COMP_WORDS[1]} in\n");
    for (const struct command *row = command_rows; row->name; row++) {
        haft_buffer_printf(out, "    %s) _haft_words ", row->name);
        put_options(out, row);
        if (row->words && (row->options || row->serves))
            haft_buffer_puts(out, " ");
        put_words(out, row->words);
        if (row->act == act_help)
            put_names(out);
        haft_buffer_puts(out, " ;;\n");
    }
    haft_buffer_puts(out, "    esac\n"
                          "    [[ ${COMP_WORDS[1]} == call && $word != -* ]] && _haft_tools\n"
                          "}\n"
                          "complete -F _haft haft\n");
}

/* Escapes brackets, colons and quotes, which would end '...[HELP]...' of _arguments. */
static void put_zsh_text(haft_buffer *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            haft_buffer_puts(out, "'\\''");
        else if (strchr("[]:\\", *text))
            haft_buffer_printf(out, "\\%c", *text);
        else
            haft_buffer_add(out, text, 1);
    }
}

static void put_zsh_option(haft_buffer *out, const struct option_row *row, const char *name)
{
    haft_buffer_printf(out, "            '*%s[", name);
    put_zsh_text(out, row->help);
    haft_buffer_puts(out, "]");
    if (row->takes) {
        haft_buffer_puts(out, ":");
        put_zsh_text(out, row->takes);
        haft_buffer_puts(out, ":");
        if (row->values) {
            haft_buffer_puts(out, "(");
            put_words(out, row->values);
            haft_buffer_puts(out, ")");
        } else if (!strcmp(row->takes, "FILE")) {
            haft_buffer_puts(out, "_files");
        }
    }
    haft_buffer_puts(out, "' \\\n");
}

static void put_zsh_command(haft_buffer *out, const struct command *row)
{
    struct option_row option;

    haft_buffer_printf(out, "    %s)\n        _arguments \\\n", row->name);
    for (size_t i = 0; option_at(row, i, &option); i++) {
        put_zsh_option(out, &option, option.name);
        if (option.brief)
            put_zsh_option(out, &option, option.brief);
    }
    if (row->words || row->act == act_help) {
        haft_buffer_printf(out, "            '1:%s:(", row->act == act_help ? "command" : "word");
        put_words(out, row->words);
        if (row->act == act_help)
            put_names(out);
        haft_buffer_puts(out, ")'\n");
    } else if (row->act == act_call) {
        haft_buffer_puts(out,
                         "            '1:URL:_urls' '2:tool:_haft_tools' '*:argument:_files'\n");
    } else if (row->serves) {
        haft_buffer_puts(out, "            '*:file:_files'\n");
    } else {
        haft_buffer_puts(out, "            '1:URL:_urls' '*:command:_files'\n");
    }
    haft_buffer_puts(out, "        ;;\n");
}

static void zsh(haft_buffer *out)
{
    haft_buffer_puts(
        out, "#compdef haft\n"
             "# haft(1) completion for zsh; printed by `haft completion zsh`\n"
             "_haft_tools()\n{\n"
             "    local url=${words[(r)http*://*]}\n"
             "    local -a tools\n"
             "    [[ -n $url ]] || return\n"
             "    # The server chooses the names: only plain ones are offered.\n"
             "    tools=(${(f)\"$(haft tools --safe-names --timeout 3 $url 2>/dev/null)\"})\n"
             "    tools=(${${(M)tools:#[A-Za-z0-9_]*}:#*[^A-Za-z0-9_./-]*})\n"
             "    compadd -a tools\n"
             "}\n\n"
             "_haft()\n{\n"
             "    local -a commands\n"
             "    commands=(\n");
    for (const struct command *row = command_rows; row->name; row++) {
        haft_buffer_printf(out, "        '%s:", row->name);
        put_zsh_text(out, row->help);
        haft_buffer_puts(out, "'\n");
    }
    haft_buffer_puts(out, "    )\n"
                          "    if ((CURRENT == 2)); then\n"
                          "        _describe command commands\n"
                          "        return\n"
                          "    fi\n"
                          "    local command=${words[2]}\n"
                          "    shift words\n"
                          "    ((CURRENT--))\n"
                          "    case $command in\n");
    for (const struct command *row = command_rows; row->name; row++)
        put_zsh_command(out, row);
    haft_buffer_puts(out, "    esac\n}\n\n_haft \"$@\"\n");
}

int completion_write(const char *shell, haft_buffer *out)
{
    static const struct {
        const char *name;
        void (*write)(haft_buffer *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}};

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shells[i].name, shell)) {
            shells[i].write(out);
            return 0;
        }
    return HAFT_EINVAL;
}
