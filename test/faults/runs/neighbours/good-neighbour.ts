import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Agency, agency } from '../../../harness/agency.ts';
import { addMember } from '../../../harness/operator.ts';
import { owner, Person } from '../../../harness/person.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import { sendForm, visit } from '../../../harness/visitor.ts';
import { Findings } from '../outcome.ts';
import { acceptAll, ReceiverServer } from '../webhooks/receiver.ts';
import type { Subscriber } from '../webhooks/subscriber.ts';
import { Arrivals } from './arrivals.ts';
import { type Latencies, LatencySamples } from './latencies.ts';
import { publishSite } from './means/publish-site.ts';

interface NeighbourParts {
  readonly owner: Agency;
  readonly siteUrl: string;
  readonly projectId: string;
  readonly subscriber: Subscriber;
  readonly receivers: ReceiverServer;
  /** Gets the form mails. Their browser has signed in before. */
  readonly person: Person;
  /** Signs in with a new browser each time. */
  readonly newcomer: Person;
  /** Reads the conversation about a site that it builds. */
  readonly builder: Person;
  readonly conversation: string;
}

/** A well-behaved agency with a program on the API, a site with a form, a webhook and people who sign in. */
async function makeNeighbour(facts: PlatformFacts): Promise<NeighbourParts> {
  const made = await agency(facts, { rateLimit: 1_000_000 });
  const somebody = () => owner({ platform: facts });
  const [person, newcomer, builder] = await Promise.all([somebody(), somebody(), somebody()]);
  await addMember(made.organization.id, person.email);
  const { url: siteUrl, projectId } = await publishSite(made.api, 'welcome');
  (await made.api.patch(`/projects/${projectId}/forms/settings`, { notification_email: person.email })).expect(200);
  const { project } = (await builder.api.post('/account/build', { name: 'Rye' })).expect(201).body;
  const conversation = `/projects/${project.id}/chat/messages`;
  const receivers = await ReceiverServer.start(acceptAll);
  const subscriber = await receivers.subscribe(made, ['client.created', 'form.submitted']);
  return { owner: made, siteUrl, projectId, subscriber, receivers, person, newcomer, builder, conversation };
}

/** It only bounds how long a failure takes. */
const arrivalTimeoutMs = 150_000;
/** Requests per second of each kind. */
const rates = { api: 20, page: 20, publish: 0.5, chat: 4, client: 4, form: 0.2, signIn: 1 };

/** What came of a while that a neighbour lived. */
export interface Life {
  readonly latencies: Latencies;
  /** Requests that were answered as they should be, whose webhooks and mails arrived. */
  readonly arrived: string;
  readonly tries: number;
  readonly failures: readonly string[];
}

/** Many forms from one address are spam. */
const newVisitor = () => `127.1.${randomInt(256)}.${randomInt(1, 255)}`;

const expectStatus = (expected: number, status: number) => {
  if (status !== expected) throw new Error(`answered ${status}`);
};

/** A well-behaved agency with a program on the API, a site with visitors, a form, a webhook and people who sign in. */
export class GoodNeighbour implements AsyncDisposable {
  static async start(facts: PlatformFacts): Promise<GoodNeighbour> {
    return new GoodNeighbour(facts, await makeNeighbour(facts));
  }

  readonly #facts: PlatformFacts;
  readonly #parts: NeighbourParts;
  #signIns = 0;

  private constructor(facts: PlatformFacts, parts: NeighbourParts) {
    this.#facts = facts;
    this.#parts = parts;
  }

  /** The email address of its owner. */
  get email(): string {
    return this.#parts.person.email;
  }

