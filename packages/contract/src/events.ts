import type { AuditedAct } from './account-audit.ts';
import type { Client } from './clients.ts';
import type { SubmittedForm } from './forms.ts';
import type { Project } from './projects.ts';

/** What an agency's webhooks can subscribe to. */
export const webhookEvents = [
  'client.created',
  'client.updated',
  'project.created',
  'project.published',
  'payment.received',
  'form.submitted',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** What happened, as agencies' webhooks see it: `data` holds the REST shape. */
export interface PublicEvents {
  'client.created': { client: Client };
  'client.updated': { client: Client; previous: Partial<Client> };
  'project.created': { project: Project };
  'project.published': { project: Project };
  'form.submitted': { form: SubmittedForm; project: Project };
}

/** What only our own services hear of; published under `internal.>`. */
export interface InternalEvents {
  /** An invitation that is sent again; `client.created` tells of the first. */
  'internal.client.invited': { client_id: string; email: string; name: string | null; invitation: number };
  'internal.project.deleted': { project_id: string; org_client_id: string | null };
  /** Another deploy is live under that name, or none is any more: whoever remembers what it resolved to asks anew. */
  'internal.site.changed': { project_id: string; name: string };
  'internal.submission.deleted': { submission_id: string };
  'internal.template.deleted': { template_id: string };
  /** Switched off by its organization: what waits for it is not sent. */
  'internal.webhook.paused': { webhook_id: string };
  /** Switched off by us: its receiver answered 410 (gone), or had failed for days (failing). */
  'internal.webhook.disabled': { webhook_id: string; url: string; reason: 'gone' | 'failing' };
  'internal.webhook.deleted': { webhook_id: string };
  /** Revoked, rotated or otherwise not what it was: whoever remembers a verdict on the key forgets it. */
  'internal.key.changed': { key_id: string; org_id: string };
  /** Something sensitive was done: it goes into the audit log of the organizations that it names, else of the record's own. */
  'internal.audited': AuditedAct;
  /** Asked to work in an organization: the mail goes out upon it. */
  'internal.member.invited': { invitation_id: string };
  /** Somebody is to be told of his own sign-in: the mail that is kept under this id goes out upon it. */
  'internal.account.mail': { mail_id: string };
  /** Ended or moved, or all sessions of an account, whose role may be another: whoever remembers a verdict on one forgets it. */
  'internal.session.changed': { session_id?: string; account_id: string };
}

export type Events = PublicEvents & InternalEvents;
export type EventType = keyof Events;

/** An event as it stands in an outbox and on the stream. `id` is a UUID, the same on every repeat; `timestamp` is ISO 8601. */
export type EventEnvelope<T extends EventType = EventType> = {
  [K in T]: { id: string; type: K; timestamp: string; org_id: string; api_version: 'v1'; data: Events[K] };
}[T];

/** What a rule raises; id, time and organization are added where it is stored. */
export type RaisedEvent<T extends EventType = EventType> = { [K in T]: { type: K; data: Events[K] } }[T];

/** A rule's verdict: the record as it becomes, and what to tell the world. */
export interface Change<State> {
  state: State;
  events: readonly RaisedEvent[];
}
