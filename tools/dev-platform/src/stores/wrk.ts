import { unpackDebianPackages } from '../download/debian-packages.ts';
import { writeLauncher } from '../download/launcher.ts';
import type { Dependency } from './dependency.ts';

/** An HTTP load generator, for the bench. */
export const wrk: Dependency = {
  title: 'wrk',
  program: 'wrk',
  download: {
    from: 'a Debian package',
    folder: 'wrk',
    executable: 'run/wrk',
    async fetch(folder) {
      await unpackDebianPackages(['wrk'], folder);
      await writeLauncher(folder, 'wrk', 'usr/bin/wrk');
    },
  },
};
