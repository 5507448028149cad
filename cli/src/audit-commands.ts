import type { IncomingReply } from '@webkiln/rpc';
import type { Command } from 'commander';
import { type InOrganization, organizationOption, wholeNumber } from './arguments.ts';
import { ask, organizationId, withIdentity } from './connection.ts';
import { everyRecord } from './export/pages.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('show and verify audit logs');

  audit
    .command('list')
    .description("list the latest entries of an organization's log, newest first")
    .addOption(organizationOption())
    .option('--limit <entries>', 'how many, at most 1000', wholeNumber, 50)
    .option('--action <name>', 'of one action only, such as member.added')
    .action(({ org, limit, action }: ListOptions, command: Command) =>
      withIdentity(async () => {
        const entries = await latestEntries(await organizationId(org), Math.min(limit, maxListed), action);
        const rows = entries.map((entry) => [
          entry.at,
          entry.actor?.email || `${entry.actor?.kind} ${entry.actor?.id}`.trim(),
          entry.action,
          `${entry.target?.kind} ${entry.target?.name || entry.target?.id}`,
        ]);
        print(command, { entries }, () => table(['TIME', 'ACTOR', 'ACTION', 'TARGET'], rows));
      }),
    );

  audit
    .command('verify')
    .description("follow the chain of hashes of an organization's log; fails where an entry was changed, put in or taken out")
    .addOption(organizationOption())
    .action(({ org }: InOrganization, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.VerifyAudit', {}, await organizationId(org));
        print(command, answer, () => `${answer.entries} entries follow from one another.${reducedNote(answer)}`);
        if (answer.broken_at !== undefined) throw new OperatorError(`The chain is broken at entry ${answer.broken_at}.`);
      }),
    );
}

interface ListOptions extends InOrganization {
  readonly limit: number;
  readonly action?: string;
}

const maxListed = 1_000;

/** The newest entries, a page at a time. */
async function latestEntries(orgId: string, limit: number, action: string | undefined) {
  const found: NonNullable<IncomingReply<'accounts.ListAudit'>['entries']> = [];
  const pages = everyRecord(async (page) => {
    const { entries = [], next_cursor } = await ask('accounts.ListAudit', page, orgId);
    return { records: entries, next: next_cursor };
  });
  for await (const entry of pages) {
    if (found.length === limit) break;
    if (action === undefined || entry.action === action) found.push(entry);
  }
  return found;
}

const reducedNote = ({ unverifiable = 0 }: { unverifiable?: number }) =>
  unverifiable === 0 ? '' : ` Of ${unverifiable} of them, made by an earlier release, names were removed: only their order is verified.`;
