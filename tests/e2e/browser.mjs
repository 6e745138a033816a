/* browser.mjs - a headless Chromium, over the DevTools protocol. */

import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { WebSocket } from "ws";
import { spawn } from "./child.mjs";
import { until } from "./server.mjs";

/* The program; undefined if it is not here. */
export const chromium = process.env.PATH.split(delimiter)
    .flatMap((directory) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(directory, name)))
    .find(existsSync);

export class Browser {
    #id = 0;
    #waiting = new Map();
    faults = []; /* what the console and the security policy complain of */

    static async start({ width = 1240, height = 1320, dark = false } = {}) {
        const browser = new Browser();
        let text = "";

        browser.directory = mkdtempSync(join(tmpdir(), "haft-chromium-"));
        browser.process = spawn(
            chromium,
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                "--remote-debugging-port=0", `--user-data-dir=${browser.directory}`, "about:blank"],
            { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: browser.directory } },
        );
        browser.ended = once(browser.process, "close");
        browser.process.stderr.on("data", (data) => (text += data));
        await until(() => /DevTools listening on (\S+)/.test(text), "Chromium", 60000);
        browser.socket = new WebSocket(/DevTools listening on (\S+)/.exec(text)[1], { maxPayload: 1 << 28 });
        browser.socket.on("message", (data) => browser.#receive(JSON.parse(data)));
        await once(browser.socket, "open");
        const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });

        ({ sessionId: browser.session } = await browser.send("Target.attachToTarget", { targetId, flatten: true }));
        for (const domain of ["Page", "Runtime", "Log"]) await browser.send(`${domain}.enable`);
        await browser.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
        await browser.send("Emulation.setEmulatedMedia", {
            features: [
                { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
                { name: "prefers-reduced-motion", value: "reduce" },
            ],
        });
        return browser;
    }

    #receive({ id, method, params, result, error }) {
        if (method === "Log.entryAdded" && params.entry.level === "error") this.faults.push(params.entry.text);
        if (method === "Runtime.exceptionThrown") this.faults.push(params.exceptionDetails.exception?.description);
        if (id === undefined) return;
        const { resolve, reject } = this.#waiting.get(id);

        this.#waiting.delete(id);
        if (error) reject(new Error(error.message));
        else resolve(result);
    }

    send(method, params = {}) {
        const id = ++this.#id;
        const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));

        this.socket.send(JSON.stringify({ id, method, params, sessionId: this.session }));
        return answer;
    }

    async goto(url) {
        await this.send("Page.navigate", { url });
    }

    /* The value of an expression in the page. */
    async value(expression) {
        const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
            expression,
            returnByValue: true,
            awaitPromise: true,
        });

        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    async waitFor(expression, what, milliseconds = 30000) {
        const end = Date.now() + milliseconds;

        while (!(await this.value(expression))) {
            if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    /* A key as a person presses it. */
    async press(key, code = key) {
        for (const type of ["keyDown", "keyUp"])
            await this.send("Input.dispatchKeyEvent", { type, key, code, text: type === "keyDown" && key === "Enter" ? "\r" : undefined, windowsVirtualKeyCode: key === "Enter" ? 13 : key === "Tab" ? 9 : 0 });
    }

    async screenshot() {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });

        return Buffer.from(data, "base64");
    }

    async close() {
        this.session = undefined;
        await this.send("Browser.close").catch(() => {});
        await this.ended;
        rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    }
}
