import type { Command } from 'commander';
import { ask, withIdentity } from '../connection.ts';
import { print } from '../output.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('accounts: how people sign in, to whatever organizations they belong');

  const brakes = [
    ['lock', 'sign a person out everywhere, within a second, and refuse every way to sign in', 'identity.LockAccount'],
    ['unlock', 'let a person sign in again', 'identity.UnlockAccount'],
    ['end-sessions', 'sign a person out everywhere, within a second', 'identity.EndAccountSessions'],
  ] as const;
  for (const [name, description, method] of brakes) {
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
}
