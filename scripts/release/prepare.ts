/** Gives a release its version, its part of the changelog and, once it is out, its place in deploy/released.json. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { version as current } from './version.ts';

const usage = `node scripts/with-toolchain.mjs scripts/release/prepare.ts VERSION | --check TAG | --notes TAG | --released TAG

A release is a version of everything: images, chart, command lines and SDKs. Its notes are written in CHANGELOG.md with each change.

  VERSION          such as 0.2.0: sets it everywhere, and gives it what "Unreleased" has; review and commit, then tag it vVERSION
  --check TAG      exits 1 unless everything has the version of the tag, and CHANGELOG.md has its part
  --notes TAG      prints that part
  --released TAG   once it is out: the tests of upgrades and of compatible protos start from its commit`;

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
/** Where the version stands, in the form that it has there. Examples are not released. */
const places: readonly (readonly [file: string, form: (version: string) => string])[] = [
  ...git('ls-files', 'package.json', '*/package.json', ':!examples')
    .split('\n')
    .map((file) => [file, (version: string) => `"version": "${version}"`] as const),
  ['deploy/charts/webkiln/Chart.yaml', (version) => `\nversion: ${version}\nappVersion: ${version}\n`],
  ['deploy/charts/webkiln/examples/production.yaml', (version) => `tag: ${version}\n`],
  ['sdk/python/pyproject.toml', (version) => `\nversion = "${version}"\n`],
  ['docs/kubernetes.md', (version) => `charts/webkiln --version ${version} `],
  ['docs/kubernetes.md', (version) => `webkiln/cli:${version} `],
  ['docs/images.md', (version) => `webkiln/gateway:${version} `],
  ['.env.example', (version) => `WEBKILN_VERSION=${version}\n`],
];

const options = { check: { type: 'string' }, notes: { type: 'string' }, released: { type: 'string' }, help: { type: 'boolean' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const versionOf = (tag: string) => tag.replace(/^v/, '');
if (values.check !== undefined) check(versionOf(values.check));
else if (values.notes !== undefined) console.log(notesOf(versionOf(values.notes)));
else if (values.released !== undefined) setReleased(values.released);
else if (positionals[0] !== undefined) prepare(positionals[0]);
else console.log(usage);

function prepare(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[a-z0-9.]+)?$/.test(version)) fail(`${version} is no version such as 0.2.0`);
  const [day] = new Date().toISOString().split('T');
  const changelog = read('CHANGELOG.md');
  if (notesOf('Unreleased') === '') fail('CHANGELOG.md has nothing under "Unreleased"');
  for (const [file, form] of places) {
    const text = read(file);
    if (!text.includes(form(current))) fail(`${file} has not the version ${current}`);
    writeFileSync(path.join(root, file), text.replaceAll(form(current), form(version)));
  }
  writeFileSync(path.join(root, 'CHANGELOG.md'), changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} — ${day}\n`));
  execFileSync(process.execPath, ['scripts/generate.ts'], { cwd: root, stdio: 'inherit' });
  console.log(`Everything has the version ${version}. Review it, commit it as "release: ${version}", and tag that commit v${version}.`);
}

function check(version: string): void {
  const wrong = places.filter(([file, form]) => !read(file).includes(form(version))).map(([file]) => file);
  if (wrong.length > 0) fail(`These have not the version ${version}: ${wrong.join(', ')}`);
  if (notesOf(version) === '') fail(`CHANGELOG.md says nothing about ${version}`);
}

/** The part of the changelog below a version's heading. */
function notesOf(version: string): string {
  const parts = read('CHANGELOG.md').split(/^## /m);
  const part = parts.find((each) => each.startsWith(`${version}\n`) || each.startsWith(`${version} — `)) ?? '';
  return part.slice(part.indexOf('\n')).trim();
}

function setReleased(tag: string): void {
  const commit = git('rev-parse', `${tag}^{commit}`);
  writeFileSync(path.join(root, 'deploy/released.json'), `${JSON.stringify({ version: versionOf(tag), commit }, null, 2)}\n`);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
