import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as yaml from 'yaml';
import { packPackages } from '../../scripts/release/pack-packages.ts';
import { makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { visit } from '../harness/visitor.ts';
import { followTenMinutes } from './ten-minutes.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const run = promisify(execFile);

/** The code blocks of a guide in a language. */
const blocks = (file: string, language: string): string[] =>
  [...read(file).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, content = '']) => content);

/** An empty folder of a new developer, with the packages as they are published. */
let home: string;
let ours: Agency;
let env: NodeJS.ProcessEnv;
let archives: readonly string[];

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'webkiln-guide-'));
  ours = await agency();
  // Where a proxy has a certificate of its own, npm needs NODE_EXTRA_CA_CERTS.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS, npm_config_cache } = process.env;
  env = { PATH, HOME, NODE_EXTRA_CA_CERTS, npm_config_cache, npm_config_prefer_offline: 'true' };
  Object.assign(env, { XDG_CONFIG_HOME: path.join(home, 'config') });
  Object.assign(env, { WEBKILN_API_KEY: ours.api.key, WEBKILN_BASE_URL: new URL(ours.api.baseUrl).origin });
  archives = packPackages(home);
  await run('npm', ['install', '--no-audit', '--no-fund', ...archives], { cwd: home, env });
  mkdirSync(path.join(home, 'dist'));
  writeFileSync(path.join(home, 'dist/index.html'), '<!doctype html><title>Krume</title>');
});
afterAll(() => rmSync(home, { recursive: true }));

test('ten minutes of a new developer: docs/sdk.md leads from an empty folder to a website and a verified webhook, in TypeScript', async () => {
  const { api } = await agency();
  const empty = path.join(home, 'ten-minutes');
  mkdirSync(empty);
  const fromPackages = (script: string) => script.replace('install @webkiln/sdk webkiln', `install --no-audit ${archives.join(' ')}`);
  const { url, receiver } = await followTenMinutes('In TypeScript', {
    home: empty,
    env: { ...env, WEBKILN_API_KEY: api.key },
    fromPackages,
  });
  expect((await visit(api.baseUrl, url)).text).toContain('<h1>Bäckerei Krume</h1>');
  expect(receiver).toContain('\nA new client: Anna Krume\n');
});

test("the SDK's README is a program that does what it says, and is right in strict types", async () => {
  const { token, project } = await openEmbedSession(await embedPair(await owner()));
  const deliver = `
import { signWebhook } from '@webkiln/sdk';
const body = JSON.stringify({ type: 'client.created', data: { client: { email: 'signed@krume.example' } } });
const headers = await signWebhook(body, process.env.WEBHOOK_SECRET ?? '');
console.log((await receive(new Request('http://localhost/hook', { method: 'POST', body, headers }))).status);
`;
  writeFileSync(path.join(home, 'guide.mts'), [...blocks('sdk/typescript/README.md', 'ts'), deliver].join('\n'));
  const secrets = { WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, EMBED_TOKEN: token, EMBED_PROJECT: project.id };
  const { stdout } = await run(process.execPath, ['guide.mts'], { cwd: home, env: { ...env, ...secrets } });
  const [{ published_url }] = (await ours.api.get('/projects')).expect(200).body.projects;
  for (const line of [published_url, 'Krume', '1 1 false', 'A new client: signed@krume.example', '204'])
    expect(stdout).toContain(`${line}\n`);
  expect(stdout).toMatch(/\(400, request \S+\)/);
  expect(stdout).toMatch(/written index\.html$/m);
  const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2022'];
  await run(path.join(root, 'node_modules/.bin/tsc'), [...strict, '--module', 'nodenext', ...types, 'guide.mts'], { cwd: home });
});

test("the command line's README, its GitLab job and the example of the GitHub Action deploy as they stand there", async () => {
  const project = await makeProject(ours.api);
  const readme = 'sdk/cli/README.md';
  const [commands = ''] = blocks(readme, 'sh');
  const local = { ...env, PROJECT: project.id, WEBKILN_PROJECT: project.id };
  const sh = (script: string, more: NodeJS.ProcessEnv) => run('bash', ['-ec', script], { cwd: home, env: { ...local, ...more } });
  const first = await sh(commands.replace('https://app.example.com', String(env.WEBKILN_BASE_URL)), {});
  const history = async () => (await ours.api.get(`/projects/${project.id}/history`)).expect(200).body.history[0].message;
  expect([first.stdout, await history()]).toEqual([expect.stringContaining('Signed in to'), 'New opening hours']);

  const [gitlab = ''] = blocks(readme, 'yaml');
  const publish = (page: string) => writeFileSync(path.join(home, 'dist/index.html'), page);
  publish('two');
  await sh(yaml.parse(gitlab).publish.script[1], { CI_COMMIT_TITLE: 'By GitLab' });
  expect(await history()).toBe('By GitLab');

  const example = 'examples/static-site';
  cpSync(path.join(root, example), home, { recursive: true });
  const action = yaml.parse(read('sdk/deploy-action/action.yml'));
  const { with: given } = yaml.parse(read(`${example}/.github/workflows/publish.yml`)).jobs.publish.steps.at(-1);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  const output = path.join(home, 'output');
  const inputs = { FOLDER: given.folder, MESSAGE: `By GitHub\n\nand more`, PREVIEW: 'false', GITHUB_OUTPUT: output };
  expect(Object.keys(action.runs.steps[0].env)).toEqual(expect.arrayContaining(['FOLDER', 'MESSAGE', 'PREVIEW']));
  await sh(action.runs.steps[0].run, inputs);
  const { published_url } = (await ours.api.get(`/projects/${project.id}`)).expect(200).body.project;
  expect([await history(), readFileSync(output, 'utf8')]).toEqual(['By GitHub', `url=${published_url}\n`]);
  expect((await visit(ours.api.baseUrl, published_url)).text).toContain('<h1>Bäckerei Krume</h1>');
});
