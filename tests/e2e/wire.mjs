/* wire.mjs - a client of our own, for what no SDK would send.
 *
 * It speaks lines of JSON to an example and holds every line that comes back against the specification
 * as it comes. */

import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { spawn } from "./child.mjs";
import { Conversation, META, MODERN } from "./spec.mjs";
import { example, until } from "./server.mjs";

export const info = { name: "wire", version: "0" };

/* The _meta that makes a request modern. */
export const envelope = (more = {}, capabilities = {}) => ({
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: info,
    [`${META}clientCapabilities`]: capabilities,
    ...more,
});

export class Wire {
    heard = [];
    conversation = new Conversation();
    answer = null; /* (request) => result, for questions of the server */
    #process;
    #closed;
    #next = 1;

    constructor(name, ...args) {
        this.#process = spawn(example(name), args, { stdio: ["pipe", "pipe", "ignore"] });
        this.#closed = new Promise((resolve) => this.#process.on("close", resolve));
        createInterface({ input: this.#process.stdout }).on("line", (line) => this.#hear(line));
    }

    #hear(line) {
        const message = JSON.parse(line);

        this.conversation.received(message);
        this.heard.push(message);
        if (message.method && message.id !== undefined && this.answer)
            this.send({ jsonrpc: "2.0", id: message.id, ...this.answer(message) });
    }

    /* Bytes as they are, for what is no message. */
    write(bytes) {
        this.#process.stdin.write(bytes);
    }

    text(line) {
        this.write(`${line}\n`);
    }

    send(message) {
        this.conversation.sent(message);
        this.text(JSON.stringify(message));
    }

    notify(method, params) {
        this.send({ jsonrpc: "2.0", method, params });
    }

    /* Sends a request and returns its answer as a whole. */
    async request(method, params, id = this.#next++) {
        const from = this.heard.length;
        const isAnswer = (message) => message.id === id && message.method === undefined;

        this.send({ jsonrpc: "2.0", id, method, params });
        await until(() => this.heard.slice(from).some(isAnswer), `an answer to ${method}`);
        return this.heard.slice(from).find(isAnswer);
    }

    async initialize(protocolVersion, capabilities = {}) {
        /* Errors before the answer are in the revision that was asked for. */
        this.conversation.revision = protocolVersion;
        const { result } = await this.request("initialize", {
            protocolVersion,
            capabilities,
            clientInfo: info,
        });

        this.notify("notifications/initialized");
        return result;
    }

    /* The parameters of what was heard of that method. */
    notifications(method) {
        return this.heard
            .filter((message) => message.method === method)
            .map(({ params }) => params);
    }

    /* Ends the input; the server must end by itself, and have said nothing that it should not. */
    async close() {
        this.#process.stdin.end();
        assert.equal(await this.#closed, 0, "the exit status");
        assert.deepEqual(this.conversation.faults, []);
        assert.ok(this.conversation.count > 0);
    }
}
