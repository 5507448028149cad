import { randomInt, randomUUID } from 'node:crypto';
import { connect, type JetStreamManager } from 'nats';
import { agency, eventually } from '../../../harness/agency.ts';
import { localReceivers } from '../../../harness/local-receivers.ts';
import { mailsTo } from '../../../harness/mails.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { sendForm } from '../../../harness/visitor.ts';
import { Findings, type Outcome } from '../outcome.ts';
import { acceptAll, ReceiverServer } from '../webhooks/receiver.ts';

const arrivalTimeoutMs = 150_000;
const fillerBytes = 32 * 1024;

/** Settings of the platform: a stream of forms that is soon full. */
export const smallFormsStream: NodeJS.ProcessEnv = {
  ...localReceivers,
  FORMS_STREAM_MB: '1',
  EVENTS_KEEP_MINUTES: '1',
  RATE_LIMIT: '1000000',
};

interface Counts {
  readonly clients: number;
  readonly forms: number;
  /** Waits until the platform itself makes room, which takes more than a minute. Otherwise the run does. */
  readonly waits: boolean;
}

/**
 * The stream of forms is full of what others raised. Forms are accepted, everything else goes on; once there is room,
 * every form arrives.
 */
export async function surviveFullStream(platform: TestPlatform, { clients, forms, waits }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const { facts } = platform;
  const owner = await agency(facts, { rateLimit: 1_000_000 });
  await using receivers = await ReceiverServer.start(acceptAll);
  const subscriber = await receivers.subscribe(owner, ['client.created', 'form.submitted']);
  const url = await publishedSite(owner.api);
  const connection = await connect({ servers: facts.urls.NATS_URL });
  try {
    const manager = await connection.jetstreamManager();
    await eventually(() => fill(manager, connection.jetstream()));
    const filled = await fillerOf(manager);
    const emails = Array.from({ length: clients }, () => `${randomUUID()}@example.test`);
    for (const email of emails) (await owner.api.post('/clients', { email, name: 'Ada' })).expect(201);
    const messages = Array.from({ length: forms }, () => randomUUID());
    for (const message of messages) {
      const { status } = await sendForm(facts.origins[0] ?? '', `${url}/_forms/contact`, { message }, {}, `127.2.${randomInt(256)}.1`);
      findings.check(status === 303, `a form was answered ${status}`);
    }
    const received = (type: string) => [...subscriber.received.values()].filter(({ event }) => event.type === type);
    await eventually(() => {
      const [webhooks, mails] = [received('client.created').length, emails.filter((email) => mailsTo(facts, email).length > 0).length];
      if (webhooks < clients || mails < clients) throw new Error(`${webhooks} webhooks and ${mails} mails of ${clients} clients arrived`);
    }, arrivalTimeoutMs).catch((error) => findings.check(false, error.message));
    await eventually(async () => {
      if ((await refusals(platform)) === 0) throw new Error('no metric shows that the stream is full');
    }).catch((error) => findings.check(false, error.message));
    if (!waits) {
      // On a slow machine the platform may have begun to make room by itself.
      const early = received('form.submitted').length;
      findings.check(early === 0 || (await fillerOf(manager)) < filled, 'a form arrived although the stream is full');
      await manager.streams.purge('FORMS', { filter: 'forms.filler' });
    }
    await eventually(() => {
      const arrived = new Set(received('form.submitted').map(({ body }) => JSON.parse(body).data.form.fields.message));
      const missing = messages.filter((message) => !arrived.has(message)).length;
      if (missing > 0) throw new Error(`${missing} of ${forms} forms did not arrive`);
    }, arrivalTimeoutMs).catch((error) => findings.check(false, error.message));
    const events = received('form.submitted').length;
    findings.check(events === forms, `${events} events of ${forms} forms arrived`);
    for (const violation of subscriber.violations) findings.check(false, violation);
  } finally {
    await connection.close();
  }
  const figure = `${clients} clients' webhooks and mails arrived beside a full stream, ${forms} forms once it had room`;
  return { seed: 0, tries: clients + forms, figure, failures: findings.failures };
}

/** Fills FORMS with what no consumer reads, and nothing else: the platform deletes it when it is old enough. */
async function fill(manager: JetStreamManager, jetstream: ReturnType<Awaited<ReturnType<typeof connect>>['jetstream']>): Promise<void> {
  // Events of earlier tests would make room as soon as they are acknowledged.
  await manager.streams.purge('FORMS');
  const { config } = await manager.streams.info('FORMS');
  for (let bytes = 0; bytes < config.max_bytes; bytes += fillerBytes) {
    await jetstream.publish('forms.filler', new Uint8Array(fillerBytes)).catch(() => undefined);
  }
  // To the last byte: a small event must not fit.
  while (await jetstream.publish('forms.filler', new Uint8Array(64)).then(Boolean, () => false));
  const { state } = await manager.streams.info('FORMS');
  if (state.messages !== (await fillerOf(manager))) throw new Error('an event came between');
}

async function fillerOf(manager: JetStreamManager): Promise<number> {
  const { state } = await manager.streams.info('FORMS', { subjects_filter: 'forms.filler' });
  return state.subjects?.['forms.filler'] ?? 0;
}

const refusals = (platform: TestPlatform) => platform.counterSum('sites', /^webkiln_events_refused_total\{.*reason="full"/);

async function publishedSite(api: Awaited<ReturnType<typeof agency>>['api']): Promise<string> {
  const { client } = (await api.post('/clients', { email: `${randomUUID()}@example.test`, name: 'Site' })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Site' })).expect(201).body;
  const files = { builtFiles: { 'index.html': 'welcome' } };
  return (await api.post(`/projects/${project.id}/publish`, files)).expect(200).body.url;
}
