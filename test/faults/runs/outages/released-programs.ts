import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '../../../..');

/** Runs in the released tree, which bundles its own programs. */
const bundleAll = `
  import { bundle } from './tools/dev-platform/src/platform/bundle.ts';
  console.log(JSON.stringify([...await bundle(JSON.parse(process.argv[1]))]));
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
    const args = ['--input-type=module', '--eval', bundleAll, JSON.stringify(entries)];
    const written = execFileSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
    return { programs: new Map(JSON.parse(written.trim().split('\n').at(-1) ?? '[]')), [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** A commit's files, with this commit's installed packages: both must have the same lock file. */
function writeTree(commit: string, tree: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1024 ** 2 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  if (!isSame(tree, 'pnpm-lock.yaml')) throw new Error(`${commit} has other packages than this commit: move deploy/released.json`);
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  // Links to packages of the workspace are relative, so they lead into the released tree.
  for (const folder of globSync('{packages/*,services/*,tools/*,gateway,cli}/node_modules', { cwd: root })) {
    const filter = (source: string) => !source.includes('.cache');
    cpSync(path.join(root, folder), path.join(tree, folder), { recursive: true, verbatimSymlinks: true, filter });
  }
}

const isSame = (tree: string, file: string) => readFileSync(path.join(tree, file)).equals(readFileSync(path.join(root, file)));
