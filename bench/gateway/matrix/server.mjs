// The server of the matrix on the TypeScript SDK: `server.mjs [--newest] [PORT]`. With
// --newest it serves no revision with a handshake.
import { createServer } from 'node:http';
import { completable, createMcpHandler, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const given = process.argv.slice(2).filter(each => each !== '--newest');
const legacy = process.argv.includes('--newest') ? 'reject' : undefined;
const memo = process.env.MATRIX_MEMO ?? 'memo';
const say = text => ({ content: [{ type: 'text', text }] });

function build() {
    const server = new McpServer(
        { name: 'matrix', version: '1' },
        { instructions: 'Serves every feature once.', capabilities: { logging: {} } }
    );
    const tool = (name, inputSchema, run) =>
        server.registerTool(name, { description: name, inputSchema: z.object(inputSchema) }, run);
    const sum = { inputSchema: z.object({ a: z.int(), b: z.int() }), outputSchema: z.object({ result: z.int() }) };
    server.registerTool('add', sum, async ({ a, b }) => ({ ...say(`${a + b}`), structuredContent: { result: a + b } }));
    tool('echo', { text: z.string() }, async ({ text }) => say(text));
    tool('fail', { why: z.string() }, async ({ why }) => ({ ...say(why), isError: true }));
    tool('show', {}, async () => ({ content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] }));
    tool('weigh', { mib: z.int() }, async ({ mib }) => say('x'.repeat(mib * 1024 * 1024)));
    tool('point', {}, async () => ({
        content: [
            { type: 'resource_link', name: 'fixed', uri: `${memo}://fixed` },
            { type: 'resource', resource: { uri: `${memo}://fixed`, text: 'in' } }
        ]
    }));
    tool('count', { steps: z.int() }, async ({ steps }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        for (let step = 1; step <= steps && progressToken !== undefined; step++) {
            const params = { progressToken, progress: step, total: steps, message: `step ${step - 1}` };
            await ctx.mcpReq.notify({ method: 'notifications/progress', params });
        }
        return say('counted');
    });
    tool('note', { text: z.string() }, async ({ text }, ctx) => {
        await ctx.mcpReq.log('info', text);
        return say('noted');
    });
    const asking = (name, request, read) =>
        tool(name, {}, async (_, ctx) => {
            const said = ctx.mcpReq.inputResponses?.[name];
            return said ? say(read(said)) : inputRequired({ inputRequests: { [name]: request } });
        });
    const requestedSchema = { type: 'object', properties: { yes: { type: 'boolean' } } };
    const hi = { role: 'user', content: { type: 'text', text: 'hi' } };
    asking('ask', inputRequired.elicit({ message: 'Go on?', requestedSchema }), said => `${said.action} ${JSON.stringify(said.content)}`);
    asking('sample', inputRequired.createMessage({ messages: [hi], maxTokens: 9 }), said => said.content.text);
    asking('roots', inputRequired.listRoots(), said => said.roots.map(each => each.uri).join());
    const text = (uri, text) => ({ contents: [{ uri, mimeType: 'text/plain', text }] });
    server.registerResource('fixed', `${memo}://fixed`, {}, async () => text(`${memo}://fixed`, 'fixed é'));
    server.registerResource('raw', `${memo}://bytes`, {}, async () => ({
        contents: [{ uri: `${memo}://bytes`, mimeType: 'application/octet-stream', blob: 'AP8=' }]
    }));
    const template = new ResourceTemplate(`${memo}://of/{name}`, { list: undefined });
    server.registerResource('memo', template, {}, async (uri, { name }) => text(uri.href, `memo of ${name}`));
    const names = value => ['ann', 'anton', 'bob'].filter(each => each.startsWith(value));
    server.registerPrompt('greet', { argsSchema: z.object({ name: completable(z.string(), names) }) }, ({ name }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }]
    }));
    return server;
}

if (given.length === 0) {
    serveStdio(build, { legacy: legacy ?? 'serve' });
} else {
    const handler = createMcpHandler(build, legacy ? { legacy } : {});
    createServer(async (request, response) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        const body = parts.length ? Buffer.concat(parts) : undefined;
        const asked = new Request(`http://${request.headers.host}${request.url}`, { method: request.method, headers: request.headers, body });
        const answer = await handler.fetch(asked);
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body) for await (const part of answer.body) response.write(part);
        response.end();
    }).listen(Number(given[0]), '127.0.0.1');
}
