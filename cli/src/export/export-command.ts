import path from 'node:path';
import { dataServiceNames } from '@webkiln/messages';
import type { Command } from 'commander';
import { organizationId, withServices } from '../connection.ts';
import { print } from '../output.ts';
import { exportOrganization } from './export-organization.ts';

/** Adds `org export`. */
export function addExportCommand(org: Command): void {
  org
    .command('export')
    .description('write all data of an organization into one ZIP archive, which says what is in it')
    .argument('<org>', 'its id or slug')
    .requiredOption('--to <file>', 'the archive; it appears when it is complete')
    .addHelpText(
      'after',
      `
It needs the addresses of all services. Progress goes to standard error. The archive holds personal data: only you may read the file.
Secrets of keys, embed clients and webhooks are left out. The export is in the audit log of the organization.`,
    )
    .action((idOrSlug: string, { to }: { to: string }, command: Command) =>
      withServices(dataServiceNames, async () => {
        const target = path.resolve(to);
        const counts = await exportOrganization(await organizationId(idOrSlug), target, (line) => console.error(line));
        print(command, { archive: target, counts }, () => `Exported to ${target}.`);
      }),
    );
}
