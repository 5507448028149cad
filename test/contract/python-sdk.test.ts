import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, pythonWith } from '@webkiln/dev-platform';
import { receiverKeepsGuarantees } from '../docs/receiver-guarantees.ts';
import { followTenMinutes } from '../docs/ten-minutes.ts';
import { agency } from '../harness/agency.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';

jest.setTimeout(600_000);

const root = path.resolve(__dirname, '../..');
const sdk = path.join(root, 'sdk/python');
const requirements = path.join(root, 'test/python/requirements.txt');
const receiver = path.join(root, 'examples/webhooks/verify.py');

let folder: string;
/** They run beside the first test, which mostly waits for the platform. */
let checks: Promise<readonly PromiseSettledResult<string>[]>;
let wheel: string;
/** The environment in which Python has the package. */
let own: NodeJS.ProcessEnv;
let program: string;
let run: (module: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string>;

// The package as it is published: built, and unpacked from its wheel.
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'webkiln-python-'));
  const python = await pythonWith(requirements, (part, text) => process.stderr.write(`${part}: ${text}\n`));
  const unpacked = path.join(folder, 'unpacked');
  program = python.program;
  own = { ...python.env, PYTHONPATH: `${unpacked}${path.delimiter}${python.env.PYTHONPATH}`, PYTHONDONTWRITEBYTECODE: '1' };
  run = async (module, args, env) => {
    const options = { cwd: sdk, env: { ...process.env, ...own, ...env } };
    return promisify(execFile)(program, ['-m', module, ...args], options).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => {
        throw new Error(`${stdout}\n${stderr}`);
      },
    );
  };
  await run('hatchling', ['build', '--target', 'wheel', '--directory', folder]);
  [wheel = ''] = globSync(path.join(folder, '*.whl'));
  await run('zipfile', ['-e', wheel, unpacked]);
  const cache = path.join(cacheFolder(), 'mypy');
  const typed = [path.join(unpacked, 'webkiln'), 'tests', receiver, await programsOfPages()];
  checks = Promise.allSettled([
    run('mypy', ['--strict', '--cache-dir', cache, ...typed]),
    run('ruff', ['check', '--no-cache', '.', receiver]),
    run('ruff', ['format', '--check', '--no-cache', '.', receiver]),
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

test('the Python SDK keeps what its tests in sdk/python/tests and its README promise, on this platform', async () => {
  const [ours, person] = await Promise.all([agency(undefined, { rateLimit: 10_000 }), owner()]);
  const session = await openEmbedSession(await embedPair(person));
  const printed = await run('pytest', [], {
    WEBKILN_API_KEY: ours.api.key,
    WEBKILN_BASE_URL: sharedPlatform().origins[0],
    EMBED_TOKEN: session.token,
    PROJECT_ID: session.project.id,
  });
  expect(printed).toMatch(/^\d+ passed/m);
});

test('the Python SDK, its tests and its README, and the programs of the guides pass strict types, lint and format', async () => {
  expect((await checks).map((check) => (check.status === 'rejected' ? check.reason.message : ''))).toEqual(['', '', '']);
});

// Debian has `venv` in a package of its own.
const { status } = spawnSync('python3', ['-c', 'import ensurepip, venv']);
if (status !== 0) process.stderr.write('Ten minutes in Python skipped: this Python has no venv.\n');

test.each(status === 0 ? ['In Python'] : [])(
  'ten minutes of a new developer: docs/sdk.md leads from an empty folder to a website and a verified webhook, %s',
  async (section) => {
    const ours = await agency();
    const { PATH, HOME, PIP_INDEX_URL, PIP_EXTRA_INDEX_URL } = process.env;
    const env = {
      PATH,
      HOME,
      PIP_INDEX_URL,
      PIP_EXTRA_INDEX_URL,
      WEBKILN_API_KEY: ours.api.key,
      WEBKILN_BASE_URL: sharedPlatform().origins[0],
    };
    const commandLine = `${process.execPath} ${path.join(root, 'sdk/cli/src/main.ts')}`;
    const fromPackages = (script: string) =>
      script.replace('install webkiln', `install --quiet ${wheel}`).replace('npx webkiln', commandLine);
    const home = await mkdtemp(path.join(folder, 'ten-minutes-'));
    const { url, receiver: printed } = await followTenMinutes(section, { home, env, fromPackages });
    expect((await visit(ours.api.baseUrl, url)).text).toContain('<h1>Byron & Daughters</h1>');
    expect(printed).toContain('\nA new client: Ada Byron\n');
  },
);

describe('the example of a receiver in Python', () => {
  receiverKeepsGuarantees(() => ({ program, args: [receiver], cwd: folder, env: own }));
});

/** Writes the programs of the README: each receiver of webhooks, and the others as one. Returns their folder. */
async function programsOfPages(): Promise<string> {
  const programs = path.join(folder, 'programs');
  await mkdir(programs);
  const readme = await readFile(path.join(sdk, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const receivers = blocks.filter((block) => block.includes('app = '));
  const sources = [...receivers, blocks.filter((block) => !receivers.includes(block)).join('\n')];
  for (const [index, source] of sources.entries()) await writeFile(path.join(programs, `program${index}.py`), source);
  return programs;
}
