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
let run: (program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string>;

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
  const cache = path.join(cacheFolder(), 'mypy');
  await mkdir(cache, { recursive: true });
  const snippets = path.join(folder, 'snippets');
  await mkdir(snippets);
  const blocks = [...(await readFile(path.join(sdk, 'README.md'), 'utf8')).matchAll(/^```python\n(.*?)^```$/gms)].map(([, block]) => block);
  const receivers = blocks.filter((block) => block?.includes('app = '));
  const programs = [...receivers, blocks.filter((block) => !receivers.includes(block)).join('\n')];
  for (const [index, program] of programs.entries()) await writeFile(path.join(snippets, `program${index}.py`), program ?? '');
  const types = ['--strict', '--cache-dir', cache, path.join(folder, 'unpacked/webkiln'), 'tests', snippets];
  await Promise.all([run('mypy', types), run('ruff', ['check', '--no-cache']), run('ruff', ['format', '--check', '--no-cache'])]);
});
