import { quotas } from '@webkiln/messages';
import { type Command, InvalidArgumentError } from 'commander';
import { type InOrganization, organizationOption } from './arguments.ts';
import { ask, organizationId, withIdentity } from './connection.ts';
import { print, table } from './output.ts';

/** A limit; undefined for the platform's. */
function limit(text: string): number | undefined {
  if (text === 'default') return undefined;
  if (!/^\d{1,13}$/.test(text)) throw new InvalidArgumentError('It takes a whole number, or default.');
  return Number(text);
}

export function addLimitCommands(program: Command): void {
  const limits = program.command('limits').description('quotas: how much an organization may have and do');

  limits
    .command('show')
    .description("list an organization's limits")
    .addOption(organizationOption())
    .action(({ org }: InOrganization, command: Command) =>
      withIdentity(async () => printLimits(command, await ask('identity.GetLimits', {}, await organizationId(org)))),
    );

  limits
    .command('set')
    .description('set a limit, effective within a second')
    .argument('<name>', `one of ${Object.keys(quotas).join(', ')}`)
    .argument('<limit>', "a whole number, or default for the platform's", limit)
    .addOption(organizationOption())
    .action((name: string, to: number | undefined, { org }: InOrganization, command: Command) =>
      withIdentity(async () => printLimits(command, await ask('identity.SetLimit', { name, limit: to }, await organizationId(org)))),
    );
}

interface Limits {
  limits: readonly { name: string; limit: number; default: number }[];
}

function printLimits(command: Command, answer: Limits): void {
  const units: Readonly<Record<string, { unit: string } | undefined>> = quotas;
  const rows = answer.limits.map((row) => [row.name, String(row.limit), String(row.default), units[row.name]?.unit ?? '']);
  print(command, answer, () => table(['NAME', 'LIMIT', 'DEFAULT', 'UNIT'], rows));
}
