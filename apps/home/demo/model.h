/* demo/model.h - the house behind the demo home: entities with states and histories, and records.
 *
 * Everything is text: a state is immutable and shared by the entity and its history, and a record of a
 * registry is a JSON object.  Work is done in the scratch arena, which is reset when a request begins.
 * All functions are called with the demo's lock held, and return HAFT_ENOMEM or NULL without memory. */
#ifndef HOME_DEMO_MODEL_H
#define HOME_DEMO_MODEL_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo/demo.h"
#include "json/writer.h"

enum {
    DEMO_ULID = 26,
    DEMO_UUID = 32,
    DEMO_TIME = 64,
    DEMO_HISTORY = 1000,
    DEMO_SHORT_HISTORY = 20,
    DEMO_MANY = 500,
    DEMO_TRACES = 5
};
enum { DEMO_BODY = 32 << 20, DEMO_SCRATCH = 64 << 20, DEMO_SECOND = 1000000 };

#define DEMO_VERSION "2026.8.0"

/* Who caused a change. */
struct demo_context {
    char id[DEMO_ULID + 1];
    char parent[DEMO_ULID + 1]; /* "" for none */
    bool by_user;
};

struct demo_state {
    unsigned refs;
    size_t size; /* of the allocation */
    int64_t changed, updated, reported;
    struct demo_context context;
    const char *text;       /* the state itself */
    const char *attributes; /* JSON object */
};

struct demo_entity {
    char *id;
    struct demo_state *state;
    struct demo_state **history; /* oldest first; the last is the current state */
    size_t n_history, history_capacity;
    int64_t due;   /* when demo_tick has something to do with it; 0: never */
    double target; /* what it moves to */
};

/* A record of a registry: an id and a JSON object. */
struct demo_record {
    char *id, *json;
    int64_t created, modified;
};
struct demo_store {
    struct demo_record *at;
    size_t n, capacity;
};

/* A run of an automation or a script. */
struct demo_trace {
    char *item, *json;
    char run_id[DEMO_UUID + 1];
    char context[DEMO_ULID + 1];
};

enum demo_registry {
    DEMO_AREAS,
    DEMO_FLOORS,
    DEMO_LABELS,
    DEMO_DEVICES,
    DEMO_ENTRIES, /* of the entity registry, by entity id */
    DEMO_AUTOMATIONS,
    DEMO_SCRIPTS,
    DEMO_SCENES,
    DEMO_DASHBOARDS,
    DEMO_VIEWS, /* the configurations of dashboards, by url_path; "" for the default */
    DEMO_LISTS, /* to-do items, by entity id */
    DEMO_NOTIFICATIONS,
    DEMO_REGISTRIES
};

/* A change that automations have not looked at yet. */
struct demo_change {
    char *event; /* JSON of the event; its memory is the scratch arena's */
    struct demo_context context;
    unsigned depth;
    struct demo_change *next;
};

struct demo_runtime {
    struct demo_trace *traces;
    size_t n_traces, traces_capacity;
    struct demo_change *first, *last; /* to be processed before the request ends */
    unsigned depth;                   /* of the run that is going on */
    struct demo_hold *holds;          /* triggers whose state has to last: hold.c */
    bool failed;                      /* memory ran out while changes were sent */
};

struct demo {
    haft_allocator allocator;
    int64_t (*clock)(void *context);
    void *clock_context;
    uint64_t seed, random;
    char *token;
    char user[DEMO_UUID + 1];
    pthread_mutex_t lock;
    pthread_cond_t idle; /* a session has finished sending */
    haft_arena *scratch;
    int64_t now, started, ticked;  /* of this request; of the home */
    struct demo_entity **entities; /* sorted by id */
    size_t n_entities, entities_capacity;
    struct demo_store stores[DEMO_REGISTRIES];
    struct demo_runtime run;
    struct demo_session *sessions;
};

/* ---- memory: memory.c ---- */

void *demo_alloc(struct demo *demo, size_t size);
void demo_release(struct demo *demo, void *memory, size_t size);
char *demo_dup(struct demo *demo, const char *text);
void demo_drop(struct demo *demo, char *text); /* of demo_dup; NULL is fine */
/* Makes room for one more of an array; false without memory. */
bool demo_grow(struct demo *demo, void **array, size_t n, size_t *capacity, size_t size);

haft_buffer demo_buffer(struct demo *demo);
/* The buffer's text with a NUL in the scratch arena, after which the buffer is finished; NULL. */
char *demo_take(struct demo *demo, haft_buffer *buffer);
char *demo_format(struct demo *demo, const char *format, ...) HAFT_PRINTF_(2, 3);
/* The same for a text that only says what is wrong: "" without memory. */
const char *demo_complain(struct demo *demo, const char *format, ...) HAFT_PRINTF_(2, 3);

/* ---- ids and times: identity.c ---- */

