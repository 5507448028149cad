/**
 * Fails if the protos break running processes of the last commit or of the released one: a field that is removed
 * without being reserved, or whose number, type or cardinality changed; a reserved number or name that is used again; a
 * method that is moved, removed, or other in its messages or streaming while its service remains. It does not compare
 * enums, oneofs and names of packages. The last commit is HEAD while protos/ has uncommitted changes, otherwise the one
 * before. `--base <ref>` names another one, to compare with it alone.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

interface Field {
  readonly name: string;
  readonly id: number;
  readonly type: string;
  readonly repeated: boolean;
}
interface Method {
  readonly name: string;
  readonly requestType: string;
  readonly responseType: string;
  readonly requestStream?: boolean;
  readonly responseStream?: boolean;
}
interface Node {
  readonly fullName: string;
  readonly nestedArray?: readonly Node[];
  readonly fieldsArray?: readonly Field[];
  readonly methodsArray?: readonly Method[];
  /** Names, and ranges of numbers with their end. */
  readonly reserved?: readonly (string | readonly [from: number, to: number])[];
}

const root = path.resolve(import.meta.dirname, '..');
const { Root } = createRequire(path.join(root, 'packages/rpc/package.json'))('protobufjs');

/** Every message and service below a folder of protos, by full name. */
function declarationsIn(folder: string): Map<string, Node> {
  const protos = new Root();
  protos.resolvePath = (_origin: string, target: string) => path.join(folder, target);
  protos.loadSync(globSync('**/*.proto', { cwd: folder }), { keepCase: true }).resolveAll();
  const all = (node: Node): Node[] => [node, ...(node.nestedArray ?? []).flatMap(all)];
  return new Map(all(protos).map((node) => [node.fullName, node]));
}

const wireOf = ({ requestType, responseType, requestStream = false, responseStream = false }: Method) =>
  `${requestType} ${requestStream} ${responseType} ${responseStream}`;

function* breaksOf(before: Node, now: Node | undefined): Generator<string> {
  for (const earlier of before.methodsArray ?? []) {
    const method = now?.methodsArray?.find((each) => each.name === earlier.name);
    if (now !== undefined && method === undefined) yield `${before.fullName}/${earlier.name} is gone`;
    else if (method !== undefined && wireOf(method) !== wireOf(earlier)) yield `${before.fullName}/${earlier.name} has other messages`;
  }
  if (now === undefined) return;
  for (const field of before.fieldsArray ?? []) {
    const same = now.fieldsArray?.find(({ name }) => name === field.name);
    const label = `${before.fullName}.${field.name}`;
    if (same === undefined && !(isReserved(now, field.id) && isReserved(now, field.name)))
      yield `${label} is gone: reserve its number and name`;
    else if (same !== undefined && same.id !== field.id) yield `${label} has another number`;
    else if (same !== undefined && (same.type !== field.type || same.repeated !== field.repeated)) yield `${label} has another type`;
  }
  for (const { name, id } of now.fieldsArray ?? []) {
    if (isReserved(before, id) || isReserved(before, name)) yield `${before.fullName}.${name} uses a reserved number or name`;
  }
}

const isReserved = ({ reserved = [] }: Node, wanted: string | number): boolean =>
  reserved.some((each) => each === wanted || (typeof each !== 'string' && each[0] <= Number(wanted) && Number(wanted) <= each[1]));

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
const { base } = parseArgs({ options: { base: { type: 'string' } } }).values;
const last = git('diff', '--quiet', 'HEAD', '--', 'protos').status === 0 ? 'HEAD^' : 'HEAD';
const { commit: released }: { commit: string } = JSON.parse(readFileSync(path.join(root, 'deploy/released.json'), 'utf8'));
const now = declarationsIn(path.join(root, 'protos'));
for (const ref of base === undefined ? [last, released] : [base]) compareWith(ref);

function compareWith(ref: string): void {
  const archive = git('archive', ref, 'protos');
  if (archive.status !== 0) {
    console.log(`No earlier protos to compare with: ${archive.stderr}`);
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-protos-'));
  try {
    spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
    const breaks = [...declarationsIn(path.join(folder, 'protos'))].flatMap(([name, before]) => [...breaksOf(before, now.get(name))]);
    for (const line of breaks) console.error(`${line}, unlike in ${ref}`);
    if (breaks.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
