/* upstream/task_entry.h - the option "task" of tools of upstreams. */
#ifndef HAFT_SRC_UPSTREAM_TASK_ENTRY_H
#define HAFT_SRC_UPSTREAM_TASK_ENTRY_H

#include <haft/declare.h>
#include <haft/tool.h>

/* clang-format off */
HAFT_ENUMERATION(upstream_task, optional, required);
/* clang-format on */

static inline haft_task_mode upstream_task_mode(bool has, upstream_task task)
{
    if (!has)
        return HAFT_TASK_NONE;
    return task == upstream_task_required ? HAFT_TASK_REQUIRED : HAFT_TASK_OPTIONAL;
}

#endif
