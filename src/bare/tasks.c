/* tasks.c - libhaft-core has no threads: tasks run in haft_server_run_tasks. */
#include "task/platform.h"

const struct task_platform *hf_platform_tasks(void)
{
    return NULL;
}
