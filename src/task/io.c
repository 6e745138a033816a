/* io.c - requests to the store, which may answer at once or later, from any thread. */
#include "task/task.h"

static void io_done(haft_store_request *request)
{
    struct task_io *io = request->context;
    struct tasks *tasks = io->tasks;

    io->then(io);
    atomic_fetch_sub(&tasks->pending, 1);
}

const char *hf_task_group_id(const struct tasks *tasks, haft_slice group)
{
    size_t tag = strlen(tasks->tag);

    return group.size == tag + TASK_ID && !memcmp(group.data, tasks->tag, tag) ? group.data + tag
                                                                               : NULL;
}

void hf_task_io_init(struct task_io *io, struct tasks *tasks, const char *id, haft_arena *arena,
                     void (*then)(struct task_io *io), void *context)
{
    size_t tag = strlen(tasks->tag);

    memset(io, 0, sizeof *io);
    io->tasks = tasks;
    io->then = then;
    io->context = context;
    memcpy(io->id, id, TASK_ID);
    memcpy(io->group, tasks->tag, tag);
    memcpy(io->group + tag, id, TASK_ID);
    io->request = (haft_store_request){.space = TASK_SPACE,
                                       .group = {io->group, tag + TASK_ID},
                                       .ops = io->ops,
                                       .now = hf_tasks_now(tasks),
                                       .arena = arena,
                                       .done = io_done,
                                       .context = io};
}

haft_store_op *hf_task_io_add(struct task_io *io, haft_store_kind kind, const char *key)
{
    haft_store_op *op = &io->ops[io->request.n_ops++];

    *op = (haft_store_op){.kind = kind, .key = HAFT_SLICE(key)};
    return op;
}

haft_store_op *hf_task_io_put(struct task_io *io, const char *key, const char *bytes, size_t size)
{
    haft_store_op *op = hf_task_io_add(io, HAFT_STORE_PUT, key);

    op->value = (haft_slice){bytes, size};
    return op;
}

void hf_task_io_publish(struct task_io *io, enum task_change change)
{
    haft_store_op *op = hf_task_io_add(io, HAFT_STORE_PUBLISH, TASK_CHANNEL);

    io->id[TASK_ID] = (char)change;
    op->value = (haft_slice){io->id, TASK_ID + 1};
}

/* The request may be gone when this returns. */
void hf_task_io_submit(struct task_io *io)
{
    struct tasks *tasks = io->tasks;
    int status;

    atomic_fetch_add(&tasks->pending, 1);
    status = haft_store_submit(tasks->store, &io->request);
    if (status == HAFT_PENDING)
        return;
    if (status)
        io->request.status = status;
    io->then(io);
    atomic_fetch_sub(&tasks->pending, 1);
}

bool hf_task_io_is_kept(const struct task_io *io)
{
    haft_store_status status = HAFT_INIT(haft_store_status, .durable = false);

    return io->request.is_durable || haft_store_get_status(io->tasks->store, &status) ||
           !status.durable;
}
