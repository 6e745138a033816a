/* upstream/command_entry.h - the member "command" of an upstream: a program as a tool, or several. */
#ifndef HAFT_SRC_UPSTREAM_COMMAND_ENTRY_H
#define HAFT_SRC_UPSTREAM_COMMAND_ENTRY_H

#include "upstream/task_entry.h"

/* clang-format off */
HAFT_ENUMERATION(command_output, text, json, file);
HAFT_STRUCT(command_hints_entry,
    HAFT_OPTIONAL(HAFT_BOOLEAN(read_only, "It changes nothing")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(destructive, "It may delete or overwrite something")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(idempotent, "Repeating a call has no further effect")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(open_world, "It interacts with other systems")));
HAFT_STRUCT(command_exit_entry,
    HAFT_DEFAULT(HAFT_BOOLEAN(ok, "Whether the call has succeeded"), false),
    HAFT_OPTIONAL(HAFT_STRING(text, "Text of the error; of a success, the result if there is no output")));
HAFT_STRUCT(command_progress_entry,
    HAFT_OPTIONAL(HAFT_STRING(pattern, "Regular expression for lines of standard error, with the groups done, total and message: every line is a message")));
HAFT_STRUCT(command_limits_entry,
    HAFT_OPTIONAL(HAFT_INTEGER(memory_mb, "Address space of a process in MiB", .min = 1, .max = 1 << 24)),
    HAFT_OPTIONAL(HAFT_INTEGER(cpu_seconds, "Processor time of a process in seconds", .min = 1)),
    HAFT_OPTIONAL(HAFT_INTEGER(open_files, "Open descriptors of a process", .min = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(processes, "Processes of the user that runs haft; not enforced for root", .min = 1)),
    HAFT_OPTIONAL(HAFT_INTEGER(file_mb, "Size of a file that it writes in MiB", .min = 1, .max = 1 << 24)));
HAFT_STRUCT(command_sandbox_entry,
    HAFT_OPTIONAL(HAFT_ARRAY(read, HAFT_STRING(path, "A file or directory", .min = 1), "What it may read and execute, besides the system's programs")),
    HAFT_OPTIONAL(HAFT_ARRAY(write, HAFT_STRING(path, "A file or directory", .min = 1), "What it may read and write")),
    HAFT_DEFAULT(HAFT_BOOLEAN(network, "Whether it may open connections"), false),
    HAFT_DEFAULT(HAFT_BOOLEAN(best_effort, "Whether to run without what this kernel does not support"), false));
HAFT_STRUCT(command_tool_entry,
    HAFT_OPTIONAL(HAFT_JSON(run, "Program and arguments: words with {placeholders}, lists of words that vanish together, and objects with the members if (an argument) and words")),
    HAFT_OPTIONAL(HAFT_STRING(description, "Description for the model")),
    HAFT_OPTIONAL(HAFT_STRING(title, "Title for a user interface")),
    HAFT_OPTIONAL(HAFT_OBJECT(annotations, command_hints_entry, "Hints for clients")),
    HAFT_OPTIONAL(HAFT_JSON(input, "JSON Schema of the arguments: a required string for each placeholder")),
    HAFT_OPTIONAL(HAFT_ARRAY(allow_dash, HAFT_STRING(name, "An argument"), "Arguments whose values may begin with -")),
    HAFT_OPTIONAL(HAFT_NAMED("stdin", HAFT_STRING(standard_input, "Standard input, with placeholders; {*} is all arguments as JSON: nothing"))),
    HAFT_OPTIONAL(HAFT_MAP(env, HAFT_STRING(value, "Its value; @FILE for the text of a file"), "Environment variables, besides those of haft that hold no secrets")),
    HAFT_OPTIONAL(HAFT_STRING(directory, "Working directory", .min = 1)),
    HAFT_DEFAULT(HAFT_ENUM(output, command_output, "What the result is made of: standard output as text or JSON, or the file {output}"), command_output_text),
    HAFT_OPTIONAL(HAFT_JSON(output_schema, "JSON Schema of the output, if that is JSON")),
    HAFT_OPTIONAL(HAFT_STRING(output_type, "Media type of the file: by its contents")),
    HAFT_OPTIONAL(HAFT_MAP(exit_codes, HAFT_OBJECT(meaning, command_exit_entry, "What it means"), "What exit codes mean; 0 is success, all others are errors", .keys = "^[0-9]{1,3}$")),
    HAFT_OPTIONAL(HAFT_OBJECT(progress, command_progress_entry, "Lines of standard error are reported as progress")),
    HAFT_OPTIONAL(HAFT_OBJECT(limits, command_limits_entry, "Resource limits")),
    HAFT_OPTIONAL(HAFT_OBJECT(sandbox, command_sandbox_entry, "Restricts files and connections")),
    HAFT_OPTIONAL(HAFT_INTEGER(timeout_ms, "Time limit of a call: that of the server", .min = 1, .max = 86400000)),
    HAFT_DEFAULT(HAFT_INTEGER(grace_ms, "Time between SIGTERM and SIGKILL", .min = 1, .max = 60000), 2000),
    HAFT_DEFAULT(HAFT_INTEGER(max_output, "Maximum size of the output in bytes", .min = 1, .max = 64 << 20), 1 << 20),
    HAFT_OPTIONAL(HAFT_INTEGER(max_running, "Maximum number of calls that run at once; others wait", .min = 1, .max = 1000)),
    HAFT_OPTIONAL(HAFT_ENUM(task, upstream_task, "Whether calls become tasks: if the client supports them, or always")));
HAFT_STRUCT(command_entry,
    HAFT_EXTENDS(command_tool_entry),
    HAFT_OPTIONAL(HAFT_MAP(tools, HAFT_OBJECT(tool, command_tool_entry, "A tool"), "Tools by name, instead of one", .min = 1)));
/* clang-format on */

#endif
