/* stock.ts - the five tools of examples/stock.cpp with the TypeScript SDK. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const category = z.enum(["kitchen", "office", "garden"]);

const product = z.strictObject({
    name: z.string().describe("Its name"),
    kind: category.describe("Where it belongs"),
    price: z.number().describe("In euros"),
});

const stock: z.infer<typeof product>[] = [
    { name: "Mug", kind: "kitchen", price: 7.5 },
    { name: "Mug rack", kind: "kitchen", price: 36 },
    { name: "Stapler", kind: "office", price: 12.25 },
    { name: "Watering can", kind: "garden", price: 19 },
];

const find = (name: string) => stock.find((one) => one.name === name);

/* Structured content is repeated as text by hand. */
const answer = (structured: Record<string, unknown>) => ({
    content: [{ type: "text" as const, text: JSON.stringify(structured) }],
    structuredContent: structured,
});

const failure = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true });

const server = new McpServer({ name: "stock", version: "1.0.0" });

/* ---- add ---- */

server.registerTool(
    "add",
    {
        description: "Adds two numbers",
        inputSchema: z.strictObject({
            a: z.number().describe("First number"),
            b: z.number().describe("Second number"),
        }),
        outputSchema: z.strictObject({ sum: z.number().describe("Both together") }),
        annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => answer({ sum: a + b }),
);

/* ---- search ---- */

server.registerTool(
    "search",
    {
        description: "Finds products by their name",
        inputSchema: z.strictObject({
            query: z.string().min(1).describe("Part of a name, as it is written"),
            kind: category.optional().describe("Only of this category"),
            limit: z.number().int().min(1).max(50).default(10).describe("At most so many"),
        }),
        outputSchema: z.strictObject({ products: z.array(product).describe("What was found") }),
        annotations: { readOnlyHint: true },
    },
    async ({ query, kind, limit }) =>
        answer({
            products: stock
                .filter((one) => one.name.includes(query) && (!kind || one.kind === kind))
                .slice(0, limit),
        }),
);

/* ---- names ---- */

server.registerTool(
    "names",
    {
        description: "Lists the names of all products",
        outputSchema: z.strictObject({ names: z.array(z.string()).describe("Of every product") }),
        annotations: { readOnlyHint: true },
    },
    async () => answer({ names: stock.map((one) => one.name) }),
);

/* ---- order ---- */

server.registerTool(
    "order",
    {
        description: "Orders products",
        inputSchema: z.strictObject({
            buyer: z
                .strictObject({
                    name: z.string().min(1).describe("Who orders"),
                    email: z.email().describe("Where the bill goes"),
                })
                .describe("Who it is for"),
            lines: z
                .array(
                    z.strictObject({
                        product: z.string().describe("A product's name"),
                        count: z.number().int().min(1).max(100).describe("How many of it"),
                    }),
                )
                .min(1)
                .describe("What is ordered"),
            note: z.string().optional().describe("For whoever packs it"),
        }),
        outputSchema: z.strictObject({
            buyer: z.string().describe("Who it is for"),
            pieces: z.number().int().describe("How many there are"),
            total: z.number().describe("In euros"),
        }),
    },
    async ({ buyer, lines }) => {
        let pieces = 0;
        let total = 0;

        for (const { product, count } of lines) {
            const found = find(product);

            if (!found) return failure(`There is no product named ${product}`);
            pieces += count;
            total += count * found.price;
        }
        return answer({ buyer: buyer.name, pieces, total });
    },
);

/* ---- remove ---- */

server.registerTool(
    "remove",
    {
        description: "Removes a product",
        inputSchema: z.strictObject({ name: z.string().describe("The product's name") }),
        annotations: { destructiveHint: true },
    },
    async ({ name }) =>
        failure(find(name) ? "The stock is read-only" : `There is no product named ${name}`),
);

await server.connect(new StdioServerTransport());
