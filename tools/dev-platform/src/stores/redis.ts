import { unpackDebianPackages } from '../download/debian-packages.ts';
import { writeLauncher } from '../download/launcher.ts';
import type { Store } from './dependency.ts';
import { answers } from './probe.ts';

/** Every write goes to the append-only file, which is synced to disk once a second. Nothing is ever evicted. */
export const redis: Store = {
  name: 'redis',
  title: 'Redis',
  program: 'redis-server',
  minimum: [6, 2],
  urlVariable: 'REDIS_URL',
  image: 'redis:7.2',
  download: {
    from: 'Debian packages',
    folder: 'redis',
    executable: 'run/redis-server',
    async fetch(folder) {
      await unpackDebianPackages(['redis-server'], folder);
      await writeLauncher(folder, 'redis-server', 'usr/bin/redis-server');
    },
  },
  options({ folder, host, port }) {
    const durability = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction'];
    return ['--bind', host, '--port', String(port), '--dir', folder, '--protected-mode', 'no', ...durability];
  },
  url: (port) => `redis://127.0.0.1:${port}`,
  async check({ port }) {
    await answers(port, 'PING\r\n', /^\+PONG/);
  },
};
