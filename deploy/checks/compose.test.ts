import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { composeSpec, supplyProgram } from '@webkiln/dev-platform';
import { processes } from '@webkiln/messages';
import { newSecrets, secretsOfProcess } from '@webkiln/messages/secrets';
import { readConfig } from '@webkiln/runtime';
import { configOf, names, ofImage, urls } from './process-configs.ts';

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'compose.yaml'), 'utf8');
const example = readFileSync(path.join(root, '.env.example'), 'utf8');

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: Readonly<Record<string, unknown>>;
  readonly restart: string;
  readonly healthcheck?: object;
  readonly mem_limit: string;
}
interface ComposeModel {
  readonly services: Readonly<Record<string, Service>>;
}

/** compose.yaml as the Compose specification's own parser reads it, in a folder that holds only what a release has. */
async function model(file: string, env?: string): Promise<ComposeModel> {
  const program = await supplyProgram(composeSpec, (part, line) => process.stderr.write(`${part}: ${line}\n`));
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-compose-'));
  try {
    writeFileSync(path.join(folder, 'compose.yaml'), file);
    if (env !== undefined) writeFileSync(path.join(folder, '.env'), env);
    return JSON.parse((await promisify(execFile)(program, ['-format', 'json', 'compose.yaml'], { cwd: folder, env: {} })).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.each([
  ['without .env', undefined],
  ['with .env.example', example],
])('compose.yaml %s', (_which, env) => {
  let services: ComposeModel['services'];
  beforeAll(async () => {
    ({ services } = await model(text, env));
  });

  test.each(names)('gives %s every setting that it requires, each valid, and none that it does not know', async (name) => {
    const config = await configOf(name);
    const { environment = {} } = services[name] ?? {};
    const own = Object.keys(environment).filter((setting) => !/^(ORIGIN|SITES_ORIGIN|PREVIEW_ORIGIN)$/.test(setting));
    expect(Object.keys(config.shape)).toEqual(expect.arrayContaining(own));
    const { SMTP_URL: _smtp, ...stores } = urls;
    expect(() => readConfig(config, { ...ofImage, ...secretsOfProcess(name, newSecrets(), stores), ...environment })).not.toThrow();
  });

  test('keeps every process and store up, says when it is ready, and bounds its memory', () => {
    for (const [name, { restart, healthcheck, mem_limit }] of Object.entries(services)) {
      expect([name, mem_limit]).toEqual([name, expect.stringMatching(/^\d/)]);
      if (!/^(secrets|replica-set|operator)$/.test(name))
        expect([name, restart, healthcheck]).toEqual([name, 'unless-stopped', expect.anything()]);
    }
  });

  test('lets a process reach the stores of its row in services.ts, the internet if it must, and nothing else', () => {
    for (const name of names) {
      const { stores, egress } = processes[name];
      const wanted = [
        'processes',
        ...stores,
        ...(name === 'gateway' || name === 'sites' ? ['edge'] : []),
        ...(egress.length > 0 ? ['internet'] : []),
      ];
      expect([name, Object.keys(services[name]?.networks ?? {}).toSorted()]).toEqual([name, wanted.toSorted()]);
    }
  });
});

test('the check refuses a file that breaks the specification', async () => {
  await expect(model(text.replace('healthcheck:', 'healthchek:'))).rejects.toThrow('.healthchek');
});

test('.env.example explains every variable of compose.yaml, and no other', () => {
  const used = new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name));
  used.delete('USER');
  const named = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual([...used].toSorted());
});
