import { AppError } from '@webkiln/contract';
import { type DataServiceName, dataServiceNames } from '@webkiln/messages';
import type { IncomingReply } from '@webkiln/rpc';
import { type Command, Option } from 'commander';
import { ask, withIdentity, withService } from '../connection.ts';
import { OperatorError } from '../operator-error.ts';
import { print, table } from '../output.ts';

type DeadLetter = NonNullable<IncomingReply<'maintenance.ListDeadLetters'>['dead_letters']>[number] & { readonly service: DataServiceName };

interface Chosen {
  readonly service?: DataServiceName;
  readonly consumer?: string;
}

const maxListed = 1_000;
const maxErrorShown = 80;
/** A handler may wait for a mail server. */
const replayTimeoutMs = 60_000;

const serviceOption = () => new Option('--service <name>', 'one service only').choices(dataServiceNames);

export function addDeadLetterCommands(program: Command): void {
  const letters = program.command('dead-letters').description('messages that a consumer could not handle, kept by its service');

  letters
    .command('list')
    .description(`list dead letters, longest dead first, at most ${maxListed} of each service`)
    .addOption(serviceOption())
    .option('--consumer <name>', 'of one consumer only')
    .action(async (chosen: Chosen, command: Command) => {
      const found = await findAll(chosen);
      const rows = found.map(({ id, consumer, org_id, type, attempts, dead_at, error }) => [
        id,
        consumer,
        org_id,
        type,
        `${attempts}`,
        dead_at,
        // An error may quote what a visitor sent.
        error.replace(/\p{Cc}/gu, ' ').slice(0, maxErrorShown),
      ]);
      print(command, { dead_letters: found }, () =>
        table(['ID', 'CONSUMER', 'ORGANIZATION', 'TYPE', 'ATTEMPTS', 'DEAD SINCE', 'ERROR'], rows),
      );
    });

  letters
    .command('replay')
    .description('handle dead letters again; those that succeed are removed')
    .argument('[ids...]')
    .option('--all', 'all, or all of a service or consumer')
    .addOption(serviceOption())
    .option('--consumer <name>', 'of one consumer only')
    .action(async (ids: string[], { all = false, ...chosen }: Chosen & { all?: boolean }, command: Command) => {
      const outcomes: ({ id: string } & IncomingReply<'maintenance.ReplayDeadLetter'>)[] = [];
      for (const letter of await findChosen(ids, all, chosen)) {
        const { id, service } = letter;
        await recordInAudit(letter, false);
        const replayed = await withService(service, () => ask('maintenance.ReplayDeadLetter', { id }, undefined, replayTimeoutMs));
        outcomes.push({ id, ...replayed });
      }
      print(command, { outcomes }, () =>
        outcomes.map(({ id, outcome, reason }) => `${id} ${outcome}${reason && `: ${reason}`}`).join('\n'),
      );
      if (outcomes.some(({ outcome }) => outcome !== 'replayed')) throw new OperatorError('Not all were replayed.');
    });

  letters
    .command('discard')
    .description('remove dead letters without handling them')
    .argument('<ids...>')
    .addOption(serviceOption())
    .action(async (ids: string[], chosen: Chosen, command: Command) => {
      for (const letter of await findChosen(ids, false, chosen)) {
        await recordInAudit(letter, true);
        await withService(letter.service, () => ask('maintenance.DiscardDeadLetter', { id: letter.id }));
      }
      print(command, { discarded: ids }, () => `Discarded ${ids.join(', ')}.`);
    });
}

/** In the log of the organization whose message it is. One that is erased has none any more. */
async function recordInAudit({ id, consumer, org_id }: DeadLetter, discarded: boolean): Promise<void> {
  if (org_id === '') return;
  try {
    await withIdentity(() => ask('identity.RecordDeadLetter', { dead_letter_id: id, consumer, discarded }, org_id));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'organization_not_found') throw error;
  }
}

async function findChosen(ids: readonly string[], all: boolean, chosen: Chosen): Promise<DeadLetter[]> {
  if (all === ids.length > 0) throw new OperatorError('Name dead letters by their ids, or all with --all.');
  const found = await findAll(chosen);
  const unknown = ids.find((id) => !found.some((letter) => letter.id === id));
  if (unknown !== undefined) throw new OperatorError(`No dead letter has the id ${unknown}.`);
  return all ? found : found.filter(({ id }) => ids.includes(id));
}

async function findAll({ service, consumer }: Chosen): Promise<DeadLetter[]> {
  const found: DeadLetter[] = [];
  for (const name of service === undefined ? dataServiceNames : [service]) {
    found.push(...(await withService(name, () => findIn(name, consumer))));
  }
  return found;
}

async function findIn(service: DataServiceName, consumer: string | undefined): Promise<DeadLetter[]> {
  const found: DeadLetter[] = [];
  let after: string | undefined;
  do {
    const { dead_letters = [], next } = await ask('maintenance.ListDeadLetters', { consumer, after });
    found.push(...dead_letters.map((letter) => ({ ...letter, service })));
    after = next;
  } while (after !== undefined && found.length < maxListed);
  return found;
}
