/* cli-tasks.test.mjs - calls of `haft` that become tasks: waiting, leaving, returning and cancelling, and the
 * file in which the program remembers them. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { haft, reply, run as start, withFake } from "./cli.mjs";
import { until } from "./server.mjs";
import { answer, Directory, Memory } from "./task-server.mjs";

const script = fileURLToPath(new URL("./task-server.mjs", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "haft-tasks-"));
const home = join(directory, "state");
const file = join(home, "haft", "tasks.json");
const kept = join(directory, "tasks");

after(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
    rmSync(home, { recursive: true, force: true });
    rmSync(kept, { recursive: true, force: true });
    mkdirSync(kept);
});

const run = (words, options = {}) => start(words, { ...options, env: { XDG_STATE_HOME: home, ...options.env } });
const remembered = () => (existsSync(file) ? JSON.parse(readFileSync(file)).tasks : []);

/* Each way to a server: `use` gets the operands of call, the words that name the server after an ID, and the
 * store. */
const ways = {
    http: (use) => {
        const store = new Memory();

        return withFake(
            (message, request, response) => {
                const got = answer(message, store);

                if (message?.params?.taskId) assert.equal(request.headers["mcp-name"], message.params.taskId);
                if (got) reply(response, got);
                else response.writeHead(202).end();
            },
            (url, asked) => use({ call: (...words) => ["call", url, ...words], server: [url], store, asked }),
        );
    },
    stdio: (use) => {
        const server = ["--", process.execPath, script, kept];

        return use({ call: (...words) => ["call", ...words, ...server], server, store: new Directory(kept) });
    },
};

/* Begins a call that lasts, and sends a signal once haft has remembered its task, and another one when it has answered the
 * first. */
async function interrupted(words, signal, second) {
    let child, said;
    const ended = run(words, { started: (...it) => ([child, said] = it) });

    await until(() => remembered().length === 1, "the task");
    child.kill(signal);
    if (second) {
        await until(() => /goes on/.test(said()), "an answer to the signal");
        child.kill(second);
    }
    return ended;
}

