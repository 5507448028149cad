import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonWith } from '@webkiln/dev-platform';
import type { KubernetesObject } from './charts.ts';

/** The API groups of CRDs that an example uses; Kubernetes has no schema of them. */
const extensions = ['monitoring.coreos.com', 'gateway.networking.k8s.io', 'cert-manager.io', 'external-secrets.io'];
const report = (part: string, line: string) => process.stderr.write(`${part}: ${line}\n`);

/** What is wrong with objects by the schemas of Kubernetes versions ("1.34"), strictly: unknown fields are, too. */
export async function schemaProblems(objects: readonly KubernetesObject[], versions: readonly string[]): Promise<string[]> {
  const python = await pythonWith(path.join(import.meta.dirname, 'requirements.txt'), report);
  const env = { ...process.env, ...python.env };
  const child = spawn(python.program, [path.join(import.meta.dirname, 'validate.py'), ...versions], { env, stdio: 'pipe' });
  child.stdin.end(JSON.stringify(objects.filter(({ apiVersion }) => !extensions.includes(apiVersion.split('/')[0] ?? ''))));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`the validation did not run:\n${err}`);
  return out.split('\n').filter((line) => line !== '');
}
