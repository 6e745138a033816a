/* task-operators.test.mjs - tasks of `haft serve` as operators meet them: programs and HTTP APIs as tasks, what a
 * shutdown leaves, and files for tasks that cannot be used. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { haft } from "./cli.mjs";
import { post } from "./cluster.mjs";
import { modernHeaders, modernMessage, sleep } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const EXTENSION = "io.modelcontextprotocol/tasks";
const capabilities = { extensions: { [EXTENSION]: {} } };
const OVER = ["completed", "failed", "cancelled"];

async function ask(server, method, params, can = capabilities, more = {}) {
    const headers = modernHeaders(method, params, { ...more, ...(method.startsWith("tasks/") && { "mcp-name": params.taskId }) });
    const { text } = await post(server.url, modernMessage(method, params, { capabilities: can }), headers);

    return JSON.parse(text);
}

async function create(server, name, args = {}, headers = {}) {
    const { result, error } = await ask(server, "tools/call", { name, arguments: args }, capabilities, headers);

    assert.equal(result?.resultType, "task", JSON.stringify(error ?? result));
    return result.taskId;
}

/* The task when it has ended, or is as wanted. */
async function wait(server, taskId, wanted = (task) => OVER.includes(task.status)) {
    for (const end = Date.now() + 20000; Date.now() < end; await sleep(50)) {
        const { result, error } = await ask(server, "tasks/get", { taskId });

        assert.ok(result, JSON.stringify(error));
        if (wanted(result)) return result;
    }
    assert.fail(`the task does not end: ${server.log()}`);
}

/* Runs `use` with a folder, and a function that starts `haft serve` in it with these upstreams. */
async function withFolder(upstreams, use, endpoints = [{ endpoint: "/mcp", name: "tasks", upstreams: "*" }]) {
    const folder = mkdtempSync(join(tmpdir(), "haft-tasks-"));
    const file = join(folder, "config.json");
    const gateway = { upstreams, endpoints };
    const running = new Set();

    writeFileSync(file, JSON.stringify({ gateway }));
    try {
        await use(folder, async (...args) => {
            const options = typeof args[0] === "object" ? args.shift() : {};
            const server = new Server(haft, ["serve", "--config", file, "--http", "127.0.0.1:0", ...args], options);

            running.add(server);
            await server.ready();
            server.url = new URL("/mcp", server.url).href;
            return server;
        });
    } finally {
        for (const server of running) await server.stop("SIGKILL");
        rmSync(folder, { recursive: true });
    }
}

const programs = {
    job: {
        command: {
            tools: {
                count: {
                    run: ["sh", "-c", 'for i in 1 2 3; do echo step $i >&2; sleep 0.2; done; echo "counted to $0"', "{n}"],
                    input: { type: "object", properties: { n: { type: "string" } }, required: ["n"] },
                    progress: {},
                    task: "optional",
                },
                forever: { run: ["sleep", "600"], task: "required" },
                quick: { run: ["echo", "quick"] },
            },
        },
    },
};

test("programs run as tasks, are cancelled, and end with the gateway", async () => {
    await withFolder(programs, async (folder, start) => {
        const tasks = join(folder, "tasks.db");
        const server = await start("--tasks", tasks, "--drain", "300ms");
        const id = await create(server, "job__count", { n: "3" });

        await wait(server, id, (task) => /step \d/.test(task.statusMessage ?? ""));
        const done = await wait(server, id);

        assert.equal(done.status, "completed");
        assert.match(done.result.content[0].text, /counted to 3/);
        /* Clients without tasks wait, unless the tool requires one. */
        const plain = await ask(server, "tools/call", { name: "job__count", arguments: { n: "4" } }, {});
        assert.match(plain.result.content[0].text, /counted to 4/);
        const refused = await ask(server, "tools/call", { name: "job__forever", arguments: {} }, {});
        assert.equal(refused.error.code, -32021);
        const cancelled = await create(server, "job__forever");
        await ask(server, "tasks/cancel", { taskId: cancelled });
        assert.equal((await wait(server, cancelled)).status, "cancelled");

        const left = await create(server, "job__forever");
        await sleep(300);
        assert.equal(await server.stop(), 0, server.log());
        const again = await start("--tasks", tasks);
        const failed = await wait(again, left);
        assert.equal(failed.status, "failed");
        assert.match(failed.error.message, /shut down/);
        assert.equal((await wait(again, id)).status, "completed", "results survive");
        assert.equal(await again.stop(), 0, again.log());
    });
});

