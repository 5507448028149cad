import type { IncomingReply } from '@webkiln/rpc';
import type { Command } from 'commander';
import { ask, withIdentity } from '../connection.ts';
import { clientsLeft } from '../member-commands.ts';
import { print, table } from '../output.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('accounts: how people sign in, to whatever organizations they belong');

  account
    .command('show')
    .description('say how a person signs in, to which organizations it belongs, and what keeps it out')
    .argument('<email>', 'of the account')
    .action((email: string, _options: object, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.GetAccountStanding', { email });
        print(command, answer, () => shownStanding(answer));
      }),
    );

  const switches = [
    ['lock', 'sign a person out everywhere, within a second, and refuse every way to sign in', 'identity.LockAccount'],
    ['unlock', 'let a person sign in again', 'identity.UnlockAccount'],
    ['end-sessions', 'sign a person out everywhere, within a second', 'identity.EndAccountSessions'],
  ] as const;
  for (const [name, description, method] of switches) {
    account
      .command(name)
      .description(description)
      .argument('<email>', 'of the account')
      .action((email: string, _options: object, command: Command) =>
        withIdentity(async () => {
          const answer = await ask(method, { email });
          const { locked_at, ended_sessions = 0 } = answer.account ?? {};
          const state = locked_at === undefined ? `${email} can sign in` : `${email} is locked since ${locked_at}`;
          print(command, answer, () => `${state}; ended ${ended_sessions} sessions.`);
        }),
      );
  }

  account
    .command('reset-link')
    .description('print a link by which a person chooses a new password, for when no mail arrives; it works once, for 24 hours')
    .argument('<email>', 'of the account')
    .action((email: string, _options: object, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.CreatePasswordLink', { email });
        print(command, answer, () => answer.url ?? '');
      }),
    );

  account
    .command('delete')
    .description('delete an account for good: its person can do nothing within a second, and no log names it any more')
    .argument('<email>', 'of the account')
    .requiredOption('--confirm <email>', 'the email, once more')
    .option(
      '--revoke-keys',
      'revoke the API keys that the person made or rotated, and end the secrets of embed clients; otherwise they go on working',
    )
    .addHelpText('after', deletionHelp)
    .action((email: string, { confirm, revokeKeys = false }: { confirm: string; revokeKeys?: boolean }, command: Command) =>
      withIdentity(async () => {
        const answers = await deleteAccount({ email, confirm, revoke_keys: revokeKeys });
        const keys = answers.flatMap((answer) => answer.keys);
        const embed_clients = answers.flatMap((answer) => answer.embed_clients);
        const account_id = answers[0]?.account_id;
        const lines = keys.map(({ org_id, id, prefix, name }) => `  ${id}  ${prefix}…  ${name}  (organization ${org_id})`);
        const heading = revokeKeys ? 'Revoked the keys this person made or rotated:' : 'The keys this person made or rotated still work:';
        print(command, { account_id, keys, embed_clients }, () =>
          [
            `Deleted ${email}, account ${account_id}.`,
            ...(keys.length === 0 ? [] : [heading, ...lines]),
            ...clientsLeft(embed_clients, revokeKeys),
          ].join('\n'),
        );
      }),
    );
}

function shownStanding(standing: IncomingReply<'identity.GetAccountStanding'>): string {
  const {
    id,
    email,
    name,
    email_verified,
    signs_in_by = [],
    passkeys,
    two_factor,
    created_at,
    locked_at,
    sessions,
    last_seen_at,
  } = standing;
  const facts = [
    [email, `${name ?? 'no name'}, account ${id}, since ${created_at}`],
    ['signs in by', signs_in_by.map((way) => (way === 'passkeys' ? `${passkeys} passkeys` : way)).join(' and ') || 'nothing yet'],
    ['second factor', two_factor ? 'on' : 'off'],
    ['address', email_verified ? 'confirmed' : 'not confirmed: it cannot sign in before it opens the link of a mail, or one of reset-link'],
    ['locked', locked_at === undefined ? 'no' : `since ${locked_at}; account unlock ends it`],
    ['sessions', sessions === 0 ? 'none' : `${sessions}, last seen ${last_seen_at}`],
  ];
  const rows = standing.memberships.map(({ organization, role, paused }) => [
    organization,
    role,
    paused ? 'paused: its client is' : 'open',
  ]);
  const belongs = rows.length === 0 ? 'It belongs to no organization.' : table(['ORGANIZATION', 'ROLE', 'ACCESS'], rows);
  return [table(['ACCOUNT', ''], facts), belongs].join('\n\n');
}

const deletionHelp = `
Deleted: sessions, passkeys, second factor, password, known devices, memberships, access as a client's user, invitations to the address, and the
name and addresses of the person in all audit logs, whose chains of hashes go on verifying. Kept: the account's id in audit logs, and what
organizations wrote down themselves, such as a client's record, form submissions and the address for form mails: ask the organization.
Refused while the person is the last owner of an organization: make somebody else an owner (\`member add\`), or delete it (\`org delete\`).
If it breaks off, run it again: it goes on.`;

type Answer = IncomingReply<'identity.DeleteAccount'>;

/** Repeats the request until all logs are done. */
async function deleteAccount(request: { email: string; confirm: string; revoke_keys: boolean }): Promise<Answer[]> {
  const answers: Answer[] = [];
  do answers.push(await ask('identity.DeleteAccount', request));
  while (answers.at(-1)?.done !== true);
  return answers;
}
