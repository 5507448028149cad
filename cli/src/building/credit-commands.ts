import { type Command, InvalidArgumentError } from 'commander';
import { type InOrganization, organizationOption, wholeNumber } from '../arguments.ts';
import { ask, organizationId, withServices } from '../connection.ts';
import { print, table } from '../output.ts';

interface ShowOptions extends InOrganization {
  limit: number;
}

interface GrantOptions extends InOrganization {
  note?: string;
}

function amount(text: string): number {
  if (!/^-?\d{1,9}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('It takes a whole number, negative to take back.');
  return Number(text);
}

export function addCreditCommands(program: Command): void {
  const credits = program.command('credits').description('what turns of models cost an organization: 1 credit pays for 1,000 tokens');

  credits
    .command('show')
    .description("print an organization's balance and the latest lines of its ledger")
    .addOption(organizationOption())
    .option('--limit <lines>', 'how many lines, at most 100', wholeNumber, 20)
    .action(({ org, limit }: ShowOptions, command: Command) =>
      withServices(['identity', 'embed'], async () => {
        const answer = await ask('credits.GetCredits', { limit: Math.min(Math.max(limit, 1), 100), offset: 0 }, await organizationId(org));
        const rows = (answer.entries ?? []).map((entry) => [
          entry.created_at,
          entry.kind,
          String(entry.amount),
          String(entry.balance),
          entry.turn_id ?? entry.note ?? '',
        ]);
        print(command, answer, () =>
          [
            `${answer.balance} credits, ${answer.reserved} more held by running turns.`,
            table(['TIME', 'KIND', 'AMOUNT', 'BALANCE', 'FOR'], rows),
          ].join('\n\n'),
        );
      }),
    );

  credits
    .command('grant')
    .description('add credits to an organization, or take back with a negative number')
    .argument('<credits>', 'a whole number', amount)
    .addOption(organizationOption())
    .option('--note <text>', 'why, as the ledger shows it')
    .action((amount: number, { org, note }: GrantOptions, command: Command) =>
      withServices(['identity', 'embed'], async () => {
        const answer = await ask('credits.GrantCredits', { credits: amount, note }, await organizationId(org));
        print(command, answer, () => `The balance is ${answer.balance} credits.`);
      }),
    );
}
