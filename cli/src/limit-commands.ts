import { bytesText, type DataServiceName, dataServiceNames, isInBytes, quotaNames, quotas } from '@webkiln/messages';
import type { IncomingReply } from '@webkiln/rpc';
import { type Command, InvalidArgumentError } from 'commander';
import { type InOrganization, organizationOption } from './arguments.ts';
import { ask, organizationId, withIdentity, withService } from './connection.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

const bytesOf = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** A limit as it is typed; `amount` is undefined for the platform's. */
interface TypedLimit {
  readonly amount: number | undefined;
  readonly isSize: boolean;
}

function typedLimit(text: string): TypedLimit {
  if (text === 'default') return { amount: undefined, isSize: false };
  const [whole, amount, unit] = /^(\d{1,13})(KB|MB|GB)?$/.exec(text) ?? [];
  if (whole === undefined) throw new InvalidArgumentError('It takes a whole number, of bytes also with KB, MB or GB (5GB), or default.');
  return { amount: Number(amount) * (unit === undefined ? 1 : bytesOf[unit as keyof typeof bytesOf]), isSize: unit !== undefined };
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
      for (const service of dataServiceNames) for (const use of await usesAt(service, id)) used.set(use.name, use.used);
      printUse(command, { limits: (limits ?? []).map((row) => ({ ...row, used: used.get(row.name) ?? null })) });
    });

  limits
    .command('set')
    .description('set a limit, effective within a second')
    .argument('<name>', `one of ${quotaNames.join(', ')}`)
    .argument('<limit>', "a whole number, of bytes also 500MB or 5GB, or default for the platform's", typedLimit)
    .addOption(organizationOption())
    .action((name: string, { amount, isSize }: TypedLimit, { org }: InOrganization, command: Command) =>
      withIdentity(async () => {
        if (isSize && !isInBytes(name)) throw new OperatorError(`${name} is no number of bytes: give it without KB, MB or GB.`);
        printLimits(command, await ask('identity.SetLimit', { name, limit: amount }, await organizationId(org)));
      }),
    );
}

/** What a service counts for the quotas that it keeps. One that does not answer is named; its quotas show a dash. */
const usesAt = (service: DataServiceName, orgId: string) =>
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

const shown = ({ name }: Limit, value: number | null | undefined): string =>
  typeof value !== 'number' ? '-' : isInBytes(name) ? bytesText(value) : String(value);

function printLimits(command: Command, answer: Limits): void {
  const rows = (answer.limits ?? []).map((row) => [row.name, shown(row, row.limit), shown(row, row.default), unitOf(row)]);
  print(command, answer, () => table(['NAME', 'LIMIT', 'DEFAULT', 'UNIT'], rows));
}

function printUse(command: Command, answer: { limits: readonly (Limit & { used: number | null })[] }): void {
  const rows = answer.limits.map((row) => [row.name, shown(row, row.used), shown(row, row.limit), shown(row, row.default), unitOf(row)]);
  print(command, answer, () => table(['NAME', 'USED', 'LIMIT', 'DEFAULT', 'UNIT'], rows));
}