uint64_t demo_random(struct demo *demo);
/* A number of 0 to 1 that depends on the seed, a name and a number, and on nothing else. */
double demo_noise(const struct demo *demo, const char *name, int64_t at);
void demo_uuid(struct demo *demo, char ret_text[DEMO_UUID + 1]);
void demo_context_new(struct demo *demo, const struct demo_context *parent, bool by_user,
                      struct demo_context *ret_context);
void demo_context_write(struct json_writer *w, const struct demo *demo,
                        const struct demo_context *context);
void demo_time_text(int64_t us, char ret_text[DEMO_TIME]);
void demo_time_write(struct json_writer *w, int64_t us);
double demo_time_seconds(int64_t us);
/* Reads an ISO date or time; UTC unless it says otherwise.  Returns whether it is one. */
bool demo_time_read(const char *text, int64_t *ret_us);

/* ---- JSON: json.c ---- */

/* A value of our own text, in the scratch arena; NULL without memory. */
haft_value *demo_parse(struct demo *demo, const char *json);
/* The same for text in which ' stands for ", and {} may be left out: tables are written so. */
char *demo_relaxed(struct demo *demo, const char *text);
haft_value *demo_parse_relaxed(struct demo *demo, const char *text);
const yyjson_alc *demo_alc(struct demo *demo, yyjson_alc *ret_alc);
/* A member's text; NULL if it is not a string. */
const char *demo_text(haft_value *object, const char *name);
double demo_number(haft_value *object, const char *name, double otherwise);
bool demo_equal(struct demo *demo, haft_value *left, haft_value *right);
/* Whether a string, or an array of strings, has the text. */
bool demo_lists(haft_value *value, const char *text);

/* ---- entities: entity.c ---- */

/* NULL if there is none. */
struct demo_entity *demo_find(const struct demo *demo, const char *id);
bool demo_is_in(const struct demo_entity *entity, const char *domain);
bool demo_id_is_valid(const char *id);
haft_value *demo_attributes(struct demo *demo, const struct demo_entity *entity);
double demo_attribute(struct demo *demo, const struct demo_entity *entity, const char *name,
                      double otherwise);
bool demo_is_available(const struct demo_entity *entity);
const char *demo_name(struct demo *demo, const struct demo_entity *entity);

/* Writes a state; an entity that is new is made.  Times and events are as Home Assistant has them.
 * *ret_created may be NULL. */
int demo_write(struct demo *demo, const char *id, const char *state, const char *attributes,
               bool force, const struct demo_context *context, bool *ret_created);
int demo_remove(struct demo *demo, struct demo_entity *entity, const struct demo_context *context);
/* A state of the past; before the current ones only. */
int demo_remember(struct demo *demo, struct demo_entity *entity, const char *state, int64_t at);
void demo_entities_free(struct demo *demo);
void demo_state_write(struct demo *demo, struct json_writer *w, const struct demo_entity *entity,
                      const struct demo_state *state);

/* Changes to an entity: attributes one by one, then all at once. */
struct demo_draft {
    struct demo *demo;
    const char *id, *state;
    yyjson_mut_doc *doc;
    yyjson_mut_val *root; /* attributes */
    yyjson_alc alc;
    bool failed;
};
void demo_draft_begin(struct demo_draft *draft, struct demo *demo,
                      const struct demo_entity *entity);
/* The same for an entity that does not exist yet. */
void demo_draft_new(struct demo_draft *draft, struct demo *demo, const char *id, const char *state);
void demo_draft_text(struct demo_draft *draft, const char *name,
                     const char *value); /* NULL: null */
void demo_draft_number(struct demo_draft *draft, const char *name, double value);
void demo_draft_bool(struct demo_draft *draft, const char *name, bool value);
void demo_draft_value(struct demo_draft *draft, const char *name, haft_value *value);
void demo_draft_json(struct demo_draft *draft, const char *name, const char *json);
void demo_draft_time(struct demo_draft *draft, const char *name, int64_t us);
void demo_draft_remove(struct demo_draft *draft, const char *name);
int demo_draft_commit(struct demo_draft *draft, const struct demo_context *context);

/* ---- records: store.c ---- */

struct demo_record *demo_record(struct demo *demo, enum demo_registry which, const char *id);
haft_value *demo_record_value(struct demo *demo, enum demo_registry which, const char *id);
int demo_record_put(struct demo *demo, enum demo_registry which, const char *id, const char *json);
void demo_record_remove(struct demo *demo, enum demo_registry which, const char *id);
void demo_stores_free(struct demo *demo);

/* ---- the house: house.c ---- */

int demo_house_build(struct demo *demo, size_t extra);
/* What a sensor of the house shows at a time; false if it is not one that varies. */
bool demo_house_value(const struct demo *demo, const char *id, int64_t at, double *ret_value);

/* ---- events: event.c ---- */

/* Tells sessions, and automations before the request ends.  `data` is a JSON object. */
void demo_fire(struct demo *demo, const char *type, const char *data, bool remote,
               const struct demo_context *context);
void demo_state_changed(struct demo *demo, const struct demo_entity *entity,
                        const struct demo_state *old, const struct demo_state *new);

#endif
