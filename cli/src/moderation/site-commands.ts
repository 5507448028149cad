import { AppError } from '@webkiln/contract';
import type { IncomingReply } from '@webkiln/rpc';
import type { Command } from 'commander';
import { type InOrganization, organizationOption } from '../arguments.ts';
import { ask, organizationId, withIdentity, withService } from '../connection.ts';
import { OperatorError } from '../operator-error.ts';
import { print, table } from '../output.ts';

const whichSite = "an address of a site or a preview, the site's name, or the project's id";

export function addSiteCommands(program: Command): void {
  const site = program.command('site').description('published sites and their previews, of any organization');

  site
    .command('take-down')
    .description('show a notice instead of a site and its previews within a second, whatever its owner publishes')
    .argument('<site>', whichSite)
    .requiredOption('--reason <text>', 'why; its owner reads it, and the audit log keeps it')
    .action((site: string, { reason }: { reason: string }, command: Command) =>
      withService('projects-templates', async () => printSite(command, await ask('sites.TakeDownSite', { site, reason }))),
    );

  site
    .command('restore')
    .description('show a site again that was taken down')
    .argument('<site>', whichSite)
    .action((site: string, _options: object, command: Command) =>
      withService('projects-templates', async () => printSite(command, await ask('sites.RestoreSite', { site }))),
    );
}

export function addDomainCommands(program: Command): void {
  program
    .command('domain')
    .description('custom domains of published sites')
    .command('check')
    .description("look for a domain's DNS records now, and say which are missing; it is live once all are there")
    .argument('<domain>', 'as in www.example.com')
    .addOption(organizationOption())
    .action(async (name: string, { org }: InOrganization, command: Command) => {
      const orgId = await withIdentity(() => organizationId(org));
      const answer = await withService('projects-templates', () => ask('sites.CheckDomain', { name }, orgId, checkTimeoutMs)).catch(
        (error: unknown) => {
          const isUnknown = error instanceof AppError && error.code === 'domain_not_found';
          throw isUnknown ? new OperatorError(`No website of the organization wants ${name}.`, { cause: error }) : error;
        },
      );
      print(command, answer, () => (answer.domains ?? []).map(shownDomain).join('\n\n'));
      if (!answer.domains?.some(({ status }) => status === 'active')) throw new OperatorError(`${name} is not live.`);
    });
}

/** Name servers have 4 s. */
const checkTimeoutMs = 20_000;

function shownDomain({ project_id, project, status, error, records = [] }: CheckedDomain): string {
  const rows = records.map(({ type, name, value, ok }) => [type, name, value, ok ? 'found' : 'missing']);
  const lines = [
    `${project} (${project_id}): ${status}${error === undefined ? '' : `. ${error}`}`,
    table(['TYPE', 'NAME', 'VALUE', ''], rows),
  ];
  return lines.join('\n');
}

type CheckedDomain = NonNullable<IncomingReply<'sites.CheckDomain'>['domains']>[number];

function printSite(command: Command, answer: IncomingReply<'sites.TakeDownSite'>): void {
  const { project_id, org_id, name, url, taken_down_at, reason } = answer.site ?? {};
  print(command, answer, () => {
    const which = `${name} (${url ?? 'never published'}; project ${project_id}, organization ${org_id})`;
    return taken_down_at === undefined ? `${which} is shown.` : `${which} is taken down since ${taken_down_at}: ${reason}`;
  });
}
