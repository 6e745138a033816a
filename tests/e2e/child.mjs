/* child.mjs - processes that end with the script that has started them.
 *
 * A process that a failed test leaves behind would run on, and the test runner would wait for the end of its output. */

import { spawn as start } from "node:child_process";

const running = new Set();

process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/* As node's own. */
export function spawn(...given) {
    const child = start(...given);

    running.add(child);
    child.on("close", () => running.delete(child));
    return child;
}
