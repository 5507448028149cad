import { unpackDebianPackages } from '../download/debian-packages.ts';
import { writeLauncher } from '../download/launcher.ts';
import type { Dependency } from './dependency.ts';

/** Prometheus' own checks of rules, for the tests of the alerts. */
export const promtool: Dependency = {
  title: 'promtool',
  program: 'promtool',
  download: {
    from: 'a Debian package',
    folder: 'promtool',
    executable: 'run/promtool',
    async fetch(folder) {
      await unpackDebianPackages(['prometheus'], folder);
      await writeLauncher(folder, 'promtool', 'usr/bin/promtool');
    },
  },
};
