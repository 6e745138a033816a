/* client-driver.mjs - tests/drivers/client_driver.c as an object: a client on the library, one command at a
 * time. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { spawn } from "./child.mjs";
import { example } from "./server.mjs";

const program = join(example("."), "..", "tests", "client-driver");

export class Driver {
    events = [];
    stderr = "";
    #process;
    #waiting = [];
    #ended;

    constructor(environment = {}) {
        this.#process = spawn(program, [], {
            stdio: ["pipe", "pipe", "pipe"],
            env: { ...process.env, ...environment },
        });
        this.#process.stderr.on("data", (text) => (this.stderr += text));
        this.#process.stdin.on("error", () => {});
        createInterface({ input: this.#process.stdout }).on("line", (line) => this.#take(line));
        this.#ended = new Promise((resolve) =>
            this.#process.on("close", (code, signal) => {
                resolve(code ?? signal);
                for (const { reject } of this.#waiting)
                    reject(new Error(`the client ended: ${code ?? signal} ${this.stderr}`));
            }),
        );
    }

    #take(line) {
        const message = JSON.parse(line);

        if (message.event) this.events.push(message);
        else this.#waiting.shift()?.resolve(message);
    }

    /* Sends a command and returns its answer. */
    do(name, command = {}) {
        return new Promise((resolve, reject) => {
            this.#waiting.push({ resolve, reject });
            this.#process.stdin.write(`${JSON.stringify({ do: name, ...command })}\n`);
        });
    }

    /* The same for one that must work. */
    async must(name, command = {}) {
        const answer = await this.do(name, command);

        assert.equal(answer.status, 0, `${name} ${JSON.stringify(command)}: ${JSON.stringify(answer)}`);
        return answer;
    }

    call(name, args = {}) {
        return this.must("call", { name, arguments: args });
    }

    named(event) {
        return this.events.filter((it) => it.event === event);
    }

    /* Ends the input; the client must end by itself, and well. */
    async close() {
        this.#process.stdin.end();
        assert.equal(await this.#ended, 0, this.stderr);
        assert.doesNotMatch(this.stderr, /Sanitizer|runtime error:/);
    }

    kill() {
        this.#process.kill("SIGKILL");
    }
}

/* For as long as `use` takes; the client must end well. */
export async function withDriver(use, environment) {
    const driver = new Driver(environment);

    try {
        await use(driver);
        await driver.close();
    } finally {
        driver.kill();
    }
}
