import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../../harness/agency.ts';
import type { Api } from '../../../harness/api.ts';
import type { Findings } from '../outcome.ts';
import { type DemoConsumer, type PublicEvent, publicTypes, recordOf } from './demo-consumer.ts';
import { readEvents } from './event-stream.ts';
import type { Acknowledged } from './writers.ts';

const perPage = 100;
const settleTimeoutMs = 150_000;

type Shown = { readonly id: string; readonly name: string };

/** Checks that the stored records are exactly the acknowledged ones, field by field. */
export async function compareRecords(api: Api, acknowledged: readonly Acknowledged[], findings: Findings): Promise<void> {
  for (const [name, expected] of [
    ['client', acknowledged.map(({ client }) => client)],
    ['project', acknowledged.map(({ project }) => project)],
  ] as const) {
    const stored = new Map((await listAll(api, `${name}s`)).map((record) => [record.id, record]));
    findings.check(stored.size === expected.length, `${stored.size} ${name}s are stored, ${expected.length} were acknowledged`);
    for (const record of expected) {
      const found = stored.get(record.id);
      findings.check(isDeepStrictEqual(found, record), `acknowledged ${JSON.stringify(record)}, stored ${JSON.stringify(found)}`);
    }
  }
}

/** Reads a whole list page by page. `name` is the list's property in the response. */
export async function listAll<T = Shown>(api: Api, name: string, path = `/${name}`): Promise<T[]> {
  const records: T[] = [];
  for (;;) {
    const { body } = (await api.get(`${path}?limit=${perPage}&offset=${records.length}`)).expect(200);
    records.push(...body[name]);
    if (records.length >= body.total || body[name].length === 0) return records;
  }
}

interface Events {
  readonly natsUrl: string;
  readonly organization: { readonly id: string };
  readonly consumer: DemoConsumer;
  readonly acknowledged: readonly Acknowledged[];
}

/** Checks that each acknowledged change is on the stream once and had one effect on the consumer. */
export async function compareEvents({ natsUrl, organization, consumer, acknowledged }: Events, findings: Findings): Promise<void> {
  const expected = changesOf(acknowledged);
  const published = async () => (await readEvents(natsUrl)).filter((event) => event.org_id === organization.id).filter(isPublic);
  await eventually(async () => {
    const effects = await consumer.effects(organization.id);
    if (effects.size < expected.length) throw new Error(`${expected.length - effects.size} of ${expected.length} events had no effect`);
  }, settleTimeoutMs).catch((error: unknown) => findings.check(false, String(error)));
  const events = await published();
  const countByChange = new Map<string, number>();
  for (const event of events) countByChange.set(changeKey(event), (countByChange.get(changeKey(event)) ?? 0) + 1);
  for (const change of expected)
    findings.check(countByChange.get(change) === 1, `${change} is on the stream ${countByChange.get(change) ?? 0} times`);
  findings.check(events.length === expected.length, `${events.length} events on the stream instead of ${expected.length}`);
  const effects = await consumer.effects(organization.id);
  for (const { id, type } of events) findings.check(effects.get(id) === 1, `the effect of ${type} ${id} ran ${effects.get(id) ?? 0} times`);
}

/** The changes these stories made, in the form of `changeKey`. */
export const changesOf = (acknowledged: readonly Acknowledged[]): string[] =>
  acknowledged.flatMap(({ client, project }) => [
    `client.created ${client.id}`,
    `client.updated ${client.id} status`,
    `client.updated ${client.id} company`,
    `project.created ${project.id}`,
  ]);

const isPublic = (event: { type: string }): event is PublicEvent => publicTypes.some((type) => type === event.type);

/** Identifies the change of an event: its type, the record's id and, for an update, the changed fields. */
export function changeKey(event: PublicEvent): string {
  const changed = 'previous' in event.data ? ` ${Object.keys(event.data.previous).join()}` : '';
  return `${event.type} ${recordOf(event).id}${changed}`;
}
