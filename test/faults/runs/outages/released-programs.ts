import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(__dirname, '../../../..');
const { commit }: { commit: string } = createRequire(__filename)('../../../../deploy/released.json');
const cache = path.join(root, 'node_modules/.cache/webkiln-released');

/** Runs in the released tree, which bundles its own programs. */
const bundleAll = `
  import { bundle } from './tools/dev-platform/src/platform/bundle.ts';
  console.log(JSON.stringify([...await bundle(JSON.parse(process.argv[1]))]));
`;

/** The programs of the last released commit (deploy/released.json), by entry file, built from its own tree. */
export function releasedPrograms(entries: readonly string[]): ReadonlyMap<string, string> {
  const tree = releasedTree();
  const args = ['--input-type=module', '--eval', bundleAll, JSON.stringify(entries)];
  const written = execFileSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
  return new Map(JSON.parse(written.trim().split('\n').at(-1) ?? '[]'));
}

/** Its files, with this commit's installed packages: both must have the same lock file. */
function releasedTree(): string {
  const tree = path.join(cache, commit);
  if (existsSync(tree)) return tree;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(path.join(cache, 'unfinished-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1024 ** 2 });
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
  if (!isSame(unfinished, 'pnpm-lock.yaml')) throw new Error('the released commit has other packages: move deploy/released.json');
  symlinkSync(path.join(root, 'node_modules'), path.join(unfinished, 'node_modules'));
  // Their links to packages of the workspace are relative, so that they lead into the released tree.
  for (const folder of globSync('{packages,services,tools}/*/node_modules', { cwd: root }).concat(
    'gateway/node_modules',
    'cli/node_modules',
  ))
    cpSync(path.join(root, folder), path.join(unfinished, folder), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.includes('.cache'),
    });
  renameSync(unfinished, tree);
  return tree;
}

const isSame = (tree: string, file: string) => readFileSync(path.join(tree, file)).equals(readFileSync(path.join(root, file)));
