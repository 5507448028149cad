import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { helm as helmDependency, supplyProgram } from '@webkiln/dev-platform';
import { parseAllDocuments } from 'yaml';

export const chartFolder = path.resolve(import.meta.dirname, '../charts/webkiln');
const examplesFolder = path.join(chartFolder, 'examples');

/** The Kubernetes version that charts are rendered for. */
export const kubernetesVersion = '1.34.0';
export const exampleNames = readdirSync(examplesFolder).map((file) => path.basename(file, '.yaml'));
export const exampleFile = (example: string) => path.join(examplesFolder, `${example}.yaml`);

/** A rendered Kubernetes object, as far as the checks know it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: checks read the parts that each kind has
  readonly [part: string]: any;
}

const report = (part: string, text: string) => process.stderr.write(`${part}: ${text}\n`);
let program: Promise<string> | undefined;

/** Runs Helm and returns its output; throws what it wrote to stderr. */
export async function helm(...args: string[]): Promise<string> {
  program ??= supplyProgram(helmDependency, report);
  const { stdout } = await promisify(execFile)(await program, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** `helm template` of the chart in the namespace webkiln. */
export const template = (...args: string[]) =>
  helm('template', 'webkiln', chartFolder, '--namespace', 'webkiln', '--kube-version', kubernetesVersion, ...args);

/** The objects that the chart renders to. */
export const objectsOf = async (...args: string[]): Promise<KubernetesObject[]> =>
  parseAllDocuments(await template(...args)).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return (document.toJS() as KubernetesObject | null) ?? [];
  });

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();

/** The objects of an example, which is rendered once. */
export function objectsOfExample(example: string): Promise<readonly KubernetesObject[]> {
  const objects = rendered.get(example) ?? objectsOf('--values', exampleFile(example));
  rendered.set(example, objects);
  return objects;
}
