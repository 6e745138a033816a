/* demo/command.h - a command of the WebSocket API, and the answer to it. */
#ifndef HOME_DEMO_COMMAND_H
#define HOME_DEMO_COMMAND_H

#include "demo/service.h"
#include "demo/session.h"

struct demo_command {
    struct demo *demo;
    struct demo_session *session;
    haft_value *message;
    const char *type;
    int64_t id;
    haft_buffer out;
    struct json_writer w; /* of the result, between demo_result_begin and demo_result_end */
};

typedef void demo_command_handler(struct demo_command *command);

struct demo_command_row {
    const char *type; /* with a star at its end: all that begin so */
    demo_command_handler *run;
    const struct demo_field *fields;
    size_t n;
};
#define COMMAND_FIELDS(table) table, sizeof(table) / sizeof *(table)

/* Tables of commands, each ends with a row without a type. */
extern const struct demo_command_row demo_commands_core[], demo_commands_registry[],
    demo_commands_trace[], demo_commands_todo[], demo_commands_history[], demo_commands_lovelace[],
    demo_commands_more[];

demo_command_handler demo_statistics, demo_statistic_ids, demo_system_log;

/* What render_template tells: the result and what it depends on; NULL with the error, "" of it without memory. */
char *demo_template_event(struct demo *demo, haft_value *message, const char **reterr_error);

struct json_writer *demo_result_begin(struct demo_command *command);
void demo_result_end(struct demo_command *command);
void demo_result_null(struct demo_command *command);
/* A result that is JSON already; NULL: there was no memory, which is an error. */
void demo_result_json(struct demo_command *command, const char *json);
/* All records of a store, as an array. */
void demo_result_store(struct demo_command *command, enum demo_registry which);
void demo_error(struct demo_command *command, const char *code, const char *message);
void demo_error_memory(struct demo_command *command);
/* After demo_subscribe has failed. */
void demo_error_subscribe(struct demo_command *command);
/* Home Assistant's code for a failure, and the text with what it puts before it. */
const char *demo_failure_code(const struct demo_call *call);

#endif
