import type { IncomingReply } from '@webkiln/rpc';
import type { Command } from 'commander';
import { ask, withService } from '../connection.ts';
import { print } from '../output.ts';

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

function printSite(command: Command, answer: IncomingReply<'sites.TakeDownSite'>): void {
  const { project_id, org_id, name, url, taken_down_at, reason } = answer.site ?? {};
  print(command, answer, () => {
    const which = `${name} (${url ?? 'never published'}; project ${project_id}, organization ${org_id})`;
    return taken_down_at === undefined ? `${which} is shown.` : `${which} is taken down since ${taken_down_at}: ${reason}`;
  });
}
