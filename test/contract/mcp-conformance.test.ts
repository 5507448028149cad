import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { agency } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { allScenarios, runSuite, type Scenario, scenariosOfRevision } from '../harness/conformance-suite.ts';
import { allowAgent, registerAgent } from '../harness/connected-agent.ts';
import { KeyedProxy } from '../harness/keyed-proxy.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const [origin = ''] = sharedPlatform().origins;
const revisions = ['2025-11-25', '2026-07-28'];
/** Generous, because it only bounds how long a failure takes. */
const timeoutMs = '120000';

/** Scenarios, and checks as `scenario/check`, that docs/mcp.md excludes: the first column of its table. */
const guide = readFileSync(path.resolve(__dirname, '../../docs/mcp.md'), 'utf8');
const [, section = ''] = guide.split('## Official conformance suite');
const rows = section.split('\n').filter((line) => line.startsWith('| `'));
const excluded = new Set(rows.flatMap((row) => Array.from((row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g), ([, name]) => name ?? '')));

/** Why scenarios did not pass, without what is excluded. */
const failuresOf = (names: readonly string[], results: readonly Scenario[]) =>
  names
    .filter((name) => !excluded.has(name))
    .flatMap((name) => {
      const { hasProof = false, failures = [] } = results.find((scenario) => scenario.name === name) ?? {};
      const failed = failures.filter(({ id }) => !excluded.has(`${name}/${id}`)).map(({ id, reason }) => `${name}/${id}: ${reason}`);
      return hasProof ? failed : [...failed, `${name}: no check holds`];
    });

test.each(revisions)('scenarios for servers of revision %s pass, but for those that docs/mcp.md excludes', async (revision) => {
  const ours = await agency(undefined, { rateLimit: 10_000 });
  await using proxy = await KeyedProxy.start(new Agent(undefined).url, String(ours.api.key));
  const results = await runSuite(['server', '--url', proxy.url, '--requirements', revision, '--timeout', timeoutMs]);
  expect(failuresOf(scenariosOfRevision(revision), results)).toEqual([]);
});

const authorization = ['authorization-server-metadata-endpoint', 'authorization-code-grant'];

test('scenarios for authorization servers pass', async () => {
  // Operators' calls need the keys of an agency's platform.
  await agency();
  const person = await owner();
  const [client, port] = [await registerAgent(origin, 'Conformance', 'http://127.0.0.1/callback'), await freePort()];
  const options = ['--client-id', client, '--resource', `${origin}/api/mcp`, '--port', String(port)];
  let page = '';
  const results = await runSuite(['authorization', '--url', origin, ...options], async (line) => {
    if (line.startsWith(`${origin}/oauth/authorize?`)) page = line;
    if (line.startsWith('Callback server started')) await fetch(await allowAgent(person, page));
  });
  expect(failuresOf(authorization, results)).toEqual([]);
});

test('each scenario that the suite has for servers is run or excluded, and nothing else is excluded', async () => {
  const known = await allScenarios();
  const run = new Set([...revisions.flatMap(scenariosOfRevision), ...authorization]);
  expect(known.filter((name) => !run.has(name) && !excluded.has(name))).toEqual([]);
  expect([...excluded].filter((name) => !known.includes(name.split('/')[0] ?? ''))).toEqual([]);
});
