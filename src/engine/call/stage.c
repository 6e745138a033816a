/* stage.c - runs the stages of a call: forward in the order they were added, `after` in reverse. */
#include <string.h>

#include "engine/call/call.h"
#include "engine/call/stage.h"
#include "engine/call/view.h"

const char *haft_outcome_name(haft_outcome outcome)
{
    static const char *const names[] = {
#define HAFT_OUTCOME_(name, text) text,
        HAFT_OUTCOMES(HAFT_OUTCOME_)
#undef HAFT_OUTCOME_
    };

    return outcome < HAFT_OUTCOME_COUNT_ ? names[outcome] : "unknown";
}

/* Builds the lists of stages with a callback for each phase. The innermost follows the others. */
static void sort_out(haft_server *server)
{
    struct stages *before = &server->stages.before, *ready = &server->stages.ready,
                  *after = &server->stages.after;

    before->n = ready->n = after->n = 0;
    for (size_t i = 0; haft_stage_at(server, i); i++) {
        const haft_stage *stage = haft_stage_at(server, i);

        if (stage->before)
            before->list[before->n++] = stage;
        if (stage->ready)
            ready->list[ready->n++] = stage;
        if (stage->after)
            after->list[after->n++] = stage;
    }
}

void hf_stages_init(haft_server *server, const haft_stage *const built_in[BUILT_IN_STAGES])
{
    memcpy(server->stages.all.list, built_in, BUILT_IN_STAGES * sizeof *built_in);
    server->stages.all.n = BUILT_IN_STAGES;
    sort_out(server);
}

const haft_stage *haft_stage_at(const haft_server *server, size_t index)
{
    size_t n = server->stages.all.n;

    return index < n    ? server->stages.all.list[index]
           : index == n ? server->stages.innermost
                        : NULL;
}

/* Inserts a stage at the front or behind the program's; false if there is no room. */
static bool stage_insert(haft_server *server, const haft_stage *stage, bool first)
{
    struct stages *stages = &server->stages.all;
    const haft_stage **list = stages->list;
    size_t at;
    bool fits;

    hf_server_lock(server);
    fits = stages->n < sizeof stages->list / sizeof *list - STAGES_INNERMOST;
    if (fits) {
        at = first ? 0 : stages->n - STAGES_BEHIND;
        memmove(list + at + 1, list + at, (stages->n - at) * sizeof *list);
        list[at] = stage;
        stages->n++;
        sort_out(server);
        server->watching.timed = true;
    }
    hf_server_unlock(server);
    return fits;
}

static int stage_use(haft_server *server, const haft_stage *stage, bool first)
{
    const void *view = NULL;
    int status;

    if (!server || !stage)
        return HAFT_EINVAL;
    status = hf_server_view(server, "haft_stage", stage, sizeof *stage, NULL, &view);
    if (status)
        return status;
    stage = view;
    if (!stage->name || !(stage->before || stage->ready || stage->after))
        return hf_server_refuse(server, HAFT_EINVAL, stage->name ? stage->name : "",
                                "a stage needs a name and at least one function");
    return stage_insert(server, stage, first)
               ? 0
               : hf_server_refuse(server, HAFT_ETOOBIG, stage->name,
                                  "there are already %d stages, the maximum", MAX_STAGES);
}

int haft_stage_add(haft_server *server, const haft_stage *stage)
{
    return stage_use(server, stage, false);
}

int hf_stage_use_first(haft_server *server, const haft_stage *stage)
{
    return stage_use(server, stage, true);
}

void hf_stage_use_innermost(haft_server *server, const haft_stage *stage)
{
    hf_server_lock(server);
    server->stages.innermost = stage;
    sort_out(server);
    hf_server_unlock(server);
}

const char *hf_call_tool(const haft_call *call)
{
    const char *name =
        call->item ? call->item->name : yyjson_get_str(rpc_string(call->request.params, "name"));

    return name ? name : "";
}

/* Whether a stage for certain tools applies to the requested one, which may not exist. */
static bool concerns(const haft_stage *stage, const haft_call *call)
{
    return hf_glob_list_allows(stage->tools, hf_call_tool(call));
}

uint64_t hf_call_nanoseconds(const haft_call *call)
{
    const haft_server_options *options = &call->server->options;

    if (call->time.elapsed || !call->time.started)
        return call->time.elapsed;
    return options->clock() - call->time.started;
}

/* The only place that validates a stage's return value or its argument of haft_continue: returns
 * it, or logs it and returns an error. A number returned by mistake must neither pass as an answer
 * nor suspend the call forever. */
static int stage_understand(haft_call *call, const haft_stage *stage, const char *what, int status)
{
    if (!status || status == HAFT_STOP || hf_status_is_known(status))
        return status;
    haft_log(call, HAFT_ERROR, "the stage \"%s\" %s %d, which is not a haft status code",
             stage->name, what, status);
    return HAFT_EINVAL;
}

static int stage_returned(haft_call *call, const haft_stage *stage, int status)
{
    return status == HAFT_PENDING ? status : stage_understand(call, stage, "returned", status);
}

