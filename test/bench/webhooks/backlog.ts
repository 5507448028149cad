import { randomUUID } from 'node:crypto';
import { connect } from 'nats';

const concurrency = 256;

/** An event of about 1 KB, as on the stream. */
export function eventOf(org_id: string) {
  const [id, client_id, timestamp] = [randomUUID(), randomUUID(), new Date().toISOString()];
  const [name, company] = ['n'.repeat(200), 'c'.repeat(200)];
  const email = `${client_id}@${'e'.repeat(60)}.example`;
  const client = { id: client_id, email, name, company, status: 'invited', plan_id: null, payment_status: 'none', created_at: timestamp };
  const data = { client, previous: { name: 'p'.repeat(200) } };
  return { id, type: 'client.updated', timestamp, org_id, api_version: 'v1', data };
}

/** Publishes `count` events of these organizations in turn. Returns the first one's stream sequence. */
export async function publishBacklog(natsUrl: string, count: number, organizations: readonly string[]): Promise<number> {
  const connection = await connect({ servers: natsUrl });
  const stream = connection.jetstream();
  const publishOne = async (index: number) => {
    const event = eventOf(organizations[index % organizations.length] ?? '');
    return (await stream.publish(`events.${event.type}`, JSON.stringify(event), { msgID: event.id })).seq;
  };
  const first = await publishOne(0);
  for (let from = 1; from < count; from += concurrency) {
    await Promise.all(Array.from({ length: Math.min(concurrency, count - from) }, (_, index) => publishOne(from + index)));
  }
  await connection.close();
  return first;
}
