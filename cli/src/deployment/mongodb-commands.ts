import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { storeConfig } from '@webkiln/runtime';
import { mongodbPasswordVariable, mongodbUsers } from '@webkiln/store/users';
import type { Command } from 'commander';
import { settingOf } from '../arguments.ts';
import { OperatorError } from '../operator-error.ts';

const pollIntervalMs = 500;
const timeoutMs = 60_000;

export function addMongodbCommands(program: Command): void {
  const mongodb = program.command('mongodb').description('the server of the databases');
  mongodb
    .command('initiate')
    .description('make a small server a replica set of one, unless it is one already; waits up to a minute for it')
    .requiredOption('--at <host:port>', 'the address under which services reach the server')
    .requiredOption('--replica-set <name>', 'the name that the server was started with')
    .addHelpText('after', '\nMONGODB_KEY is the content of the key file of the server, if it has one.')
    .action(async ({ at, replicaSet }: { at: string; replicaSet: string }) => {
      const { initiateReplicaSet } = await import('@webkiln/store/replica-set');
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const failure = await initiateReplicaSet(at, replicaSet, process.env.MONGODB_KEY).catch((error: Error) => error);
        if (failure === undefined) return console.log(`${at} is the primary of the replica set ${replicaSet}.`);
        if (Date.now() > deadline) throw new OperatorError(`${at} is no primary after ${timeoutMs / 1000} s: ${failure.message}`);
        await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
      }
    });
  mongodb
    .command('key-file')
    .description('write MONGODB_KEY to a new file that only its owner may read, as the server demands it')
    .requiredOption('--to <file>', 'the file', (file: string) => path.resolve(file))
    .action(({ to }: { to: string }) => {
      const { MONGODB_KEY } = process.env;
      if (!MONGODB_KEY) throw new OperatorError('Set MONGODB_KEY: `secrets create` prints one.');
      writeFileSync(to, MONGODB_KEY, { mode: 0o600 });
    });
  mongodb
    .command('users')
    .description('make the users of MongoDB, one per process, or give them the passwords and rights of this release')
    .option('--prefix <prefix>', 'MONGODB_PREFIX of the processes', settingOf(storeConfig.MONGODB_PREFIX), 'webkiln')
    .addHelpText('after', `\n${environment}`)
    .action(async ({ prefix }: { prefix: string }) => {
      const { MONGODB_URL } = process.env;
      if (MONGODB_URL === undefined) throw new OperatorError('Set MONGODB_URL, with a user who may make users.');
      const missing = mongodbUsers.map(mongodbPasswordVariable).filter((variable) => !process.env[variable]);
      if (missing.length > 0) throw new OperatorError(`Set ${missing.join(', ')}: \`secrets create --mongodb-users\` prints passwords.`);
      const { makeMongodbUsers } = await import('@webkiln/store/make-users');
      await makeMongodbUsers(MONGODB_URL, prefix, process.env as Record<string, string>).catch((error: Error) => {
        throw new OperatorError(`MongoDB made no users: ${error.message}`, { cause: error });
      });
      console.log(`${mongodbUsers.length} users may read or write the databases ${prefix}_*, each its own.`);
    });
}

const environment = `It needs MONGODB_URL of a user who may make users, and a password for each user, as \`secrets create --mongodb-users\` prints
them: ${mongodbUsers.map(mongodbPasswordVariable).join(', ')}.
A process reads and writes its own database alone, also when it migrates. backup reads all of them; operator writes all of
them, for restores and \`webkiln migrate\`. It changes nothing if all is as it should be, so run it with each release.`;
