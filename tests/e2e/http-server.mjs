/* http-server.mjs - the examples and the test driver as HTTP servers. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { spawn } from "./child.mjs";
import { example, until } from "./server.mjs";

const driver = () => join(example("."), "..", "tests", "http-driver");

export class Server {
    #text = "";

    constructor(program, args, { env = {}, stdio = [], command } = {}) {
        const [file, ...rest] = command ?? [program];

        this.process = spawn(file, [...rest, ...args], {
            env: { ...process.env, ...env },
            stdio: ["ignore", "ignore", "pipe", ...stdio],
        });
        this.process.stderr.on("data", (text) => (this.#text += text));
        this.ended = new Promise((resolve) =>
            this.process.on("close", (code, signal) => resolve(code ?? signal)),
        );
    }

    log() {
        return this.#text;
    }

    async ready() {
        await until(() => /listening on (\S+)/.test(this.#text), `an address: ${this.#text}`);
        this.url = /listening on (\S+)/.exec(this.#text)[1];
        return this;
    }

    /* Ends it by a signal and returns its exit status. */
    async stop(signal = "SIGTERM") {
        this.process.kill(signal);
        return this.ended;
    }
}

/* Starts "everything", another example, or "driver". */
export function start(name, args = [], options = {}) {
    const program = name === "driver" ? driver() : example(name);

    return new Server(
        program,
        ["--http", options.address ?? "127.0.0.1:0", ...args],
        options,
    ).ready();
}

/* For as long as `use` takes; the server must end well. */
export async function withServer(name, args, use, options) {
    const server = await start(name, args, options);

    try {
        await use(server);
    } finally {
        const status = await server.stop();
        assert.equal(status, 0, server.log());
    }
}

/* Runs a server that is expected to refuse to start; what it says about it. */
export async function refused(name, args, status = 1) {
    const server = new Server(name === "driver" ? driver() : example(name), args);

    assert.equal(await server.ended, status, server.log());
    return server.log();
}
