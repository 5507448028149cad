import { programFromGo } from '../download/go.ts';
import type { Dependency } from './dependency.ts';

const version = '3.22.0';

/** The package manager of Kubernetes, for the tests of the charts. No registry that we use has it as a binary. */
export const helm: Dependency = {
  title: 'Helm',
  program: 'helm',
  pathVariable: 'HELM_PATH',
  download: {
    from: 'Go source',
    folder: `helm-${version}`,
    executable: 'helm',
    fetch: (folder) => programFromGo(`helm.sh/helm/v3/cmd/helm@v${version}`, ['-ldflags=-s -w'], folder),
  },
};
