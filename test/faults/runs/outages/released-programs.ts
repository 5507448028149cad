import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../../..');

const gateway = 'gateway/src/main.ts';

/**
 * Runs in the released tree, which bundles its own programs. A gateway serves the dashboard of its release, as in its
 * image.
 */
const bundleAll = `
  import { writeFileSync } from 'node:fs';
  import { buildDashboard } from './tools/dev-platform/src/index.ts';
  import { bundle } from './tools/dev-platform/src/platform/bundle.ts';
  const entries = JSON.parse(process.argv[2]);
  const [programs, dashboard] = await Promise.all([bundle(entries), entries.includes('${gateway}') && buildDashboard()]);
  const main = programs.get('${gateway}');
  if (main !== undefined) {
    const program = main.replace(/main\\.js$/, 'with-dashboard.js');
    const folder = JSON.stringify(dashboard);
    writeFileSync(program, \`process.env.DASHBOARD_DIR = \${folder};\\nawait import('./main.js');\\n\`);
    programs.set('${gateway}', program);
  }
  console.log(JSON.stringify([...programs]));
`;

interface ReleasedPrograms extends Disposable {
  /** By entry file, such as "services/identity/src/main.ts". */
  readonly programs: ReadonlyMap<string, string>;
}

/** Builds the programs of the released commit (deploy/released.json) from its own tree. Disposing deletes them. */
export function releasedPrograms(entries: readonly string[]): ReleasedPrograms {
  const { commit } = JSON.parse(readFileSync(path.join(root, 'deploy/released.json'), 'utf8')) as { commit: string };
  const tree = realpathSync(mkdtempSync(path.join(tmpdir(), 'webkiln-released-')));
  const dispose = () => rmSync(tree, { recursive: true, force: true });
  try {
    writeTree(commit, tree);
    writeFileSync(path.join(tree, 'bundle-all.ts'), bundleAll);
    // It installs its own packages if they are others.
    const installed = linkPackages(tree) ? [] : ['scripts/with-toolchain.mjs'];
    const written = execFileSync(process.execPath, [...installed, 'bundle-all.ts', JSON.stringify(entries)], {
      cwd: tree,
      encoding: 'utf8',
    });
    return { programs: new Map(JSON.parse(written.trim().split('\n').at(-1) ?? '[]')), [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

function writeTree(commit: string, tree: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1024 ** 2 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
}

/** Gives the tree the packages that are installed here. Returns false if its lock file names others. */
function linkPackages(tree: string): boolean {
  const lock = (folder: string) => readFileSync(path.join(folder, 'pnpm-lock.yaml'));
  if (!lock(tree).equals(lock(root))) return false;
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  // Links to packages of the workspace are relative, so they lead into the released tree.
  for (const folder of globSync('{packages/*,services/*,tools/*,gateway,dashboard,docs-site,cli}/node_modules', { cwd: root })) {
    const filter = (source: string) => !source.includes('.cache');
    cpSync(path.join(root, folder), path.join(tree, folder), { recursive: true, verbatimSymlinks: true, filter });
  }
  return true;
}
