/* http-checks.mjs - everything that is checked of a server over HTTP: name, which server, and how. */

import { asking } from "./http-checks-asking.mjs";
import { headers } from "./http-checks-headers.mjs";
import { lifecycle } from "./http-checks-lifecycle.mjs";
import { streams } from "./http-checks-streams.mjs";
import { transport } from "./http-checks-transport.mjs";

export const checks = { ...transport, ...headers, ...lifecycle, ...streams, ...asking };
