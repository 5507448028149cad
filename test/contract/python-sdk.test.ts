import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, pythonWith } from '@webkiln/dev-platform';
import { agency } from '../harness/agency.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

jest.setTimeout(600_000);

const sdk = path.resolve(__dirname, '../../sdk/python');
const requirements = path.resolve(__dirname, '../python/requirements.txt');

let folder: string;
/** They run beside the first test, which mostly waits for the platform. */
let checks: Promise<readonly PromiseSettledResult<string>[]>;
let run: (module: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string>;

// The package as it is published: built, and unpacked from its wheel.
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'webkiln-python-'));
  const python = await pythonWith(requirements, (part, text) => process.stderr.write(`${part}: ${text}\n`));
  const unpacked = path.join(folder, 'unpacked');
  run = async (module, args, env) => {
    const own = { PYTHONPATH: `${unpacked}${path.delimiter}${python.env.PYTHONPATH}`, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { cwd: sdk, env: { ...process.env, ...python.env, ...own, ...env } };
    return promisify(execFile)(python.program, ['-m', module, ...args], options).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => {
        throw new Error(`${stdout}\n${stderr}`);
      },
    );
  };
  await run('hatchling', ['build', '--target', 'wheel', '--directory', folder]);
  await run('zipfile', ['-e', globSync(path.join(folder, '*.whl'))[0] ?? '', unpacked]);
  const cache = path.join(cacheFolder(), 'mypy');
  const typed = [path.join(unpacked, 'webkiln'), 'tests', await programsOfReadme()];
  checks = Promise.allSettled([
    run('mypy', ['--strict', '--cache-dir', cache, ...typed]),
    run('ruff', ['check', '--no-cache']),
    run('ruff', ['format', '--check', '--no-cache']),
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

test('the Python SDK, its tests and its README pass strict types, lint and format', async () => {
  expect((await checks).map((check) => (check.status === 'rejected' ? check.reason.message : ''))).toEqual(['', '', '']);
});

/** Writes the programs of the README: each receiver of webhooks, and the others as one. Returns their folder. */
async function programsOfReadme(): Promise<string> {
  const programs = path.join(folder, 'programs');
  await mkdir(programs);
  const readme = await readFile(path.join(sdk, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const receivers = blocks.filter((block) => block.includes('app = '));
  const sources = [...receivers, blocks.filter((block) => !receivers.includes(block)).join('\n')];
  for (const [index, source] of sources.entries()) await writeFile(path.join(programs, `program${index}.py`), source);
  return programs;
}