int hf_stages_before(haft_call *call)
{
    const struct stages *stages = &call->server->stages.before;
    unsigned i = call->stages.walked;
    int status = 0;

    for (; i < stages->n && !status; i++) {
        const haft_stage *stage = stages->list[i];

        if (!stage->tools || concerns(stage, call))
            status = stage->before(call, stage->data);
        if (status)
            status = stage_returned(call, stage, status);
    }
    call->stages.walked = i;
    return status;
}

int hf_stages_ready(haft_call *call)
{
    const struct stages *stages = &call->server->stages.ready;
    unsigned first = (unsigned)call->server->stages.before.n, i = call->stages.walked - first;
    int status = 0;

    for (; i < stages->n && !status; i++) {
        const haft_stage *stage = stages->list[i];

        if (!stage->tools || concerns(stage, call))
            status = stage->ready(call, stage->data);
        if (status)
            status = stage_returned(call, stage, status);
    }
    call->stages.walked = first + i;
    return status;
}

const haft_stage *hf_stages_holder(const haft_call *call)
{
    const struct stages *before = &call->server->stages.before;
    size_t i = call->stages.walked - 1;

    return i < before->n ? before->list[i] : call->server->stages.ready.list[i - before->n];
}

int hf_stages_continue(haft_call *call, int status)
{
    if (status != STAGE_REPEAT)
        return stage_understand(call, hf_stages_holder(call), "continued with", status);
    call->stages.walked--;
    return 0;
}

void hf_stages_after(haft_call *call, haft_outcome outcome)
{
    const struct stages *stages = &call->server->stages.after;
    bool late;

    if (call->stages.after_ran)
        return;
    call->stages.after_ran = true;
    call->stages.outcome = outcome;
    if (call->time.started)
        call->time.elapsed = hf_call_nanoseconds(call);
    late = stages->n && call_is_shared(call);
    if (late)
        hf_late_begin(call);
    for (size_t i = stages->n; i-- > 0;) {
        const haft_stage *stage = stages->list[i];

        if (!stage->tools || concerns(stage, call))
            stage->after(call, outcome, stage->data);
    }
    if (late)
        hf_late_end(call);
}

/* ---- for stages ---- */

int haft_refuse(haft_call *call, const char *format, ...)
{
    const char *text;
    va_list args;

    va_start(args, format);
    text = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    if (!text)
        return HAFT_ENOMEM;
    call->result.is_error = true;
    return haft_text_bytes(call, text, strlen(text)) ? HAFT_ENOMEM : HAFT_STOP;
}

/* Before validation, the handler's input does not exist yet. */
int haft_call_set_arguments(haft_call *call, const char *json, size_t size)
{
    haft_reason reason;
    haft_value *value;

    if ((!call->args.json && !call->args.direct.text) || call->handler.in)
        return HAFT_EINVAL;
    value = haft_json_read(json, size, call->server->options.max_depth, call->arena, &reason);
    if (!value) {
        haft_log(call, HAFT_ERROR, "haft_call_set_arguments: %s", reason.text);
        return reason.code;
    }
    if (!yyjson_is_obj(value))
        return HAFT_EINVAL;
    call->args.json = value;
    call->args.direct.of = NULL;
    return 0;
}

/* Data kept with a call. A stage may read that of a running handler. */
struct kept {
    struct kept *next;
    const char *key;
    _Atomic(void *) value;
};

static struct kept *kept_find(struct kept *kept, const char *key)
{
    while (kept && strcmp(kept->key, key))
        kept = kept->next;
    return kept;
}

/* Adds an entry to the front of a list; NULL without memory. */
static struct kept *kept_new(haft_call *call, struct kept *next, const char *key, void *value)
{
    haft_arena *arena = hf_call_memory(call);
    struct kept *kept = arena ? haft_arena_zalloc(arena, 1, sizeof *kept) : NULL;

    if (!kept)
        return NULL;
    kept->key = key;
    kept->next = next;
    atomic_store(&kept->value, value);
    return kept;
}

int haft_call_set(haft_call *call, const char *key, void *value)
{
    bool late = hf_late_is_here(call);
    struct kept *first = late ? call->stages.late.kept : atomic_load(&call->stages.kept);
    struct kept *kept = kept_find(first, key);

    if (kept) {
        atomic_store(&kept->value, value);
        return 0;
    }
    kept = kept_new(call, first, key, value);
    if (!kept)
        return HAFT_ENOMEM;
    if (late)
        call->stages.late.kept = kept;
    else
        atomic_store(&call->stages.kept, kept);
    return 0;
}

void *haft_call_get(const haft_call *call, const char *key)
{
    haft_call *own = (haft_call *)(uintptr_t)call;
    struct kept *kept = hf_late_is_here(call) ? kept_find(call->stages.late.kept, key) : NULL;

    if (!kept)
        kept = kept_find(atomic_load(&own->stages.kept), key);
    return kept ? atomic_load(&kept->value) : NULL;
}
