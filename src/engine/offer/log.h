/* engine/offer/log.h - the server's log, and rejections (log.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_LOG_H
#define HAFT_SRC_ENGINE_OFFER_LOG_H

#include "engine/offer/member.h"

/* Whether the log has a receiver. */
bool hf_server_has_log(const haft_server *server);
/* Sets the receiver of the log, which first gets the records held so far. NULL removes it. */
void hf_server_set_log(haft_server *server, haft_log_function *log, void *context);
void hf_server_set_record(haft_server *server, haft_record_function *record, void *context);
void hf_server_log(haft_server *server, haft_level level, const char *format, ...)
    HAFT_PRINTF_(3, 4);
/* Logs a record. */
void hf_log_put(haft_server *server, const haft_record *record);
/* The size of what vsnprintf wrote to a buffer of `room` bytes. */
size_t hf_log_written(int size, size_t room);

/* Rejects with a reason, which is logged and kept for haft_server_error. */
int hf_server_refuse(haft_server *server, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);

#endif
