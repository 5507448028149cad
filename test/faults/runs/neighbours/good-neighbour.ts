import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import { mailsTo } from '../../../harness/mails.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import { sendForm, visit } from '../../../harness/visitor.ts';
import type { Findings } from '../outcome.ts';
import { acceptAll, ReceiverServer } from '../webhooks/receiver.ts';
import type { Subscriber } from '../webhooks/subscriber.ts';
import { type Latencies, LatencySamples } from './latencies.ts';

const unlimited = 1_000_000;
const arrivalTimeoutMs = 120_000;
/** Requests per second of each kind. */
const rates = { api: 20, page: 20, client: 4, form: 1 };

interface Parts {
  readonly owner: Agency;
  readonly siteUrl: string;
  readonly subscriber: Subscriber;
  readonly receivers: ReceiverServer;
}

/** Many forms from one address are spam. */
const newVisitor = () => `127.1.${randomInt(256)}.${randomInt(1, 255)}`;

/** A well-behaved agency with a program on the API, a site with visitors, a form, a webhook and clients it invites. */
export class GoodNeighbour implements AsyncDisposable {
  static async start(facts: PlatformFacts, findings: Findings): Promise<GoodNeighbour> {
    const owner = await agency(facts, { rateLimit: unlimited });
    const { client } = (await owner.api.post('/clients', { email: `${randomUUID()}@example.test`, name: 'Site' })).expect(201).body;
    (await owner.api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
    const { project } = (await owner.api.post('/projects', { client_email: client.email, name: 'Site' })).expect(201).body;
    const published = await owner.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'welcome' } });
    const receivers = await ReceiverServer.start(acceptAll);
    const subscriber = await receivers.subscribe(owner, ['client.created', 'form.submitted']);
    return new GoodNeighbour(facts, findings, { owner, siteUrl: published.expect(200).body.url, subscriber, receivers });
  }

  readonly #facts: PlatformFacts;
  readonly #findings: Findings;
  readonly #parts: Parts;
  readonly #invited: string[] = [];
  #forms = 0;

  private constructor(facts: PlatformFacts, findings: Findings, parts: Parts) {
    this.#facts = facts;
    this.#findings = findings;
    this.#parts = parts;
  }

  /** Lives for a while at a steady pace, whatever the answers take. Resolves when all of its events have arrived. */
  async live(ms: number): Promise<Latencies> {
    const since = performance.now();
    const [api, page] = [new LatencySamples(), new LatencySamples()];
    const { owner, siteUrl } = this.#parts;
    const origin = this.#facts.origins[0] ?? '';
    const open: Promise<unknown>[] = [];
    const every = (perSecond: number, what: string, act: () => Promise<unknown>) =>
      setInterval(() => open.push(act().catch((error) => this.#findings.check(false, `${what}: ${error}`))), 1000 / perSecond);
    const timers = [
      every(rates.api, 'a list', () => api.time(async () => (await owner.api.get('/clients?limit=10')).expect(200))),
      every(rates.page, 'a page', () => page.time(async () => this.#expectStatus(200, (await visit(origin, siteUrl)).status))),
      every(rates.client, 'an invitation', () => this.#invite()),
      every(rates.form, 'a form', async () => {
        const fields = { message: randomUUID() };
        this.#expectStatus(303, (await sendForm(origin, `${siteUrl}/_forms/contact`, fields, {}, newVisitor())).status);
        this.#forms++;
      }),
    ];
    await pause(ms);
    for (const timer of timers) clearInterval(timer);
    await Promise.all(open);
    await this.#everythingArrived();
    return { api: api.p99Ms, page: page.p99Ms, webhook: this.#webhookSamples(since).p99Ms };
  }

  /** How many requests were answered as they should be, and arrived. */
  get served(): number {
    return this.#invited.length + this.#forms;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.receivers[Symbol.asyncDispose]();
  }

  /** The client is named by the time of its request, which its webhook event brings back. */
  async #invite(): Promise<void> {
    const email = `${randomUUID()}@example.test`;
    (await this.#parts.owner.api.post('/clients', { email, name: String(performance.now()) })).expect(201);
    this.#invited.push(email);
  }

  #expectStatus(expected: number, status: number): void {
    if (status !== expected) throw new Error(`answered ${status}`);
  }

  async #everythingArrived(): Promise<void> {
    const { received, violations } = this.#parts.subscriber;
    const missing = () => ({
      webhooks: this.#invited.length + this.#forms - received.size,
      mails: this.#invited.filter((email) => mailsTo(this.#facts, email).length === 0).length,
    });
    await eventually(() => {
      const { webhooks, mails } = missing();
      if (webhooks + mails > 0) throw new Error(`${webhooks} webhooks and ${mails} mails did not arrive`);
    }, arrivalTimeoutMs).catch((error) => this.#findings.check(false, error.message));
    for (const violation of violations) this.#findings.check(false, violation);
  }

  #webhookSamples(since: number): LatencySamples {
    const samples = new LatencySamples();
    for (const { event, firstAt } of this.#parts.subscriber.received.values()) {
      if (firstAt > since && event.type === 'client.created') samples.add(firstAt - Number(event.data.client.name));
    }
    return samples;
  }
}