for (const [way, open] of Object.entries(ways))
    describe(`over ${way}`, () => {
        test("prints the result of a task", () =>
            open(async ({ call }) => {
                assert.deepEqual(await run(call("slow", "ms=300")), { code: 0, out: "slept 300 ms\n", err: "" });
                assert.match((await run(call("slow", "ms=250", "--verbose"))).err, /^haft: task: sleeping \(\d+ s\)$/m);
                assert.equal(JSON.parse((await run(call("slow", "--json"))).out).content[0].text, "slept 0 ms");
                assert.deepEqual(remembered(), []);
                assert.deepEqual(await run(call("slow", "ms=9000", "--no-task")), { code: 0, out: "at once\n", err: "" });
            }));

        test("answers questions of a task", () =>
            open(async ({ call }) => {
                assert.deepEqual(await run(call("ask", "--accept-defaults")), { code: 0, out: "Hello, Ann\n", err: "" });
                assert.equal((await run(call("ask"))).out, "Hello, nobody\n");
                const stuck = await run(call("stuck"));

                assert.equal(stuck.code, 4);
                assert.match(stuck.err, /requires input that haft cannot provide/);
                assert.equal(remembered().length, 1);
            }));

        test("reports how a task failed", () =>
            open(async ({ call }) => {
                assert.deepEqual(await run(call("fail")), { code: 4, out: "", err: "haft: it broke (-32000)\n" });
                assert.deepEqual(remembered(), []);
            }));

        test("leaves a task at an interrupt, and returns to it", () =>
            open(async ({ call, server, store }) => {
                const left = await interrupted(call("slow", "ms=2500"), "SIGINT");
                const [{ id }] = remembered();

                assert.equal(left.code, 9, left.err);
                assert.equal(left.out, "");
                assert.equal(store.get(id).cancelled, undefined);
                /* What it prints can be typed. */
                const typed = left.err.split("\n")[1];

                assert.ok(typed.startsWith(`haft tasks wait ${id} ${server[0]}`), typed);
                assert.equal(statSync(file).mode & 0o777, 0o600);
                const working = await run(["tasks", "get", id]);

                if (working.out !== "completed\n") assert.equal(working.out, "working: sleeping\n");
                const back = await run(["-c", typed], { program: "/bin/sh", env: { PATH: `${dirname(haft)}:${process.env.PATH}` } });

                assert.deepEqual(back, { code: 0, out: "slept 2500 ms\n", err: "" });
                assert.deepEqual(remembered(), []);
                assert.match((await run(["tasks", "wait", id])).err, /does not remember the task/);
                assert.equal((await run(["tasks", "wait", id, ...server])).code, 0, "the server still has it");
            }));

        test("cancels a task at a second interrupt", () =>
            open(async ({ call, store }) => {
                const gone = await interrupted(call("slow", "ms=60000"), "SIGINT", "SIGINT");

                assert.equal(gone.code, 10, gone.err);
                assert.match(gone.err, /^haft: the task \S+ was cancelled$/m);
                assert.ok(store.get(store.ids()[0]).cancelled);
                assert.deepEqual(remembered(), []);
            }));

        test("leaves a task at once when it is terminated", () =>
            open(async ({ call, store }) => {
                const left = await interrupted(call("slow", "ms=60000"), "SIGTERM");

                assert.equal(left.code, 9, left.err);
                assert.equal(store.get(store.ids()[0]).cancelled, undefined);
            }));

        test("lists, cancels and forgets tasks", () =>
            open(async ({ call, server, store }) => {
                await interrupted(call("slow", "ms=60000"), "SIGTERM");
                const [{ id }] = remembered();
                const list = JSON.parse((await run(["tasks", "list", "--json"])).out);

                assert.equal(list.length, 1);
                assert.deepEqual([list[0].taskId, list[0].status, list[0].tool], [id, "working", "slow"]);
                assert.deepEqual(list[0].url ? [list[0].url] : ["--", ...list[0].command], server);
                assert.match((await run(["tasks", "list"])).out, new RegExp(`^${id}  working +slow `));
                assert.equal(JSON.parse((await run(["tasks", "get", "--id", id, "--json"])).out).taskId, id);
                /* Another process cancels it while one waits. */
                const waiting = run(["tasks", "wait", id]);

                await new Promise((resolve) => setTimeout(resolve, 300));
                assert.deepEqual(await run(["tasks", "cancel", id]), { code: 0, out: "", err: "haft: the server was asked to cancel the task\n" });
                const ended = await waiting;

                assert.equal(ended.code, 10);
                assert.match(ended.err, /was cancelled: as you wish/);
                assert.ok(store.get(id).cancelled);
                assert.deepEqual(remembered(), []);
                assert.deepEqual(await run(["tasks", "list"]), { code: 0, out: "", err: "" });
                assert.deepEqual(await run(["tasks", "list", "--json"]), { code: 0, out: "[]\n", err: "" });
            }));
    });

const entry = (id, more) => ({ id, tool: "slow", access: "", begun: 1, until: 0, ...more });
const remember = (...tasks) => {
    mkdirSync(join(home, "haft"), { recursive: true });
    writeFileSync(file, JSON.stringify({ tasks }));
};

test("shows servers that cannot be reached, and forgets what a server has forgotten", () =>
    ways.http(async ({ server: [url] }) => {
        remember(
            entry("lost", { url }),
            entry("far", { url: "http://127.0.0.1:1/mcp" }),
            entry("secret", { url, access: "0123456789abcdef0123456789abcdef" }),
            entry("elsewhere", { command: ["/nonexistent"], directory: "/nonexistent" }),
        );
        const list = JSON.parse((await run(["tasks", "list", "--json"])).out);

        assert.deepEqual(list.map((row) => [row.taskId, row.status]), [["lost", "expired"], ["far", "unreachable"], ["secret", "not asked"], ["elsewhere", "unreachable"]]);
        assert.deepEqual(remembered().map((row) => row.id), ["far", "secret", "elsewhere"]);
        assert.equal((await run(["tasks", "get", "far"])).code, 3);
        assert.equal((await run(["tasks", "wait", "elsewhere"])).code, 6);
    }));

