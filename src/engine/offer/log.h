/* engine/offer/log.h - the server's log, and refusals (log.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_LOG_H
#define HAFT_SRC_ENGINE_OFFER_LOG_H

#include "engine/offer/member.h"

/* Whether somebody takes it. */
bool hf_server_has_log(const haft_server *server);
/* Gives the log to a function from now on, and what was held for one.  NULL: nobody takes it any
 * more. */
void hf_server_set_log(haft_server *server, haft_log_function *log, void *context);
void hf_server_set_record(haft_server *server, haft_record_function *record, void *context);
void hf_server_log(haft_server *server, haft_level level, const char *format, ...)
    HAFT_PRINTF_(3, 4);
/* The same of a record that is about something. */
void hf_log_put(haft_server *server, const haft_record *record);
/* How much of a line of that room vsnprintf has written. */
size_t hf_log_written(int size, size_t room);

/* Refuses with a reason: logged, and kept for haft_server_error. */
int hf_server_refuse(haft_server *server, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);

#endif
