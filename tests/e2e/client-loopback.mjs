/* client-loopback.mjs - loaded in front of a server in node that cannot be told where to listen: it listens on
 * loopback, on a free port, and says where. */

import { Server } from "node:net";

const listen = Server.prototype.listen;

Server.prototype.listen = function onLoopback(...args) {
    const done = args.find((arg) => typeof arg === "function");

    return listen.call(this, 0, "127.0.0.1", () => {
        console.error(`listening on http://127.0.0.1:${this.address().port}/mcp`);
        done?.();
    });
};
