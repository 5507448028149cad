import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { collection, event, operation, proofs } from './recipe-steps.ts';
import { proofOfService, service } from './service-recipe.ts';

const root = path.resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(path.join(tmpdir(), 'webkiln-recipes-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Copies what git tracks, and the links to packages: ours lead into the copy, others to the one installation. */
beforeAll(() => {
  const tracked = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const links = globSync('{*,packages/*,services/*,tools/*,sdk/*}/node_modules', { cwd: root, exclude: (name) => name === '.git' });
  for (const name of [...tracked.split('\0').filter((file) => file !== '' && existsSync(path.join(root, file))), ...links]) {
    mkdirSync(path.dirname(path.join(scratch, name)), { recursive: true });
    cpSync(path.join(root, name), path.join(scratch, name), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
});

/** As much of a step's text as the name of its test has. */
const shownText = 80;

const guide = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');

/** The numbered steps of a recipe in docs/architecture.md. */
function stepsOf(recipe: string): string[] {
  const text = guide.slice(guide.indexOf(`\n**${recipe}`)).trimStart();
  const end = text.indexOf('\n**');
  return text
    .slice(0, end)
    .split(/\n(?=\d+\. )/)
    .slice(1);
}

describe.each([
  ['An API operation.', operation],
  ['A collection.', collection],
  ['A public event.', event],
  ['A service.', service],
] as const)('%s', (recipe, steps) => {
  const documented = stepsOf(recipe);

  test('the document has these steps', () => {
    expect(documented.map((text, index) => (text.includes(steps[index]?.names ?? '\0') ? steps[index]?.names : text))).toEqual(
      steps.map(({ names }) => names),
    );
  });

  test.each(steps.map((step, index) => [index + 1, documented[index]?.slice(0, shownText) ?? step.names, step] as const))(
    'step %i can be done: %s …',
    (_number, _text, { run }) => run(scratch),
  );
});

const done = { status: 0, output: '' };

/** The exit status, and the output of a failure. Suites in the copy use the databases of this run. */
function run(program: string, ...args: readonly string[]): typeof done {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: scratch, encoding: 'utf8' });
  return status === 0 ? done : { status: status ?? 1, output: `${stdout}${stderr}` };
}

test('an addition that cannot be made is refused with a sentence, and leaves nothing behind', () => {
  const read = () => readFileSync(path.join(scratch, 'packages/contract/src/areas/deploys.ts'), 'utf8');
  const before = read();
  const request = ['resolveSite', 'GET', '/deploys/sites', '--area', 'projects', '--feature', 'deploys'];
  const output = 'services/projects-templates/src/deploys/resolve-site.ts exists already.\n';
  expect(run(process.execPath, 'scripts/new/main.ts', 'operation', ...request)).toEqual({ status: 1, output });
  expect(read()).toBe(before);
});

test('then the types agree', () => {
  expect(run(path.join(scratch, 'node_modules/.bin/tsc'), '--noEmit', '--checkers', '1')).toEqual(done);
});

test('then contract and protos agree, nothing is forgotten, and all additions work', () => {
  const added = { ...proofs, ...proofOfService };
  for (const [file, text] of Object.entries(added)) writeFileSync(path.join(scratch, file), text);
  const suites = [
    'packages/contract/src/openapi/teaching.test.ts',
    'packages/messages/src/services.test.ts',
    'packages/rpc/src/contract-and-proto.test.ts',
    'packages/events/src/permissions/publishers.test.ts',
    'cli/src/export/exported-collections.test.ts',
    'services/projects-templates/src/tenancy.test.ts',
    ...Object.keys(added),
  ];
  expect(run(process.execPath, 'node_modules/jest/bin/jest.js', '--maxWorkers=2', ...suites)).toEqual(done);
});
