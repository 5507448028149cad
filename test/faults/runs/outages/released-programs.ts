import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cached } from '@webkiln/dev-platform';
import { processes } from '@webkiln/messages';

const run = promisify(execFile);

const root = path.resolve(import.meta.dirname, '../../../..');

const gateway = 'gateway/src/main.ts';

/** The file that starts a process, relative to the repository. */
export const entryOf = (service: string) => (service === 'gateway' ? gateway : `services/${service}/src/main.ts`);

const list = 'programs.json';

/**
 * Runs in the released tree, which bundles its own programs. A gateway serves the dashboard of its release, as in its
 * image. Paths are relative: the tree is moved when it is complete.
 */
const bundleAll = `
  import { existsSync, writeFileSync } from 'node:fs';
  import path from 'node:path';
  import { buildDashboard } from './tools/dev-platform/src/index.ts';
  import { bundle } from './tools/dev-platform/src/platform/bundle.ts';
  const entries = JSON.parse(process.argv[2]).filter((entry) => existsSync(entry));
  const [programs, dashboard] = await Promise.all([bundle(entries), buildDashboard()]);
  const main = programs.get('${gateway}');
  const program = main.replace(/main\\.js$/, 'with-dashboard.js');
  const folder = JSON.stringify(path.relative(path.dirname(main), dashboard));
  writeFileSync(program, \`process.env.DASHBOARD_DIR = import.meta.dirname + '/' + \${folder};\\nawait import('./main.js');\\n\`);
  programs.set('${gateway}', program);
  const relative = [...programs].map(([entry, file]) => [entry, path.relative('.', path.resolve(file))]);
  writeFileSync('${list}', JSON.stringify(relative));
`;

/**
 * The programs of the released commit (deploy/released.json) by entry file, such as "services/identity/src/main.ts".
 * They are built from its own tree with its own packages, once on a machine.
 */
export async function releasedPrograms(): Promise<ReadonlyMap<string, string>> {
  const { commit } = JSON.parse(readFileSync(path.join(root, 'deploy/released.json'), 'utf8')) as { commit: string };
  const tree = await cached(`released-${commit}`, (draft) => build(commit, draft));
  const programs = JSON.parse(readFileSync(path.join(tree, list), 'utf8')) as [entry: string, program: string][];
  return new Map(programs.map(([entry, program]) => [entry, path.join(tree, program)]));
}

async function build(commit: string, tree: string): Promise<void> {
  const archive = path.join(tree, 'released.tar');
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: root });
  await run('tar', ['-x', '-f', archive, '-C', tree]);
  await rm(archive);
  await writeFile(path.join(tree, 'bundle-all.ts'), bundleAll);
  const entries = Object.keys(processes).map(entryOf);
  await run(process.execPath, ['scripts/with-toolchain.mjs', 'bundle-all.ts', JSON.stringify(entries)], { cwd: tree });
}