test("endpoints that share a file do not share their tasks", async () => {
    const upstreams = { left: programs.job, right: programs.job };
    const endpoints = ["left", "right"].map((name) => ({ endpoint: `/${name}`, name, upstreams: name }));

    await withFolder(upstreams, async (folder, start) => {
        const tasks = join(folder, "tasks.db");
        const at = (server, path) => ({ url: new URL(path, server.url).href, log: () => server.log() });
        const server = await start("--tasks", tasks);
        const left = at(server, "/left"), right = at(server, "/right");
        const id = await create(left, "left__count", { n: "7" });

        for (const method of ["tasks/get", "tasks/cancel"])
            assert.equal((await ask(right, method, { taskId: id })).error?.code, -32602, method);
        await wait(left, id);
        assert.equal((await wait(right, await create(right, "right__count", { n: "8" }))).status, "completed");
        assert.equal(await server.stop(), 0, server.log());
        const again = await start("--tasks", tasks), done = await wait(at(again, "/left"), id);

        assert.match(done.result.content[0].text, /counted to 7/);
        assert.equal((await ask(at(again, "/right"), "tasks/get", { taskId: id })).error?.code, -32602);
        assert.equal(await again.stop(), 0, again.log());
    }, endpoints);
});

test("tasks belong to the path of the command line", async () => {
    await withFolder(programs, async (folder, start) => {
        const tasks = join(folder, "tasks.db");
        const startAt = async (path) => {
            const server = await start("--tasks", tasks, "--path", path);

            server.url = new URL(path, server.url).href;
            return server;
        };
        const first = await startAt("/a"), id = await create(first, "job__count", { n: "7" });

        await wait(first, id);
        assert.equal(await first.stop(), 0, first.log());
        const second = await startAt("/b");

        assert.equal((await ask(second, "tasks/get", { taskId: id })).error?.code, -32602);
        assert.equal(await second.stop(), 0, second.log());
        const third = await startAt("/a");

        assert.equal((await wait(third, id)).status, "completed");
        assert.equal(await third.stop(), 0, third.log());
    });
});

test("operations of an HTTP API run as tasks", async () => {
    const api = createServer((request, response) => setTimeout(() => response.end(JSON.stringify({ path: request.url })), 200));

    await new Promise((resolve) => api.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${api.address().port}`;
    const upstreams = { api: { http: { url, tools: { report: { description: "Makes a report", path: "/report", task: "optional" } } } } };

    try {
        await withFolder(upstreams, async (folder, start) => {
            const server = await start();
            const done = await wait(server, await create(server, "api__report"));

            assert.equal(done.status, "completed", JSON.stringify(done));
            assert.match(JSON.stringify(done.result), /\/report/);
            assert.equal(await server.stop(), 0, server.log());
        });
    } finally {
        api.close();
    }
});

test("a task passes the named headers of its request on, and stores no others", async () => {
    const seen = [];
    const api = createServer((request, response) => {
        seen.push(request.headers);
        response.end("{}");
    });

    await new Promise((resolve) => api.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${api.address().port}`;
    const tools = { report: { description: "Makes a report", path: "/report", task: "optional" } };
    const upstreams = { api: { http: { url, headers: { forward: ["X-Tenant", "X-Name"] }, tools } } };
    const headers = { "x-tenant": "seven", "x-name": "J\u00fcrgen", authorization: "Bearer clients-own", "x-other": "not-named" };

    try {
        await withFolder(upstreams, async (folder, start) => {
            const tasks = join(folder, "tasks.db");
            const server = await start("--tasks", tasks);
            const done = await wait(server, await create(server, "api__report", {}, headers));

            assert.equal(done.status, "completed", JSON.stringify(done));
            assert.equal(seen[0]["x-tenant"], "seven");
            assert.equal(seen[0]["x-name"], "J\u00fcrgen"); /* node sends, and reads, Latin-1, which is not UTF-8 */
            assert.ok(!("x-other" in seen[0]) && !("authorization" in seen[0]));
            assert.equal(await server.stop(), 0, server.log());
            const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1")).join("");

            assert.ok(!stored.includes("clients-own") && !stored.includes("not-named"));
        });
    } finally {
        api.closeAllConnections();
        api.close();
    }
});

/* ---- files that cannot be used ---- */

const start_and_fail = async (file) => {
    const server = new Server(example("long-job"), ["--http", "127.0.0.1:0", "--tasks", file]);
    const status = await server.ended;

    return { status, text: server.log() };
};

test("a file for tasks that cannot be used is refused at the start, with the reason", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-tasks-"));
    const corrupt = join(folder, "corrupt.db"), closed = join(folder, "closed");

    writeFileSync(corrupt, "SQLite format 3\0".padEnd(8192, "nonsense"));
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    try {
        for (const file of [corrupt, join(folder, "missing", "tasks.db"), folder]) {
            const { status, text } = await start_and_fail(file);

            assert.notEqual(status, 0, file);
            assert.ok(text.includes("--tasks") || text.includes(file), text);
            assert.doesNotMatch(text, /listening on/);
        }
        if (process.getuid() !== 0) assert.notEqual((await start_and_fail(join(closed, "tasks.db"))).status, 0);
    } finally {
        chmodSync(closed, 0o700);
        rmSync(folder, { recursive: true });
    }
});

