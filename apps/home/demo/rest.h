/* demo/rest.h - a REST request, and the answer to it. */
#ifndef HOME_DEMO_REST_H
#define HOME_DEMO_REST_H

#include "demo/service.h"

struct demo_rest {
    struct demo *demo;
    const struct demo_request *request;
    struct demo_response *response;
    const char *tail;     /* of the path, where the pattern has its star; "" for none */
    struct json_writer w; /* of the body */
};

typedef void demo_rest_handler(struct demo_rest *rest);

/* A parameter of the query, decoded; NULL if it is not there. */
const char *demo_rest_query(struct demo_rest *rest, const char *name);
/* The body as JSON; NULL with the answer written.  An empty body is an empty object. */
haft_value *demo_rest_body(struct demo_rest *rest);
/* An answer {"message": ...}, and one of plain text. */
void demo_rest_message(struct demo_rest *rest, int status, const char *message);
void demo_rest_text(struct demo_rest *rest, int status, const char *text);

demo_rest_handler demo_rest_services, demo_rest_call, demo_rest_template, demo_rest_history,
    demo_rest_logbook, demo_rest_error_log, demo_rest_calendars, demo_rest_calendar,
    demo_rest_camera, demo_rest_tts, demo_rest_check, demo_rest_automation, demo_rest_script,
    demo_rest_scene, demo_rest_supervisor, demo_rest_stream;

/* The configuration, as REST and WebSocket give it: config.c. */
void demo_config_write(struct demo *demo, struct json_writer *w);
void demo_components_write(struct json_writer *w);

#endif
