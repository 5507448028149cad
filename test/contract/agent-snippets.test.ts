import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pythonWith, runGo } from '@webkiln/dev-platform';
import { agentSnippets } from '../../dashboard/src/agents/agent-snippets.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';
import { makeProject, makeTemplate } from './fixtures.ts';

jest.setTimeout(600_000);

const run = promisify(execFile);
const origin = sharedPlatform().origins[0] ?? '';
const { port } = new URL(origin);
const requirements = path.resolve(__dirname, '../python/requirements.txt');

let ours: Agency;
let name: string;
beforeAll(async () => {
  ours = await agency(undefined, { rateLimit: 10_000 });
  ({ name } = await makeProject(ours.api));
});

const environment = () => ({ ...process.env, WEBKILN_API_KEY: ours.api.key });

/** Runs a program of the page "Agents" as whoever copies it; resolves to what it prints. */
const programs: Readonly<Record<'typescript' | 'python' | 'go', (source: string) => Promise<string>>> = {
  // Beside the packages of this folder, as in a project of its own.
  typescript: async (source) => {
    const folder = await mkdtemp(path.join(__dirname, '../.snippet-'));
    try {
      writeFileSync(path.join(folder, 'agent.mjs'), source);
      return (await run(process.execPath, [path.join(folder, 'agent.mjs')], { env: environment() })).stdout;
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  python: async (source) => {
    const python = await pythonWith(requirements, (part, text) => process.stderr.write(`${part}: ${text}\n`));
    return (await run(python.program, ['-c', source], { env: { ...environment(), ...python.env }, cwd: tmpdir() })).stdout;
  },
  go: (source) => runGo(source, 'github.com/modelcontextprotocol/go-sdk@v1.8.0', { WEBKILN_API_KEY: String(ours.api.key) }),
};

test.each(['typescript', 'python', 'go'] as const)(
  'the program in %s that the page "Agents" shows lists the projects, at each address of the platform',
  async (language) => {
    for (const url of [`${origin}/api/mcp`, `http://127.0.0.1:${port}/api/mcp/`]) {
      const printed = await programs[language](agentSnippets(url)[language]);
      expect(JSON.parse(printed)).toMatchObject({ projects: [{ name }], total: 1 });
    }
  },
);

test('the example of an agent builds a site from a brief, over MCP with a key', async () => {
  const agencyOfAgent = await agency();
  const { api } = agencyOfAgent;
  const { id: source_project_id } = await makeProject(api);
  const page = '<!doctype html><title>Bread</title>';
  await agencyOfAgent.writeDraft(source_project_id, { 'index.html': page });
  await makeTemplate(api, { source_project_id });
  const env = { ...process.env, WEBKILN_API_KEY: api.key, WEBKILN_BASE_URL: origin };
  const example = path.resolve(__dirname, '../../examples/agent/agent.mts');
  const { stdout } = await run(process.execPath, [example, 'A bakery in Lyon'], { env });
  const made = (await api.get('/projects?q=Lyon')).expect(200).body.projects;
  expect(made).toMatchObject([{ name: 'A bakery in Lyon' }]);
  const preview = new URL(stdout.replace('The site "A bakery in Lyon" is ready to be looked at: ', '').trim());
  expect((await visit(origin, preview.href)).text).toContain('<title>Bread</title>');
});

test('the settings that the page "Agents" shows name an address at which a client connects', async () => {
  const { claude, 'claude-code': command, chatgpt, cursor, vscode } = agentSnippets(`${origin}/api/mcp`);
  const named = [
    claude,
    chatgpt,
    /^claude mcp add --transport http webkiln (\S+)$/.exec(command)?.[1],
    JSON.parse(cursor).mcpServers.webkiln.url,
    JSON.parse(vscode).servers.webkiln.url,
  ];
  expect(JSON.parse(vscode).servers.webkiln.type).toBe('http');
  for (const url of named) {
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  }
});
