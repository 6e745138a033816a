/* tools.mjs DOCUMENT - the operations of an OpenAPI document without references as definitions of tools, one a line: names, the
 * first 2,000 characters of descriptions, and arguments.  Enough for a search; nobody calls them. */

import { readFileSync } from "node:fs";

const { paths } = JSON.parse(readFileSync(process.argv[2], "utf8"));

for (const operation of Object.values(paths).flatMap(Object.values)) {
    if (!operation.operationId) continue;
    const body = operation.requestBody?.content?.["application/json"]?.schema?.properties ?? {};
    const fields = [...(operation.parameters ?? []).map((one) => [one.name, one]), ...Object.entries(body)];
    const properties = Object.fromEntries(
        fields.map(([name, { description = "" }]) => [name, { type: "string", description }]),
    );

    console.log(
        JSON.stringify({
            name: `github__${operation.operationId.replace(/[^A-Za-z0-9]+/g, "_")}`,
            description: `${operation.summary ?? ""}\n\n${(operation.description ?? "").slice(0, 2000)}`,
            inputSchema: { type: "object", properties },
        }),
    );
}