  /**
   * Lives for a while at a steady pace, whatever the answers take. Resolves when all has arrived that will; `onEnd`
   * runs before the wait for it.
   */
  async live(ms: number, onEnd: () => Promise<void> = async () => undefined): Promise<Life> {
    const findings = new Findings();
    const { owner, siteUrl, subscriber, person, builder, conversation } = this.#parts;
    const arrivals = new Arrivals({ facts: this.#facts, subscriber, formMailsTo: person.email });
    const samples = {
      api: new LatencySamples(),
      page: new LatencySamples(),
      publish: new LatencySamples(),
      chat: new LatencySamples(),
      webhook: new LatencySamples(),
      'sign-in': new LatencySamples(),
    };
    const origin = this.#facts.origins[0] ?? '';
    const open: Promise<unknown>[] = [];
    const every = (perSecond: number, what: string, act: () => Promise<unknown>) =>
      setInterval(() => open.push(act().catch((error) => findings.check(false, `${what}: ${error}`))), 1000 / perSecond);
    const timers = [
      every(rates.api, 'a list', () => samples.api.time(async () => (await owner.api.get('/clients?limit=10')).expect(200))),
      every(rates.page, 'a page', () => samples.page.time(async () => expectStatus(200, (await visit(origin, siteUrl)).status))),
      every(rates.publish, 'a publish', () => samples.publish.time(() => this.#publish())),
      every(rates.chat, 'a conversation', () => samples.chat.time(async () => (await builder.api.get(conversation)).expect(200))),
      every(rates.client, 'an invitation', () => this.#invite(arrivals)),
      every(rates.form, 'a form', () => this.#sendForm(arrivals)),
      every(rates.signIn, 'a sign-in', () => samples['sign-in'].time(() => this.#signIn())),
    ];
    await pause(ms);
    for (const timer of timers) clearInterval(timer);
    await Promise.all(open);
    await onEnd();
    await arrivals.all(arrivalTimeoutMs).catch((error) => findings.check(false, error.message));
    for (const violation of subscriber.violations.splice(0)) findings.check(false, violation);
    for (const { event, firstAt } of arrivals.events()) {
      if (event.type === 'client.created') samples.webhook.add(firstAt - Number(event.data.client.name));
    }
    const p99 = (kind: keyof typeof samples) => samples[kind].p99Ms;
    return {
      latencies: {
        ...{ api: p99('api'), page: p99('page'), publish: p99('publish'), chat: p99('chat') },
        ...{ webhook: p99('webhook'), 'sign-in': p99('sign-in') },
      },
      arrived: findings.failures.length === 0 ? `all of ${arrivals.expected}` : 'NOT all',
      tries: arrivals.expected,
      failures: findings.failures,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.receivers[Symbol.asyncDispose]();
  }

  /** Its page stays as it is; a file beside it is another one each time. */
  async #publish(): Promise<void> {
    const { owner, projectId } = this.#parts;
    const builtFiles = { 'index.html': 'welcome', 'news.txt': randomUUID() };
    (await owner.api.post(`/projects/${projectId}/publish`, { builtFiles })).expect(200);
  }

  /** The client is named by the time of its request, which its webhook event brings back. */
  async #invite(arrivals: Arrivals): Promise<void> {
    const email = `${randomUUID().replaceAll('-', '')}@example.test`;
    (await this.#parts.owner.api.post('/clients', { email, name: String(performance.now()) })).expect(201);
    arrivals.expectInvitation(email);
  }

  async #sendForm(arrivals: Arrivals): Promise<void> {
    const message = randomUUID();
    const { status } = await sendForm(this.#facts.origins[0] ?? '', `${this.#parts.siteUrl}/_forms/contact`, { message }, {}, newVisitor());
    expectStatus(303, status);
    arrivals.expectForm(message);
  }

  /** By turns the owner with a browser that signed in before, and another person with a new browser. */
  async #signIn(): Promise<void> {
    const { person, newcomer } = this.#parts;
    const isOwner = this.#signIns++ % 2 === 0;
    const browser = isOwner ? person : new Person({ platform: this.#facts, email: newcomer.email });
    (await browser.signIn(isOwner ? person.password : newcomer.password)).expect(200);
  }
}
