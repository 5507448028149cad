import type { Command } from 'commander';
import { commaSeparated, type InOrganization, organizationOption, time, wholeNumber } from './arguments.ts';
import { ask, organizationId, withIdentity } from './connection.ts';
import { memberId } from './member-commands.ts';
import { print, printSecret, table } from './output.ts';

interface NewKeyOptions extends InOrganization {
  name: string;
  permissions: string[];
  expires?: string;
  createdBy?: string;
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description("API keys: how an organization's programs sign in");

  key
    .command('create')
    .description('create an API key and print it')
    .addOption(organizationOption())
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--permissions <list>', 'read, write or read,write', commaSeparated)
    .option('--expires <time>', 'when it stops working, as 2030-01-31 or 2030-01-31T12:00:00Z (default: never)', time)
    .option('--created-by <email>', 'the member it is made for, whose role bounds it')
    .action(({ org, name, permissions, expires, createdBy }: NewKeyOptions, command: Command) =>
      withIdentity(async () => {
        const orgId = await organizationId(org);
        const created_by = createdBy === undefined ? undefined : await memberId(createdBy, orgId);
        const answer = await ask('identity.CreateKey', { name, permissions, expires_at: expires, created_by }, orgId);
        printSecret(command, answer, `Created the key ${name} (${permissions.join(', ')}), id ${answer.key?.id}.`);
      }),
    );

  key
    .command('list')
    .description('list the API keys of an organization, newest first')
    .addOption(organizationOption())
    .action(({ org }: InOrganization, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.ListKeys', {}, await organizationId(org));
        const rows = answer.keys.map((each) => [
          each.id,
          `${each.prefix}…`,
          each.name,
          each.permissions.join(','),
          each.created_at,
          each.last_used_at ?? 'never',
          stateOf(each),
        ]);
        print(command, answer, () => table(['ID', 'KEY', 'NAME', 'PERMISSIONS', 'CREATED', 'LAST USED', 'STATE'], rows));
      }),
    );

  key
    .command('rotate')
    .description('replace an API key by a new one and print that')
    .argument('<key-id>')
    .addOption(organizationOption())
    .option('--grace <hours>', 'how long the old key still works, 0 to 24', wholeNumber, 0)
    .action((key_id: string, { org, grace }: InOrganization & { grace: number }, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.RotateKey', { key_id, grace_hours: grace }, await organizationId(org));
        printSecret(command, answer, `Created the key that replaces ${key_id} (which works for ${grace} h more), id ${answer.key?.id}.`);
      }),
    );

  key
    .command('revoke')
    .description('end an API key at once, everywhere')
    .argument('<key-id>')
    .addOption(organizationOption())
    .action((key_id: string, { org }: InOrganization, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.RevokeKey', { key_id }, await organizationId(org));
        print(command, answer, () => `Revoked ${key_id}.`);
      }),
    );
}

function stateOf({ revoked_at, expires_at }: { revoked_at?: string; expires_at?: string }): string {
  if (revoked_at !== undefined) return `revoked ${revoked_at}`;
  if (expires_at === undefined) return 'live';
  return `${Date.parse(expires_at) > Date.now() ? 'live until' : 'expired'} ${expires_at}`;
}
