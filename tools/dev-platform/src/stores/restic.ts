import { unpackDebianPackages } from '../download/debian-packages.ts';
import { programFromGo } from '../download/go.ts';
import { writeLauncher } from '../download/launcher.ts';
import type { Dependency } from './dependency.ts';

/** What sends backups elsewhere, encrypted. */
export const restic: Dependency = {
  title: 'restic',
  program: 'restic',
  pathVariable: 'RESTIC_PATH',
  download: {
    from: 'a Debian package',
    folder: 'restic',
    executable: 'run/restic',
    async fetch(folder) {
      await unpackDebianPackages(['restic'], folder);
      await writeLauncher(folder, 'restic', 'usr/bin/restic');
    },
  },
};

const version = '1.2.0';

/** A server of the protocol of S3, whose buckets are in memory, for tests of backups. */
export const s3Server: Dependency = {
  title: 'gofakes3',
  program: 'gofakes3',
  download: {
    from: 'Go source',
    folder: `gofakes3-${version}`,
    executable: 'gofakes3',
    fetch: (folder) => programFromGo(`github.com/johannesboyne/gofakes3/cmd/gofakes3@v${version}`, ['-ldflags=-s -w'], folder),
  },
};
