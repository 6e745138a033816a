/* tasks.test.mjs - tasks of our server with our client: both kinds of tasks, over pipes and HTTP, with questions,
 * errors and cancellation. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { run as start } from "./cli.mjs";
import { withServer } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const home = mkdtempSync(join(tmpdir(), "haft-own-tasks-"));
const file = join(home, "haft", "tasks.json");

after(() => rmSync(home, { recursive: true }));
beforeEach(() => rmSync(join(home, "haft"), { recursive: true, force: true }));

const remembered = () => (existsSync(file) ? JSON.parse(readFileSync(file)).tasks : []);
/* Runs it, without what a server that is a child logs. */
const run = async (words, options) => {
    const got = await start(words, { ...options, env: { XDG_STATE_HOME: home } });

    return { ...got, err: got.err.replace(/^\d{4}-\d\d-\d\dT.*\n/gm, "") };
};

const ways = {
    stdio: (name, use) => use({ server: ["--", example(name)], call: (...words) => ["call", ...words, "--", example(name)] }),
    http: (name, use) =>
        withServer(name, [], ({ url }) => use({ server: [url], call: (...words) => ["call", url, ...words] })),
};

const eras = { "2026-07-28": [], "2025-11-25": ["--revision", "2025-11-25", "--task"] };

for (const [way, open] of Object.entries(ways))
    for (const [revision, options] of Object.entries(eras))
        describe(`${revision} over ${way}`, () => {
            test("results and errors", () =>
                open("everything", async ({ call }) => {
                    const begun = await run(call("slow_compute", "seconds=0.3", "label=it", "--verbose", ...options));

                    assert.equal(begun.code, 0, begun.err);
                    assert.equal(begun.out, "it after 0.3 s\n");
                    assert.match(begun.err, /^haft: task: /m, "it was a task");
                    assert.deepEqual(await run(call("failing_job", ...options)), { code: 1, out: "The job failed\n", err: "" });
                    const broken = await run(call("protocol_error_job", ...options));

                    assert.deepEqual(broken, { code: 4, out: "", err: "haft: The job cannot be done (-32000)\n" });
                    assert.deepEqual(remembered(), []);
                }));

            test("a question inside the task", () =>
                open("everything", async ({ call }) => {
                    const kept = await run(call("confirm_delete", "filename=a.txt", "--accept-defaults", "--verbose", ...options));

                    assert.equal(kept.out, "a.txt: kept\n", kept.err);
                    assert.match(kept.err, /^haft: task: /m, "it was a task");
                    const declined = await run(call("confirm_delete", "filename=b.txt", ...options));

                    assert.equal(declined.out, "b.txt: kept\n");
                    assert.match(declined.err, /declined because there is no terminal.*Delete the file\?/);
                    assert.equal((await run(call("multi_input", "--accept-defaults", ...options))).code, 0);
                    assert.deepEqual(remembered(), []);
                }));

            test("a job that asks in the middle", () =>
                open("long-job", async ({ call }) => {
                    const half = await run(call("run_job", "name=half", "--accept-defaults", ...options));

                    assert.deepEqual(JSON.parse(half.out), { steps: 10, complete: false }, half.err);
                }));

            test("cancellation", () =>
                open("everything", async ({ call }) => {
                    let child, said;
                    const ended = run(call("slow_compute", "seconds=50", ...options), { started: (...it) => ([child, said] = it) });

                    await until(() => remembered().length === 1, "the task", 20000);
                    child.kill("SIGINT");
                    await until(() => /goes on/.test(said()), "an answer to the signal");
                    child.kill("SIGINT");
                    const got = await ended;

                    assert.equal(got.code, 10, got.err);
                    assert.match(got.err, /^haft: the task \S+ was cancelled/m);
                    assert.deepEqual(remembered(), []);
                }));
        });

for (const [revision, options] of Object.entries(eras))
    test(`${revision}: other processes of the same user wait for and cancel a task`, () =>
        ways.http("everything", async ({ call, server }) => {
            const leave = async (seconds) => {
                let child;
                const ended = run(call("slow_compute", `seconds=${seconds}`, ...options), { started: (it) => (child = it) });

                await until(() => remembered().length === 1, "the task", 20000);
                child.kill("SIGTERM");
                assert.equal((await ended).code, 9);
                return remembered()[0].id;
            };
            const more = options.slice(0, 2);
            const short = await leave(1);

            assert.deepEqual(await run(["tasks", "wait", short, ...more]), { code: 0, out: "done after 1 s\n", err: "" });
            const long = await leave(50);

            assert.match((await run(["tasks", "get", long, ...more])).out, /^working/);
            const waiting = run(["tasks", "wait", long, ...server, ...more]);

            await new Promise((resolve) => setTimeout(resolve, 300));
            assert.equal((await run(["tasks", "cancel", long, ...more])).code, 0);
            assert.equal((await waiting).code, 10);
            assert.match((await run(["tasks", "get", long, ...server, ...more])).out, /^cancelled/);
            assert.deepEqual(remembered(), []);
        }));
