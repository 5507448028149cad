import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataServiceNames } from '@webkiln/messages';
import { startServer } from '@webkiln/runtime/testing/server-process';
import { databaseNameOf } from '@webkiln/store/users';
import mongoose from 'mongoose';
import { RestoreStore } from '../backup/restore-store.ts';
import { Snapshot } from '../backup/snapshot-store.ts';
import { webkiln } from '../testing/command-line.ts';

const { MongoClient } = mongoose.mongo;
const prefix = 'shop';
const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-mongodb-'));
const keyFile = path.join(folder, 'key');
afterAll(() => rmSync(folder, { recursive: true }));

async function newSecrets(...options: string[]): Promise<Record<string, Record<string, string>>> {
  const { out } = await webkiln(['secrets', 'create', '--namespace', 'kiln', '--mongodb-prefix', prefix, ...options], {});
  const settings = (text: string) => [...text.matchAll(/^ {2}([A-Z_]+): "(.*)"$/gm)].map(([, name, value]) => [name, value]);
  return Object.fromEntries(out.split('---\n').map((text) => [/name: webkiln-(\S+)/.exec(text)?.[1], Object.fromEntries(settings(text))]));
}

test('with the key and the users of the small server, each process reads and writes its own database alone, backups read all and operators write all', async () => {
  const secrets = await newSecrets();
  const environment = secrets.mongodb ?? {};
  expect(await webkiln(['mongodb', 'key-file', '--to', keyFile], environment)).toMatchObject({ code: 0 });
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  await using mongod = await startServer(process.env.MONGODB_SERVER_BIN ?? 'mongod', ({ port, folder: data }) => [
    ...['--dbpath', data, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--wiredTigerCacheSizeGB', '0.25'],
    ...['--replSet', 'webkiln', '--keyFile', keyFile],
  ]);
  const here = (url = '') => url.replace('@mongodb:27017/', `@127.0.0.1:${mongod.port}/`);
  const initiate = ['mongodb', 'initiate', '--at', `127.0.0.1:${mongod.port}`, '--replica-set', 'webkiln'];
  expect(await webkiln(initiate, environment)).toMatchObject({ code: 0 });
  for (const _run of ['the first', 'with the next release']) {
    const made = await webkiln(['mongodb', 'users', '--prefix', prefix], { ...environment, MONGODB_URL: here(environment.MONGODB_URL) });
    expect(made).toMatchObject({ code: 0, err: '' });
  }

  const usersDatabase = (name: string, secret = name) =>
    new MongoClient(here(secrets[secret]?.MONGODB_URL)).db(databaseNameOf(name as never, prefix));
  const refused = expect.stringMatching(/^not authorized on shop_/);
  for (const name of dataServiceNames) {
    const own = usersDatabase(name);
    await own.collection('things').insertOne({ name });
    await own.collection('things').createIndex({ name: 1 });
    for (const other of dataServiceNames.filter((each) => each !== name)) {
      const foreign = usersDatabase(other, name);
      await expect(foreign.collection('things').findOne()).rejects.toMatchObject({ message: refused });
      await expect(foreign.collection('things').insertOne({})).rejects.toMatchObject({ message: refused });
      await foreign.client.close();
    }
    await own.client.close();
  }
  const snapshot = new Snapshot(here(secrets.backup?.MONGODB_URL), prefix);
  const databases = (await snapshot.open()).map(({ database }) => database);
  expect([...new Set(databases)]).toEqual(dataServiceNames.map((name) => databaseNameOf(name, prefix)).toSorted());
  await snapshot.close();
  const store = new RestoreStore(here(secrets.restore?.MONGODB_URL));
  expect((await store.present(databases)).toSorted()).toEqual([...new Set(databases)]);
  await store.close();
  for (const name of dataServiceNames) {
    const [read, restored] = [usersDatabase(name, 'backup'), usersDatabase(name, 'restore')];
    expect(await read.collection('things').countDocuments()).toBe(1);
    await expect(read.collection('things').insertOne({})).rejects.toMatchObject({ message: refused });
    await restored.dropDatabase();
    await Promise.all([read.client.close(), restored.client.close()]);
  }
});

test('a user without a password is refused before any is made', async () => {
  const { mongodb = {} } = await newSecrets();
  const { MONGODB_PASSWORD_SITES: _missing, ...rest } = mongodb;
  const { code, err } = await webkiln(['mongodb', 'users'], rest);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^Set MONGODB_PASSWORD_SITES:/) });
});
