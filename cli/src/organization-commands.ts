import type { IncomingReply } from '@webkiln/rpc';
import type { Command } from 'commander';
import { type InOrganization, organizationOption, wholeNumber } from './arguments.ts';
import { ask, organizationId, withIdentity } from './connection.ts';
import { addExportCommand } from './export/export-command.ts';
import { addMember, signInNote } from './member-commands.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

interface NewOrganization {
  readonly slug?: string;
  readonly rateLimit?: number;
  readonly allowSameName?: boolean;
  readonly owner?: string;
}

/** A command that is run twice makes no second organization. Throws an `OperatorError` that names the first. */
async function assertNewName(name: string): Promise<void> {
  const wanted = name.trim().toLowerCase();
  const { organizations } = await ask('identity.ListOrganizations', {});
  const same = organizations.find((each) => each.erased_at === undefined && each.name.trim().toLowerCase() === wanted);
  if (same === undefined) return;
  throw new OperatorError(`"${same.name}" exists already, as ${same.slug}. To create another one, add --allow-same-name or a --slug.`);
}

/** The organization is there already: a repeat of the whole command would be refused by its name. */
async function addOwner(email: string, orgId: string, slug: string) {
  try {
    return await addMember(email, 'owner', orgId);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `Created ${slug}, but ${email} is not its owner: ${why} Add one: member add <email> --org ${slug} --role owner`,
    );
  }
}

export function addOrganizationCommands(program: Command): void {
  const org = program.command('org').description('organizations: the agencies that use the platform');
  addExportCommand(org);
  addErasureCommands(org);

  org
    .command('create')
    .description('create an organization')
    .argument('<name>', 'as its people write it')
    .option('--slug <slug>', 'its short name in addresses (default: made from the name)')
    .option('--rate-limit <requests>', "requests a window for each of its keys (default: the platform's)", wholeNumber)
    .option('--owner <email>', 'its first owner; prints a link by which this person chooses a password')
    .option('--allow-same-name', 'also if another organization has this name (a slug of your own says so as well)')
    .action((name: string, { slug, rateLimit, allowSameName, owner }: NewOrganization, command: Command) =>
      withIdentity(async () => {
        if (slug === undefined && allowSameName !== true) await assertNewName(name);
        const answer = await ask('identity.CreateOrganization', { name, slug, rate_limit: rateLimit });
        const { id = '', slug: made = '' } = answer.organization ?? {};
        const added = owner === undefined ? undefined : await addOwner(owner, id, made);
        const note = owner === undefined || added === undefined ? [] : [signInNote(owner, added.link)];
        print(command, { ...answer, ...added }, () => [`Created ${made}, id ${id}.`, ...note].join('\n'));
      }),
    );

  const switches = [
    ['suspend', 'refuse its credentials and pause its sites, webhooks and mails, within a second', 'identity.SuspendOrganization'],
    ['resume', 'end its suspension: everything works as before', 'identity.ResumeOrganization'],
  ] as const;
  for (const [name, description, method] of switches) {
    org
      .command(name)
      .description(description)
      .addOption(organizationOption())
      .action(({ org }: InOrganization, command: Command) =>
        withIdentity(async () => {
          const answer = await ask(method, {}, await organizationId(org));
          const { slug, suspended_at } = answer.organization ?? {};
          print(command, answer, () => (suspended_at === undefined ? `${slug} works.` : `${slug} is suspended since ${suspended_at}.`));
        }),
      );
  }

  org
    .command('show')
    .description('say what an organization is and who works in it')
    .argument('<org>', 'its id or slug')
    .action((idOrSlug: string, _options: object, command: Command) =>
      withIdentity(async () => {
        const { organization } = await ask('identity.GetOrganization', { organization: idOrSlug });
        const orgId = organization?.id ?? '';
        const [{ members }, { invitations }, { keys }] = await Promise.all([
          ask('identity.ListMembers', {}, orgId),
          ask('accounts.ListInvitations', {}, orgId),
          ask('identity.ListKeys', {}, orgId),
        ]);
        const answer = { organization, members, invitations, keys: keys.filter(({ revoked_at }) => revoked_at === undefined) };
        print(command, answer, () => shownOrganization(answer));
      }),
    );

  org
    .command('rename')
    .description('change the name of an organization; its slug stays')
    .argument('<org>', 'its id or slug')
    .argument('<name>', 'as its people write it')
    .action((idOrSlug: string, name: string, _options: object, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.RenameOrganization', { name }, await organizationId(idOrSlug));
        print(command, answer, () => `${answer.organization?.slug} is called ${answer.organization?.name} now.`);
      }),
    );

  org
    .command('list')
    .description('list all organizations, newest first')
    .action((_options: object, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.ListOrganizations', {});
        const rows = answer.organizations.map(({ id, slug, name, rate_limit, created_at, suspended_at, erase_at, erased_at }) => [
          id,
          slug,
          name,
          String(rate_limit ?? ''),
          created_at,
          suspended_at ?? '',
          erased_at ?? (erase_at === undefined ? '' : `from ${erase_at}`),
        ]);
        print(command, answer, () => table(['ID', 'SLUG', 'NAME', 'RATE LIMIT', 'CREATED', 'SUSPENDED', 'ERASED'], rows));
      }),
    );
}

interface ShownOrganization {
  readonly organization: IncomingReply<'identity.GetOrganization'>['organization'];
  readonly members: readonly { email: string; role: string }[];
  readonly invitations: readonly { email: string; role: string; expires_at: string }[];
  readonly keys: readonly unknown[];
}

function shownOrganization({ organization, members, invitations, keys }: ShownOrganization): string {
  const { id, slug, name, currency, rate_limit, created_at, suspended_at, erase_at, erased_at } = organization ?? {};
  const facts = [
    [slug ?? '', `${name}, organization ${id}, since ${created_at}`],
    ['state', erased_at ?? (erase_at ? `will be erased from ${erase_at}` : suspended_at ? `suspended since ${suspended_at}` : 'works')],
    ['currency', currency ?? ''],
    ['rate limit', rate_limit ? `${rate_limit} requests a window` : "the platform's"],
    ['API keys', String(keys.length)],
  ];
  const people = [
    ...members.map(({ email, role }) => [email, role]),
    ...invitations.map(({ email, role, expires_at }) => [email, `${role}, invited until ${expires_at}`]),
  ];
  return [table(['ORGANIZATION', ''], facts), table(['PERSON', 'ROLE'], people)].join('\n\n');
}

/** Adds `org delete`, `org restore` and `org erase`. */
function addErasureCommands(org: Command): void {
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
