import { initiateReplicaSet } from '@webkiln/store/replica-set';
import type { Command } from 'commander';
import { OperatorError } from '../operator-error.ts';

const pollIntervalMs = 500;
const timeoutMs = 60_000;

export function addMongodbCommands(program: Command): void {
  program
    .command('mongodb')
    .description('the MongoDB server of a small installation')
    .command('initiate')
    .description('make a server a replica set of one, unless it is one already; waits up to a minute for it')
    .requiredOption('--at <host:port>', 'the address under which services reach the server')
    .requiredOption('--replica-set <name>', 'the name that the server was started with')
    .action(async ({ at, replicaSet }: { at: string; replicaSet: string }) => {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const failure = await initiateReplicaSet(at, replicaSet).catch((error: Error) => error);
        if (failure === undefined) return console.log(`${at} is the primary of the replica set ${replicaSet}.`);
        if (Date.now() > deadline) throw new OperatorError(`${at} is no primary after ${timeoutMs / 1000} s: ${failure.message}`);
        await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
      }
    });
}
