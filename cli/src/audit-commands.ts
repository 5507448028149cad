import type { Command } from 'commander';
import { type InOrganization, organizationOption } from './arguments.ts';
import { ask, organizationId, withIdentity } from './connection.ts';
import { OperatorError } from './operator-error.ts';
import { print } from './output.ts';

export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('show and verify audit logs')
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

const reducedNote = ({ unverifiable = 0 }: { unverifiable?: number }) =>
  unverifiable === 0 ? '' : ` Of ${unverifiable} of them, made by an earlier release, names were removed: only their order is verified.`;
