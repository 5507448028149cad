import { setTimeout as pause } from 'node:timers/promises';
import type { LoggedRequest, Page, Webkiln } from '@webkiln/sdk';
import { type Command, Option } from 'commander';
import { interruption } from './interruption.ts';
import { printLine } from './output.ts';
import { webkilnOf } from './settings.ts';

const pollMs = 2_000;
/** What this command itself asks for is not shown. */
const ownRoute = '/account/requests';
/** Requests are listed some seconds after they were answered, and gateways do not keep in step. */
const lateMs = 30_000;

export function addRequestCommands(program: Command): void {
  program
    .command('requests')
    .description('requests to the API by your programs')
    .command('tail')
    .description('show requests as they are answered, until Ctrl-C; for a key with the permission usage')
    .addOption(new Option('--status <class>', 'answers of one class alone').choices(['2xx', '3xx', '4xx', '5xx']))
    .option('--key <id>', 'requests of one API key alone')
    .addHelpText('after', '\nExample:\n  webkiln requests tail --status 4xx')
    .action(tail);
}

interface Wanted {
  readonly status?: string;
  readonly key?: string;
}

async function tail({ status, key }: Wanted, command: Command) {
  const webkiln = await webkilnOf(command);
  const filter = { ...(status !== undefined && { status }), ...(key !== undefined && { key_id: key }) };
  const begin = Date.now();
  /** When each that was shown was answered, in ms, by its id; as long as it may be listed again. */
  const shown = new Map<string, number>();
  console.error('Showing requests from now on until Ctrl-C.');
  try {
    for (;;) {
      const after = Math.max(begin, Date.now() - lateMs);
      for (const [id, at] of shown) if (at < after) shown.delete(id);
      const found = await requestsSince(webkiln, { ...filter, after: new Date(after).toISOString() });
      for (const request of found.toReversed()) {
        if (shown.has(request.id) || request.route === ownRoute) continue;
        shown.set(request.id, Date.parse(request.at));
        printLine(command, request, lineOf(request));
      }
      await pause(pollMs, undefined, { signal: interruption });
    }
  } catch (error) {
    // Ctrl-C is how it ends.
    if (!interruption.aborted) throw error;
  }
}

/** All pages, newest first. */
async function requestsSince(webkiln: Webkiln, query: { status?: string; key_id?: string; after: string }): Promise<LoggedRequest[]> {
  const found: LoggedRequest[] = [];
  let page: Page<LoggedRequest> | undefined = await webkiln.account.listRequests({ ...query, limit: 100 }, { signal: interruption });
  for (; page !== undefined; page = await page.next()) found.push(...page.items);
  return found;
}

const lineOf = ({ at, status, method, route, duration_ms, credential, code, request_id }: LoggedRequest) =>
  [at, status, method.padEnd(6), route ?? '–', `${duration_ms} ms`, credential.name ?? credential.kind, code ?? '', request_id].join('  ');
