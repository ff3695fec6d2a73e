// A client of the matrix on the TypeScript SDK: `client.mjs TARGET STEPS`, prints what each step
// gave.
import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [target, steps] = process.argv.slice(2).map(each => JSON.parse(each));
const heard = [];
const client = new Client(
    { name: 'matrix', version: '1' },
    { capabilities: { sampling: {}, elicitation: {}, roots: {} }, versionNegotiation: { mode: target.mode ?? 'auto' } }
);
client.setRequestHandler('sampling/createMessage', async request => ({
    role: 'assistant', model: 'm', content: { type: 'text', text: `sampled ${request.params.messages[0].content.text}` }
}));
client.setRequestHandler('elicitation/create', async request => ({
    action: 'accept', content: { yes: request.params.message === 'Go on?' }
}));
client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///matrix' }] }));
client.setNotificationHandler('notifications/message', ({ params }) => heard.push(['log', params.level, params.data]));

const headers = target.token ? { authorization: `Bearer ${target.token}` } : {};
const transport = target.command
    ? new StdioClientTransport({ command: target.command[0], args: target.command.slice(1), env: process.env, cwd: target.cwd, stderr: 'ignore', maxBufferSize: 2 ** 30 })
    : new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } });
await client.connect(transport);

const onprogress = ({ progress, total, message }) => heard.push(['progress', progress, total, message]);
const timeout = 120_000;
function take([kind, ...rest]) {
    if (kind === 'greeting') return { capabilities: client.getServerCapabilities(), instructions: client.getInstructions() };
    if (kind === 'list') {
        const [what] = rest;
        if (what === 'tools') return client.listTools();
        if (what === 'resources') return client.listResources();
        return what === 'prompts' ? client.listPrompts() : client.listResourceTemplates();
    }
    const [name, given] = rest;
    if (kind === 'call') return client.callTool({ name, arguments: given }, { timeout });
    if (kind === 'progress') return client.callTool({ name, arguments: given }, { onprogress, timeout });
    if (kind === 'read') return client.readResource({ uri: name });
    if (kind === 'prompt') return client.getPrompt({ name, arguments: given });
    if (kind === 'complete') return client.complete({ ref: { type: 'ref/prompt', name }, argument: given });
    return client.ping();
}
const hash = text => createHash('sha256').update(text).digest('hex').slice(0, 12);
const shorten = (_, value) =>
    typeof value === 'string' && value.length > 1000 ? `${value.length} characters, ${hash(value)}` : value;

const found = [];
for (const step of steps) {
    heard.length = 0;
    let gave;
    try {
        gave = await take(step);
    } catch (error) {
        gave = { raised: error.constructor.name, code: error.code ?? null, said: error.message };
    }
    if (step[0] === 'progress' || step[0] === 'call') await new Promise(done => setTimeout(done, 50));
    found.push({ step, gave, heard: [...heard] });
}
process.stdout.write(JSON.stringify(found, shorten) + '\n');
await client.close();
process.exit(0);
