import { natsServerUsers } from '@webkiln/events/permissions';
import { eventsConfig } from '@webkiln/runtime';
import type { Command } from 'commander';
import { settingOf } from '../arguments.ts';

const explanation = `# Users of NATS, one per process of Webkiln and one with all rights, made by \`webkiln nats users\`. Include it in the server's configuration.
# nats-server takes the passwords from its environment; they are letters and digits, and begin with a letter.
# Each process gets its own in NATS_URL: tls://identity:<password>@nats:4222
`;

export function addNatsCommands(program: Command): void {
  program
    .command('nats')
    .description('the server of the event streams')
    .command('users')
    .description('print the users of NATS with the subjects that each process needs, as nats-server is configured')
    .option('--prefix <prefix>', 'EVENTS_PREFIX of the processes', settingOf(eventsConfig.EVENTS_PREFIX), '')
    .action(({ prefix }: { prefix: string }) => console.log(`${explanation}${natsServerUsers(prefix)}`));
}