/* ---- files that cannot be used any more ---- */

const canMount = (() => {
    try {
        execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
        return true;
    } catch {
        return false;
    }
})();

/* What does not need the store is served as before. */
async function serves(server) {
    const { result } = await ask(server, "tools/call", { name: "job__quick", arguments: {} });

    assert.match(result.content[0].text, /quick/);
}

/* The log names the file and the reason. */
async function logged(server, file, reason, level = "error") {
    const line = () => server.log().split("\n").find((text) => text.includes(file) && reason.test(text));

    await until(() => line(), `a line about ${file}`, 20000);
    assert.ok(line().includes(` ${level} store ${file}: `), line());
}

test("a file that becomes read-only refuses new tasks, and nothing else", async (t) => {
    const chattr = (how, file) => execFileSync("chattr", [how, file], { stdio: "ignore" });

    await withFolder(programs, async (folder, start) => {
        const tasks = join(folder, "tasks.db"), log = `${tasks}-wal`;
        const server = await start("--tasks", tasks, "--log-level", "notice");
        const id = await create(server, "job__count", { n: "1" });

        assert.equal((await wait(server, id)).status, "completed");
        try {
            chattr("+i", log);
        } catch {
            return t.skip("files cannot be made immutable here");
        }
        try {
            const { error } = await ask(server, "tools/call", { name: "job__count", arguments: { n: "2" } });

            assert.equal(error?.code, -32603, JSON.stringify(error));
            await logged(server, tasks, /read-only|the disk reports an error/);
            await serves(server);
            assert.equal((await wait(server, id)).status, "completed", "ended tasks can be read");
        } finally {
            chattr("-i", log);
        }
        assert.equal((await wait(server, await create(server, "job__count", { n: "3" }))).status, "completed");
        await logged(server, tasks, /succeed again/, "notice");
        assert.equal(await server.stop(), 0, server.log());
    });
});

test("a read-only file system is refused at the start", async (t) => {
    if (!canMount) return t.skip("file systems cannot be mounted here");
    const folder = mkdtempSync(join(tmpdir(), "haft-tasks-"));
    const mount = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o ro none "$0" && exec "$@"', folder, example("long-job")];
    const server = new Server("", ["--http", "127.0.0.1:0", "--tasks", join(folder, "tasks.db")], { command: mount });

    try {
        assert.notEqual(await server.ended, 0);
        assert.match(server.log(), /--tasks: .*read-only/i);
        assert.doesNotMatch(server.log(), /listening on/);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test("a full disk refuses new tasks, and nothing else", async (t) => {
    if (!canMount) return t.skip("file systems cannot be mounted here");
    await withFolder(programs, async (folder, start) => {
        const disk = join(folder, "disk");

        mkdirSync(disk);
        const mount = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=2m none "$0" && exec "$@"', disk, haft];
        const server = await start({ command: mount }, "--tasks", join(disk, "tasks.db"));
        const id = await create(server, "job__count", { n: "1" });
        let refused;

        assert.equal((await wait(server, id)).status, "completed");
        for (let i = 0; i < 100 && !refused; i++) {
            const { error } = await ask(server, "tools/call", { name: "job__count", arguments: { n: "x".repeat(60000) } });

            refused = error;
        }
        assert.equal(refused?.code, -32603);
        assert.match(refused.message, /no room for the task|store of tasks failed/);
        await logged(server, join(disk, "tasks.db"), /the disk is full/);
        await serves(server);
        assert.equal((await wait(server, id)).status, "completed", "ended tasks can be read");
        await server.stop();
    });
});

test("a locked file refuses new tasks for as long as it is locked", async (t) => {
    const { DatabaseSync } = await import("node:sqlite").catch(() => ({}));

    if (!DatabaseSync) return t.skip("node has no SQLite");
    await withFolder(programs, async (folder, start) => {
        const tasks = join(folder, "tasks.db");
        const server = await start("--tasks", tasks);
        const id = await create(server, "job__count", { n: "1" });

        assert.equal((await wait(server, id)).status, "completed");
        const other = new DatabaseSync(tasks);
        other.exec("BEGIN IMMEDIATE");
        const { error } = await ask(server, "tools/call", { name: "job__count", arguments: { n: "2" } });
        assert.equal(error?.code, -32603, JSON.stringify(error));
        await logged(server, tasks, /another process has locked the file/);
        await serves(server);
        other.exec("ROLLBACK");
        other.close();
        assert.equal((await wait(server, await create(server, "job__count", { n: "3" }))).status, "completed");
        assert.equal(await server.stop(), 0, server.log());
    });
});
