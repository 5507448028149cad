import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { agentToolNames } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { makeProject } from './fixtures.ts';

let ours: Agency;
let url: URL;
beforeAll(async () => {
  ours = await agency(undefined, { rateLimit: 10_000 });
  url = new URL(new Agent(undefined).url);
});
const clientInfo = { name: 'official', version: '1' };
const requestInit = () => ({ headers: { authorization: `Bearer ${ours.api.key}` } });

/** The official clients, connected: of the line that knows the revisions until 2025-11-25, and of the next one. */
const connected = {
  '@modelcontextprotocol/sdk': async () => {
    const client = new Client(clientInfo);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit() }));
    return client;
  },
  '@modelcontextprotocol/client, 2025-11-25': async () => {
    const client = new ModernClient(clientInfo);
    await client.connect(new ModernTransport(url, { requestInit: requestInit() }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    return client;
  },
  '@modelcontextprotocol/client, 2026-07-28': async () => {
    const client = new ModernClient(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new ModernTransport(url, { requestInit: requestInit() }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    return client;
  },
};

test.each(Object.entries(connected))('%s lists and calls tools, reads resources and gets prompts', async (_client, connect) => {
  const project = await makeProject(ours.api, undefined, { name: 'Café' });
  await ours.writeDraft(project.id, { 'index.html': '<h1>Café</h1>', 'a b.txt': 'plain' });
  const client = await connect();
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(agentToolNames);
  const called = await client.callTool({ name: 'get_project', arguments: { project_id: project.id } });
  expect(called.structuredContent).toMatchObject({ project: { id: project.id, name: 'Café' } });
  expect(await client.callTool({ name: 'get_project', arguments: {} })).toMatchObject({ isError: true });

  expect((await client.listResources()).resources).toMatchObject([{ uri: 'webkiln://openapi.json' }]);
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
    { uriTemplate: 'webkiln://projects/{id}/files/{+path}' },
  ]);
  const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
  const base = `webkiln://projects/${project.id}/files`;
  expect(await read(`${base}/index.html`)).toMatchObject({ mimeType: 'text/html; charset=utf-8', text: '<h1>Café</h1>' });
  expect(await read(`${base}/a%20b.txt`)).toMatchObject({ text: 'plain' });
  expect(JSON.parse(((await read('webkiln://openapi.json')) as { text: string }).text)).toMatchObject({ openapi: '3.1.0' });
  await expect(read(`${base}/missing.html`)).rejects.toThrow('file_not_found');
  await expect(read('webkiln://elsewhere')).rejects.toThrow('file_not_found');

  expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'start_site' }]);
  const prompt = await client.getPrompt({ name: 'start_site', arguments: { brief: 'A bakery in Lyon' } });
  expect(JSON.stringify(prompt.messages)).toContain('A bakery in Lyon');
  await expect(client.getPrompt({ name: 'start_site' })).rejects.toThrow('brief is required');
  await client.close();
});

test('clients of both revisions are served at the same time, each by its own, and repeated ids never meet', async () => {
  const projects = await Promise.all(Array.from({ length: 4 }, (_, at) => makeProject(ours.api, undefined, { name: `Site ${at}` })));
  const agent = new Agent(ours.api.key);
  const modern = await connected['@modelcontextprotocol/client, 2026-07-28']();
  const ask = async (project_id: string) => {
    const params = { name: 'get_project', arguments: { project_id } };
    return (await agent.post(JSON.stringify({ jsonrpc: '2.0', id: 'same', method: 'tools/call', params }))).expect(200).body;
  };
  await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const { id } = projects[at % 4] as { id: string };
      const [one, other] = await Promise.all([ask(id), modern.callTool({ name: 'get_project', arguments: { project_id: id } })]);
      expect(one).toMatchObject({ id: 'same', result: { structuredContent: { project: { id } } } });
      expect(other.structuredContent).toMatchObject({ project: { id } });
    }),
  );
  await modern.close();
});

test('an unknown revision is refused', async () => {
  const agent = new Agent(ours.api.key);
  (await agent.ask('tools/list', {}, { 'mcp-protocol-version': '1999-01-01' })).expect(400);
  const { result } = (await agent.ask('initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo })).expect(200).body;
  expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'webkiln' } });
});
