import { bytesText, isInBytes, quotaNames, quotas, type ServiceName, serviceNames } from '@webkiln/messages';
import type { IncomingReply } from '@webkiln/rpc';
import { type Command, InvalidArgumentError } from 'commander';
import { type InOrganization, organizationOption } from './arguments.ts';
import { ask, organizationId, withIdentity, withService } from './connection.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

const bytesOf = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** A limit; undefined for the platform's. */
function limit(text: string): number | undefined {
  if (text === 'default') return undefined;
  const [whole, amount, unit] = /^(\d{1,13})(KB|MB|GB)?$/.exec(text) ?? [];
  if (whole === undefined) throw new InvalidArgumentError('It takes a whole number, of bytes also with KB, MB or GB (5GB), or default.');
  return Number(amount) * (unit === undefined ? 1 : bytesOf[unit as keyof typeof bytesOf]);
}

export function addLimitCommands(program: Command): void {
  const limits = program.command('limits').description('quotas: how much an organization may have and do');

  limits
    .command('show')
    .description("list an organization's limits, and what is used of each")
    .addOption(organizationOption())
    .action(async ({ org }: InOrganization, command: Command) => {
      const { id, limits } = await withIdentity(async () => {
        const id = await organizationId(org);
        return { id, ...(await ask('identity.GetLimits', {}, id)) };
      });
      const used = new Map<string, number>();
      for (const service of serviceNames) for (const use of await usesAt(service, id)) used.set(use.name, use.used);
      printUse(command, { limits: (limits ?? []).map((row) => ({ ...row, used: used.get(row.name) ?? null })) });
    });

  limits
    .command('set')
    .description('set a limit, effective within a second')
    .argument('<name>', `one of ${quotaNames.join(', ')}`)
    .argument('<limit>', "a whole number, of bytes also 500MB or 5GB, or default for the platform's", limit)
    .addOption(organizationOption())
    .action((name: string, to: number | undefined, { org }: InOrganization, command: Command) =>
      withIdentity(async () => printLimits(command, await ask('identity.SetLimit', { name, limit: to }, await organizationId(org)))),
    );
}

/** What a service counts for the quotas that it keeps. One that does not answer is named; its quotas show a dash. */
const usesAt = (service: ServiceName, orgId: string) =>
  withService(service, () => ask('maintenance.CountUse', {}, orgId)).then(
    ({ uses = [] }) => uses,
    (error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
      console.error(`What ${service} counts is not known. ${error.message}`);
      return [];
    },
  );

type Limits = Pick<IncomingReply<'identity.GetLimits'>, 'limits'>;
type Limit = NonNullable<Limits['limits']>[number];

const unitOf = ({ name }: Limit): string => (quotas as Readonly<Record<string, { unit: string } | undefined>>)[name]?.unit ?? '';

const amount = ({ name }: Limit, value: number | null | undefined): string =>
  typeof value !== 'number' ? '-' : isInBytes(name) ? bytesText(value) : String(value);

function printLimits(command: Command, answer: Limits): void {
  const rows = (answer.limits ?? []).map((row) => [row.name, amount(row, row.limit), amount(row, row.default), unitOf(row)]);
  print(command, answer, () => table(['NAME', 'LIMIT', 'DEFAULT', 'UNIT'], rows));
}

function printUse(command: Command, answer: { limits: readonly (Limit & { used: number | null })[] }): void {
  const rows = answer.limits.map((row) => [row.name, amount(row, row.used), amount(row, row.limit), amount(row, row.default), unitOf(row)]);
  print(command, answer, () => table(['NAME', 'USED', 'LIMIT', 'DEFAULT', 'UNIT'], rows));
}