test("refuses a file that it does not understand, and wrong words", async () => {
    remember();
    writeFileSync(file, "{}");
    assert.match((await run(["tasks", "list"])).err, /is not a file of tasks/);
    rmSync(file);
    for (const [words, text] of [
        [["tasks"], /needs one of list, get, cancel and wait/],
        [["tasks", "show"], /needs one of/],
        [["tasks", "wait"], /needs the ID of a task/],
        [["tasks", "wait", "", "http://127.0.0.1:1"], /needs the ID of a task/],
        [["tasks", "wait", "T"], /does not remember the task T/],
        [["tasks", "wait", "T", "nowhere"], /nowhere is not a URL/],
        [["tasks", "wait", "T", "http://127.0.0.1:1", "more"], /unexpected argument more/],
        [["tasks", "list", "more"], /takes no server/],
        [["call", "slow", "--task", "--no-task", "--", "true"], /exclude each other/],
    ]) {
        const got = await run(words);

        assert.equal(got.code, 2, words.join(" "));
        assert.match(got.err, text);
    }
});

test("says once that a task cannot be remembered", () =>
    ways.http(async ({ call }) => {
        const place = join(directory, "file");

        writeFileSync(place, "");
        for (const [env, text] of [
            [{ XDG_STATE_HOME: join(place, "x") }, `haft: tasks cannot be remembered in ${place}/x/haft/tasks.json: Not a directory\n`],
            [{ XDG_STATE_HOME: "", HOME: "" }, "haft: tasks cannot be remembered: there is no home directory; set XDG_STATE_HOME\n"],
        ]) {
            assert.deepEqual(await run(call("slow", "ms=100"), { env }), { code: 0, out: "slept 100 ms\n", err: text });
            assert.deepEqual(await run(["tasks", "list"], { env }), { code: 6, out: "", err: text });
        }
    }));

test("quotes what it prints", () =>
    withFake(
        (() => {
            const store = Object.assign(new Memory(), { nextId: () => "-it's; rm *" });

            return (message, request, response) => {
                const got = answer(message, store);

                if (got) reply(response, got);
                else response.writeHead(202).end();
            };
        })(),
        async (url) => {
            const left = await interrupted(["call", url, "slow", "ms=60000"], "SIGTERM");

            assert.equal(left.err.split("\n")[1], `haft tasks wait --id '-it'\\''s; rm *' ${url}`);
            assert.equal((await run(["tasks", "get", "--id", "-it's; rm *"])).out, "working: sleeping\n");
        },
    ));

test("two processes remember their tasks at once", () =>
    ways.http(async ({ call }) => {
        const children = [];
        const many = Array.from({ length: 8 }, () => run(call("slow", "ms=60000"), { started: (it) => children.push(it) }));

        await until(() => remembered().length === 8);
        for (const child of children) child.kill("SIGTERM");
        for (const one of await Promise.all(many)) assert.equal(one.code, 9, one.err);
        assert.equal(new Set(remembered().map((row) => row.id)).size, 8);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        /* And forget them at once. */
        await Promise.all(remembered().map(({ id }) => run(["tasks", "cancel", id])));
        assert.deepEqual(remembered(), []);
    }));

test("a server that is unavailable for a moment does not lose the task", async () => {
    const store = new Memory();
    const faults = [(it) => it.writeHead(503).end("later"), (it) => it.destroy(), (it) => it.writeHead(502).end()];

    await withFake(
        (message, request, response) => {
            const got = answer(message, store);

            if (message?.method === "tasks/get" && faults.length) faults.shift()(response);
            else if (got) reply(response, got);
            else response.writeHead(202).end();
        },
        async (url) => {
            assert.deepEqual(await run(["call", url, "slow", "ms=100"]), { code: 0, out: "slept 100 ms\n", err: "" });
            assert.equal(faults.length, 0);
        },
    );
});

test("a call that is not yet a task ends at an interrupt", () =>
    withFake(
        (message, request, response) => {
            if (message?.method !== "tools/call") reply(response, answer(message, new Memory()) ?? {});
        },
        async (url, asked) => {
            let child;
            const ended = run(["call", url, "slow"], { started: (it) => (child = it) });

            await until(() => asked.some((one) => one.message?.method === "tools/call"));
            child.kill("SIGINT");
            const got = await ended;

            assert.equal(got.code, 130);
            assert.deepEqual(remembered(), []);
        },
    ));

assert.ok(existsSync(haft));
