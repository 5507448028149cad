import { type Agency, agency } from '../../../harness/agency.ts';
import { addMember } from '../../../harness/operator.ts';
import { owner, type Person } from '../../../harness/person.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import { acceptAll, ReceiverServer } from '../webhooks/receiver.ts';
import type { Subscriber } from '../webhooks/subscriber.ts';
import { publishSite } from './means/publish-site.ts';

export interface NeighbourParts {
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
export async function makeNeighbour(facts: PlatformFacts): Promise<NeighbourParts> {
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
