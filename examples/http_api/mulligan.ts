// A small client of Mulligan's HTTP API, in TypeScript without a dependency (Node 20 has fetch).
// It asks what is known to go wrong, reports a call that failed, and takes the suggestion.
//
//   MULLIGAN_URL=http://127.0.0.1:8400 MULLIGAN_TOKEN=… node --experimental-strip-types mulligan.ts
//
// Node strips the types itself from 22.6 on. Node 20 cannot, and a build step would need a compiler:
// so the types here stand only where a line can be left out or cut without knowing TypeScript, which
// is what our test does there: interfaces, and right after the name of a constant.

declare const process: { env: Record<string, string | undefined>; pid: number };

interface Call {
  tool: string;
  arguments: Record<string, unknown>;
  result?: unknown;
  error?: { message: string; status?: number };
  schema?: Record<string, unknown>;
}

interface Suggestion {
  changes: Record<string, unknown>;
  drops: string[];
  probability: number;
  n: number;
}

interface Client {
  log(turn: string, message: string, calls: Call[], key: string): Promise<{ executions: { advice?: string }[] }>;
  suggest(tool: string, args: Record<string, unknown>, error: string): Promise<{ decision: string; why: string; suggestions: Suggestion[] }>;
  review(turn: string, reply: string): Promise<{ standing: string; findings: { issue: string }[] }>;
  pitfalls(tool: string): Promise<{ text: string }>;
}

type Connect = (url: string, token: string) => Client;

export const connect: Connect = (url, token) => {
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const read: (answer: Response) => Promise<any> = async (answer) => {
    const said: any = await answer.json();
    // Every error is a problem document (RFC 9457): its type says which one, for a program.
    if (!answer.ok) throw new Error(`${said.type}: ${said.detail ?? said.title}`);
    return said;
  };
  const post: (path: string, body: unknown, key?: string) => Promise<any> = async (path, body, key) => {
    const more: Record<string, string> = key ? { "idempotency-key": key } : {};
    return read(await fetch(`${url}/v1${path}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) }));
  };
  return {
    // With a key, a request that got no answer is sent again without a second row in the log.
    log: (turn, message, executions, key) => post("/executions", { turn, message, agent: "example", executions }, key),
    suggest: (tool, args, error) => post("/suggestions", { tool, arguments: args, error }),
    review: (turn, reply) => post("/reviews", { turn, reply }),
    pitfalls: async (tool) => read(await fetch(`${url}/v1/pitfalls?tool=${encodeURIComponent(tool)}`, { headers })),
  };
};

const schema: Record<string, unknown> = {
  type: "object",
  properties: { order_id: { type: "string" }, limit: { type: "integer", maximum: 50 } },
  required: ["order_id"],
};

const find: (args: Record<string, unknown>) => string = (args) => {
  if (Number(args.limit) > 50) throw new Error("limit must be less than or equal to 50");
  return `${args.order_id}: pending`;
};

const main: () => Promise<void> = async () => {
  const mulligan: Client = connect(process.env.MULLIGAN_URL ?? "", process.env.MULLIGAN_TOKEN ?? "");
  const asked: Record<string, unknown> = { order_id: "W17", limit: 500 };
  const turn: string = `turn-${process.pid}`;
  try {
    find(asked);
  } catch (error) {
    const message: string = String(error);
    const call: Call = { tool: "find_order", arguments: asked, error: { message, status: 422 }, schema };
    await mulligan.log(turn, "Where is my order W17?", [call], `${turn}-1`);
    const advice: { decision: string; suggestions: Suggestion[] } = await mulligan.suggest("find_order", asked, message);
    const better: Record<string, unknown> = { ...asked, ...advice.suggestions[0]?.changes };
    const result: string = find(better);
    await mulligan.log(turn, "", [{ tool: "find_order", arguments: better, result, schema }], `${turn}-2`);
    const review: { standing: string } = await mulligan.review(turn, result);
    console.log(`${advice.decision}: ${JSON.stringify(better)} -> ${result} (${review.standing})`);
  }
};

await main();
