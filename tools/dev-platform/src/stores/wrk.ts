import { unpackDebianPackages } from '../obtain/debian-packages.ts';
import { writeLauncher } from '../obtain/launcher.ts';
import type { Part } from './store.ts';

/** A load generator for HTTP, for the bench. */
export const wrk: Part = {
  title: 'wrk',
  program: 'wrk',
  obtained: {
    from: 'a Debian package',
    folder: 'wrk',
    executable: 'run/wrk',
    async fetch(folder) {
      await unpackDebianPackages(['wrk'], folder);
      await writeLauncher(folder, 'wrk', 'usr/bin/wrk');
    },
  },
};
