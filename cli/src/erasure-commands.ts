import type { Command } from 'commander';
import { ask, organizationId, withIdentity } from './connection.ts';
import { print } from './output.ts';

/** Adds `org delete`, `org restore` and `org erase`. */
export function addErasureCommands(org: Command): void {
  org
    .command('delete')
    .description('suspend an organization, and erase all of its data after ERASE_AFTER_DAYS (30 days)')
    .argument('<org>', 'its id or slug')
    .action((idOrSlug: string, _options: object, command: Command) =>
      withIdentity(async () => {
        const { organization } = await ask('identity.DeleteOrganization', {}, await organizationId(idOrSlug));
        print(
          command,
          { organization },
          () => `${idOrSlug} is suspended and will be erased on ${organization?.erase_at}. Until then \`org restore\` takes it back.`,
        );
      }),
    );

  org
    .command('restore')
    .description('take the deletion of an organization back: everything works as before')
    .argument('<org>', 'its id or slug')
    .action((idOrSlug: string, _options: object, command: Command) =>
      withIdentity(async () => {
        const { organization } = await ask('identity.RestoreOrganization', {}, await organizationId(idOrSlug));
        print(command, { organization }, () => `${idOrSlug} works.`);
      }),
    );

  org
    .command('erase')
    .description("erase all of an organization's data without the days in which it could be restored")
    .argument('<org>', 'its id or slug')
    .requiredOption('--now', 'do not wait')
    .requiredOption('--confirm <slug>', "the organization's slug, once more")
    .action((idOrSlug: string, { confirm }: { confirm: string }, command: Command) =>
      withIdentity(async () => {
        const { organization } = await ask('identity.EraseOrganization', { confirm }, await organizationId(idOrSlug));
        print(
          command,
          { organization },
          () => `${idOrSlug} is being erased; \`org list\` shows when it is done, by the id ${organization?.id}.`,
        );
      }),
    );
}
