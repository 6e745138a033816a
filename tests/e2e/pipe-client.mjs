/* pipe-client.mjs - a legacy client of our own on a pipe, whose server we can send signals to. */
import { createInterface } from "node:readline";
import { spawn } from "./child.mjs";
import { until } from "./server.mjs";

export class Pipe {
    heard = [];
    log = "";
    #next = 1;

    constructor(program, ...args) {
        this.process = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
        this.process.stderr.on("data", (text) => (this.log += text));
        this.ended = new Promise((resolve) =>
            this.process.on("close", (code, signal) => resolve(code ?? signal)),
        );
        createInterface({ input: this.process.stdout }).on("line", (line) =>
            this.heard.push(JSON.parse(line)),
        );
    }

    send(message) {
        this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    }

    async request(method, params) {
        const id = this.#next++;
        const answer = () => this.heard.find((message) => message.id === id);

        this.send({ id, method, params });
        await until(answer, `an answer to ${method}`, 20000);
        return answer();
    }

    async greet() {
        await this.request("initialize", {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: "reload", version: "1" },
        });
        this.send({ method: "notifications/initialized" });
    }

    async names() {
        return (await this.request("tools/list")).result.tools.map((tool) => tool.name).sort();
    }

    changes() {
        return this.heard.filter(({ method }) => method === "notifications/tools/list_changed")
            .length;
    }

    async end() {
        this.process.stdin.end();
        return this.ended;
    }
}
