import type { IncomingReply } from '@webkiln/rpc';
import { type Command, Option } from 'commander';
import { type InOrganization, organizationOption, time } from './arguments.ts';
import { ask, organizationId, withIdentity, withService } from './connection.ts';
import { everyRecord } from './export/pages.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

interface ReplayOptions extends InOrganization {
  readonly since: string;
  readonly until?: string;
  readonly status?: string;
}

/** The service sends what it has queued when a call ends, and says where to go on. */
const replayTimeoutMs = 30_000;

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description("webhooks: where an organization's programs hear of events");

  webhook
    .command('list')
    .description('list the webhooks of an organization')
    .addOption(organizationOption())
    .action(async ({ org }: InOrganization, command: Command) => {
      const webhooks = await webhooksOf(await withIdentity(() => organizationId(org)));
      const rows = webhooks.map(({ id, url, is_active, events, created_at }) => [
        ...[id, url, is_active ? 'active' : 'disabled', created_at],
        events.join(',') || 'all',
      ]);
      print(command, { webhooks }, () => table(['ID', 'URL', 'STATE', 'CREATED', 'EVENTS'], rows));
    });

  webhook
    .command('replay')
    .description('deliver events again that a webhook did not take, in the order in which they happened')
    .argument('<webhook-id>')
    .addOption(organizationOption())
    .requiredOption('--since <time>', 'events from then on, as 2026-01-31 or 2026-01-31T12:00:00Z', time)
    .option('--until <time>', 'events before then (default: now)', time)
    .addOption(new Option('--status <status>', 'instead of failed and skipped ones').choices(['failed', 'skipped', 'delivered']))
    .action(async (webhook_id: string, { org, since, until, status }: ReplayOptions, command: Command) => {
      const orgId = await withIdentity(() => organizationId(org));
      const found = (await webhooksOf(orgId)).find(({ id }) => id === webhook_id);
      if (found === undefined) throw new OperatorError(`The organization has no webhook ${webhook_id}.`);
      await withIdentity(() => ask('identity.RecordReplay', { webhook_id, url: found.url }, orgId));
      const queued = await withService('webhooks', () => replayAll({ webhook_id, after: since, before: until, status }, orgId));
      print(command, { queued }, () => `${queued} deliveries to ${found.url} are sent again.`);
    });
}

interface Replay {
  readonly webhook_id: string;
  readonly after: string;
  readonly before: string | undefined;
  readonly status: string | undefined;
}

async function replayAll(replay: Replay, orgId: string): Promise<number> {
  let queued = 0;
  for (let after: string | undefined = replay.after; after !== undefined; ) {
    const answer: { queued: number; next_after?: string } = await ask(
      'webhooks.ReplayDeliveries',
      { ...replay, after },
      orgId,
      replayTimeoutMs,
    );
    queued += answer.queued;
    after = answer.next_after;
  }
  return queued;
}

const webhooksOf = (orgId: string) =>
  withService('webhooks', async () => {
    const found: NonNullable<IncomingReply<'webhooks.ListWebhooks'>['webhooks']> = [];
    const pages = everyRecord(async (page) => {
      const { webhooks, next_cursor } = await ask('webhooks.ListWebhooks', page, orgId);
      return { records: webhooks, next: next_cursor };
    });
    for await (const webhook of pages) found.push(webhook);
    return found;
  });
