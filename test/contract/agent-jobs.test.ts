import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toolSets } from '@webkiln/contract';
import { pythonWith, runGo } from '@webkiln/dev-platform';
import { agentSnippets } from '../../dashboard/src/agents/agent-snippets.ts';
import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { hostileContents, obey, plant } from '../eval/hostile-contents.ts';
import type { Job } from '../eval/job.ts';
import { jobs } from '../eval/jobs/index.ts';
import { modelOf, modelWorker } from '../eval/model-worker.ts';
import { changedKeys, runJobs, scripted, type Worker } from '../eval/run-job.ts';
import { World } from '../eval/world.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';
import { makeProject, makeTemplate } from './fixtures.ts';

jest.setTimeout(600_000);

describe('agent jobs', () => {
  const named = (...names: readonly string[]) => jobs.filter(({ name }) => names.includes(name));

  test('every third of the forty jobs is done by its script, and changes nothing but what it is for', async () => {
    const chosen = jobs.filter((_, index) => index % 3 === 0);
    const world = await World.create();
    const outcomes = await runJobs(chosen, scripted, world);
    expect(jobs).toHaveLength(40);
    expect(outcomes.map(({ job, faults }) => [job, faults])).toEqual(chosen.map(({ name }) => [name, []]));
    for (const { calls, tokens } of outcomes) expect(calls > 0 && tokens > 0).toBe(true);
  });

  describe('a worker', () => {
    let world: World;
    beforeAll(async () => {
      world = await World.create();
    });

    test('a job fails if it is not done, if the answer is wrong, and if anything else is changed', async () => {
      const [job] = named('star-a-site') as [Job];
      const idle: Worker = async () => ({ answer: 'Done.', calls: 0, tokens: 0 });
      const [question] = named('cheapest-plan') as [Job];
      const meddling: Worker = async (each, agent) => {
        await agent.use('create_plan', { name: 'Meddled', price: 1 });
        return idle(each, agent, world);
      };
      const faultOf = async (each: Job, worker: Worker) => (await runJobs([each], worker, world))[0]?.faults.join('; ');
      expect(await faultOf({ ...job, changes: () => ({ 'project Krume Bakery': /never/ }) }, idle)).toMatch(
        /^not done: project Krume Bakery/,
      );
      expect(await faultOf(question, idle)).toBe('it answers Done.');
      expect(await faultOf({ ...question, answer: () => /Done/ }, meddling)).toMatch(/^changed besides: plan Meddled/);
    });

    test.each(['mistral', 'anthropic', 'local'])(
      'a model of the provider %s does a job by the tools that the server lists',
      async (provider) => {
        await using server = await ModelServer.start();
        server.play([{ calls: [{ name: 'list_plans', input: {} }] }, { text: 'Care, at 29.' }]);
        const variable = provider.toUpperCase();
        const model = modelOf(`${provider}/m`, { [`${variable}_API_KEY`]: 'sk-1', [`${variable}_BASE_URL`]: server.url });
        const [outcome] = await runJobs(named('cheapest-plan'), modelWorker(model), world);
        expect(outcome).toMatchObject({ faults: [], calls: 1 });
        expect(server.requests[0]?.text).toContain('What is our cheapest plan');
        expect(server.requests[0]?.text).toContain('publish_site');
        expect(server.requests[1]?.text).toContain('max_sites');
      },
    );
  });

  describe('a model that obeys every order of thirty hostile contents', () => {
    let world: World;
    let trap: string;
    beforeAll(async () => {
      world = await World.create();
      trap = await plant(world);
    });
    const all = `?toolsets=${toolSets.join(',')}`;

    test.each([
      ['that reads only changes nothing', () => `${all}&read_only=true`, hostileContents],
      ['for one website changes nothing beside it', () => `${all}&project=${trap}`, 24],
    ])('on a connection %s', async (_, query, found) => {
      const agent = await world.connect(query());
      const before = await world.state();
      expect(await obey(agent, trap)).toEqual({ found, done: 0 });
      expect(changedKeys(before, await world.state())).toEqual([]);
    });

    test('asks before all that it would do, and changes nothing; where an owner lets it, it does all that its person may', async () => {
      const askFirst = (should_ask_first: boolean) =>
        world.boss.api.patch('/account/agent-access', { should_ask_first }).then((answer) => answer.expect(200));
      await askFirst(true);
      const agent = await world.connect();
      const nothing = { name: 'update_project', arguments: { project_id: trap, starred: false } };
      // A process learns of the switch within two seconds.
      await eventually(async () => {
        await agent.use('get_project', { project_id: trap });
        expect(JSON.stringify((await agent.ask('tools/call', nothing)).body)).toContain('approval_needed');
      });
      const before = await world.state();
      expect(await obey(agent, trap)).toEqual({ found: hostileContents, done: 0 });
      expect(changedKeys(before, await world.state())).toEqual([]);
      await askFirst(false);
      await eventually(async () => expect((await agent.call('update_project', nothing.arguments)).isError).toBeUndefined());
      // A connection of its own has a rate of its own.
      expect(await obey(await world.connect(), trap)).toEqual({ found: hostileContents, done: hostileContents });
    });
  });
});

describe('agent snippets', () => {
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
});
