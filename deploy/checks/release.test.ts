import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { actionlint, supplyProgram } from '@webkiln/dev-platform';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const workflows = readdirSync(path.join(root, '.github/workflows'));
const script = (name: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [path.join(root, 'scripts/release', name), ...args], { cwd: root });

test('actionlint accepts every workflow', async () => {
  const program = await supplyProgram(actionlint, (part, line) => process.stderr.write(`${part}: ${line}\n`));
  await promisify(execFile)(program, [
    '-shellcheck=',
    '-pyflakes=',
    ...workflows.map((file) => path.join(root, '.github/workflows', file)),
  ]);
});

test('workflows only call scripts of the repository, so that each step runs on any machine', () => {
  const tools = /^(bash \.ci\/run|node scripts\/with-toolchain\.mjs scripts\/|docker login|npm install --global npm|gh release create)/;
  for (const file of workflows) {
    const { jobs } = parse(readFileSync(path.join(root, '.github/workflows', file), 'utf8')) as Record<
      'jobs',
      Record<string, { readonly steps: readonly { readonly run?: string }[] }>
    >;
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(runs.length).toBeGreaterThan(0);
    for (const run of runs) expect([file, run]).toEqual([file, expect.stringMatching(tools)]);
  }
});

test.each(['images.ts', 'chart.ts', 'pack-packages.ts', 'prepare.ts'])('%s --help says what it makes and takes', async (name) => {
  expect((await script(name, '--help')).stdout).toMatch(/^node scripts\/with-toolchain\.mjs scripts\/release\/[\s\S]+--/);
});

test('everything has the version of package.json, which the changelog has a part of; another one is refused by name', async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  await script('prepare.ts', '--check', `v${version}`);
  await expect(script('prepare.ts', '--check', 'v99.0.0')).rejects.toThrow('Chart.yaml');
});
