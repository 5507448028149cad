import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '@webkiln/dev-platform';
import * as yaml from 'yaml';
import { pages } from '../../docs-site/site.ts';
import { activeClient, inviteClient, makeProject, makeWebhook } from '../contract/fixtures.ts';
import { agency } from '../harness/agency.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

jest.setTimeout(600_000);

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

interface Sample {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}
const samples = pages().flatMap(({ path: page, markdown }) =>
  // Those in lists are indented.
  [...markdown.matchAll(/^( *)```(\w+)[^\n]*\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', code = '']): Sample => ({ page, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }),
  ),
);
const inLanguage = (...languages: readonly string[]) => samples.filter(({ language }) => languages.includes(language));
const ofGuides = inLanguage('sh', 'ts', 'python').filter(({ page }) => !/^(?:reference|decisions)\//.test(page));

/** What fragments for contributors name of the code around them. */
const around: Readonly<Record<string, string>> = {
  composer: `declare const projectId: string, sentence: string, pictures: never, library: never;
declare function save(files: object): void;
declare function say(...said: unknown[]): void;`,
  upgrades: `import { defineModel } from '@webkiln/store';
interface Shop { _id: string; org_id: string; name: string; slug: string; created_at: string }
declare const definition: never;
declare function slugOf(name: string): string;`,
};

test('every sample in TypeScript of the guides and the reference has right types', async () => {
  // Beside the packages of this folder, as in a project of its own.
  const folder = mkdtempSync(path.join(root, 'test/.samples-'));
  try {
    const imports = new Set<string>();
    const functions: string[] = [];
    for (const [index, { page, code }] of inLanguage('ts').entries()) {
      if (!page.startsWith('reference/')) {
        writeFileSync(path.join(folder, `${page}-${index}.mts`), `${around[page] ?? ''}\n${code}\nexport {};\n`);
        continue;
      }
      const names = new Set([...code.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => `${name}: string`));
      for (const [line] of code.matchAll(/^import .*$/gm)) imports.add(line);
      functions.push(`export async function sample${index}(${[...names].join(', ')}) {\n${code.replaceAll(/^import .*$/gm, '')}\n}`);
    }
    writeFileSync(path.join(folder, 'reference.mts'), [...imports, ...functions].join('\n'));
    const compilerOptions = { types: ['node'], incremental: false, noUnusedLocals: false };
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.mts'], exclude: [] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: root, encoding: 'utf8' });
    expect([functions.length > 50, stdout]).toEqual([true, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every sample in Python, of a shell, in JSON and in YAML can be parsed', () => {
  const compiled = "import json, sys\nfor sample in json.load(sys.stdin): compile(sample['code'], sample['page'], 'exec')";
  const parsed = [
    spawnSync('python3', ['-c', compiled], { input: JSON.stringify(inLanguage('python')), encoding: 'utf8' }),
    spawnSync('bash', ['-n'], {
      input: inLanguage('sh')
        .flatMap(({ code }) => code)
        .join('\n'),
      encoding: 'utf8',
    }),
  ];
  expect(parsed.map(({ stderr }) => stderr)).toEqual(['', '']);
  for (const { code } of inLanguage('json')) JSON.parse(code);
  for (const { code } of inLanguage('yaml')) expect(yaml.parseAllDocuments(code).flatMap(({ errors }) => errors)).toEqual([]);
  expect(new Set(samples.map(({ language }) => language))).toEqual(new Set(['sh', 'ts', 'python', 'json', 'yaml', 'html', 'caddy', 'go']));
});

test('every request of the guides is answered as it stands there', async () => {
  const [ours, person] = await Promise.all([agency(undefined, { rateLimit: 10_000 }), owner()]);
  const pair = await embedPair(person);
  const { token, project } = await openEmbedSession(pair);
  // Made first, it receives exactly what is raised from here on.
  const webhook = await makeWebhook(ours.api);
  const published = await makeProject(ours.api);
  const { url } = (await ours.api.post(`/projects/${published.id}/publish`, { builtFiles: { 'index.html': 'Bread' } })).expect(200).body;
  const keeper = await ours.makeKey(['read', 'write', 'keys']);
  const rotated = await ours.makeKey(['read']);
  const client = await inviteClient(ours.api);
  const etag = (await ours.api.get(`/clients/${client.id}`)).expect(200).headers.get('etag') ?? '';
  const deliveries = () => ours.api.get(`/webhooks/${webhook.id}/deliveries`);
  const [{ id: delivery }] = await ours.eventually(async () => {
    const { body } = (await deliveries()).expect(200);
    expect(body.deliveries).toHaveLength(2);
    return body.deliveries;
  });
  const origin = sharedPlatform().origins[0] ?? '';
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-samples-'));
  mkdirSync(path.join(folder, '.data'));
  writeFileSync(path.join(folder, '.data/demo.json'), JSON.stringify({ embed: pair }));
  const { PATH } = process.env;
  const env = {
    ...{
      PATH,
      WEBKILN_URL: origin,
      WEBKILN_API_KEY: ours.api.key,
      API: `${origin}/api/v1`,
      BASE_URL: `${origin}/api/v1`,
      KEY: keeper.api.key,
    },
    ...{ CLIENT_ID: client.id, ORIGIN: origin, CLIENT: pair.client_id, SECRET: pair.client_secret },
    ...{ KEY_ID: rotated.keyId, EMBED_TOKEN: token, PROJECT: project.id, WEBHOOK: webhook.id, DELIVERY: delivery },
  };
  const asHere = (code: string) =>
    code
      .replaceAll(/https?:\/\/(?:webkiln\.example|localhost:8080|127\.0\.0\.1:8080|localhost(?=\/))/g, origin)
      .replace('wk_…', ours.api.key ?? '')
      // What the request before it has shown.
      .replace('"r5"', etag)
      .replaceAll('harbour-bakery.sites.localhost', new URL(url).host);
  const failed: string[] = [];
  let requests = 0;
  for (const { page, code } of ofGuides.filter(({ language }) => language === 'sh')) {
    if (!/^\s*curl/m.test(code)) continue;
    requests += 1;
    // The start page has invited her; projects are for those who have accepted.
    if (code.includes('client_email')) {
      const { clients } = (await ours.api.get('/clients')).expect(200).body;
      const { id } = clients.find(({ email }: { email: string }) => email === 'anna@krume.example');
      (await ours.api.patch(`/clients/${id}`, { status: 'active' })).expect(200);
    }
    const script = `curl() { command curl --silent --show-error --fail-with-body --max-time 60 "$@"; }\n${asHere(code)}`;
    await run('bash', ['-ec', script], { cwd: folder, env }).catch((error) =>
      failed.push(`${page}: ${code}${error.stderr}${error.stdout}`),
    );
  }
  rmSync(folder, { recursive: true });
  expect([requests > 10, failed]).toEqual([true, []]);
});

test('the programs of the page "Paging" read every page', async () => {
  const { api } = await agency();
  const client = await activeClient(api);
  for (const name of ['Bread', 'Rolls']) await makeProject(api, client, { name });
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-samples-'));
  const python = await pythonWith(path.join(root, 'test/python/requirements.txt'), (part, text) =>
    process.stderr.write(`${part}: ${text}\n`),
  );
  // The newer name of the same library.
  writeFileSync(path.join(folder, 'httpx.py'), 'from httpx2 import *\n');
  const programs = { python: python.program, ts: process.execPath };
  for (const [language, program] of Object.entries(programs)) {
    const { code = '' } = ofGuides.find((each) => each.page === 'paging' && each.language === language) ?? {};
    const file = path.join(folder, language === 'ts' ? 'paging.mts' : 'paging.py');
    writeFileSync(file, code.replace('limit=100', 'limit=1'));
    const env = { ...process.env, ...python.env, WEBKILN_URL: sharedPlatform().origins[0], WEBKILN_API_KEY: api.key };
    expect((await run(program, [file], { env })).stdout).toBe('Rolls\nBread\n');
  }
  rmSync(folder, { recursive: true });
});
