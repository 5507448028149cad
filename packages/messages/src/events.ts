import type { AuditAction, AuditedAct, PublicEvents } from '@webkiln/contract';
import type { Caller } from './caller.ts';
import type { QuotaLimits } from './quotas.ts';

/** What was visited of the sites of a user in a month, as `2026-10`; those that were visited most come first. */
export interface MonthlyReport {
  user_id: string;
  month: string;
  /** At most 10. */
  sites: { project_id: string; views: number; visitors: number; visitors_before: number; pages: string[] }[];
}

/** Events for our own services alone, published under `internal.>`. */
export interface InternalEvents {
  /** An invitation is sent again; the first one goes with `client.created`. */
  'internal.client.invited': { client_id: string; email: string; name: string | null; invitation: number };
  'internal.project.deleted': { project_id: string; org_client_id: string | null };
  /** The project is another client's: consumers read whose it is now. */
  'internal.project.moved': { project_id: string };
  /** Another deploy, or none, is live under the name: caches of its resolution are invalid. */
  'internal.site.changed': { project_id: string; name: string };
  /** A project's form mails go to another address, or its owner is to be asked again: the consumer mails the link. */
  'internal.form.recipient': { project_id: string; again: boolean };
  'internal.submission.deleted': { submission_id: string };
  'internal.template.deleted': { template_id: string };
  /** The organization disabled it: its pending deliveries are not sent. */
  'internal.webhook.paused': { webhook_id: string };
  /** We disabled it: its receiver answered 410 (gone) or failed for days (failing). */
  'internal.webhook.disabled': { webhook_id: string; url: string; reason: 'gone' | 'failing' };
  'internal.webhook.deleted': { webhook_id: string };
  /** The key was revoked, rotated or changed: credential caches drop it. */
  'internal.key.changed': { key_id: string; org_id: string };
  /** Something about a client's subscription that the client is told: the consumer sends the mail. */
  'internal.billing.notice': {
    client_id: string;
    notice: 'order_opened' | 'payment_failed' | 'payment_reminder' | 'subscription_given_up' | 'renewal_ahead' | 'card_expires';
  };
  /** A month of the sites of a user is over: the consumer mails the report to its client. */
  'internal.report.due': MonthlyReport;
  /** The organization charges in another currency, which identity shows with it. `revision` orders these events. */
  'internal.billing.currency': { currency: string; revision: number };
  /** A sensitive action, for the audit logs of the organizations that it names, else of the record's organization. */
  'internal.audited': AuditedAct;
  /** A member was invited: the consumer sends the mail. */
  'internal.member.invited': { invitation_id: string };
  /** A mail about an account's sign-in is due: the consumer sends the one stored under this id. */
  'internal.account.mail': { mail_id: string };
  /** An operator suspended or resumed the organization, or changed its limits. `revision` orders these events. */
  'internal.organization.changed': { organization_id: string; revision: number; suspended_at: string | null; limits: QuotaLimits };
  /** Every service deletes all that it has of the organization, and reports to identity how much it was. */
  'internal.organization.erased': { organization_id: string; round: number };
  /** The session (without an id: any session of the account) ended or changed: credential caches drop it. */
  'internal.session.changed': { session_id?: string; account_id: string };
  /** Its sessions end. */
  'internal.embed_client.deleted': { embed_client_id: string };
  /** The embed session was revoked or its client paused: credential caches drop it. */
  'internal.embed_session.changed': { session_id: string };
  /** The OAuth authorization was revoked: credential caches drop its tokens. */
  'internal.oauth.changed': { grant_id: string; account_id: string };
}

export type Events = PublicEvents & InternalEvents;
export type EventType = keyof Events;

/** An event in an outbox and on the stream. `id` is a UUID, the same on every repeat; `timestamp` is ISO 8601. */
export type EventEnvelope<T extends EventType = EventType> = {
  [K in T]: { id: string; type: K; timestamp: string; org_id: string; api_version: 'v1'; data: Events[K] };
}[T];

/** An event as a rule raises it; the store adds id, time and organization. */
export type RaisedEvent<T extends EventType = EventType> = { [K in T]: { type: K; data: Events[K] } }[T];

type PrincipalOnly = Pick<Caller, 'principal'>;
type Acting = Pick<Caller, 'principal' | 'network'>;

/** People are recorded by their account, other callers by their credential; both with the agent that they use. */
export const actorOf = ({ principal: { kind, account_id, credential_id, agent } }: PrincipalOnly): AuditedAct['actor'] => ({
  ...(account_id === undefined ? { kind, id: credential_id } : { kind: 'account', id: account_id }),
  ...(agent !== undefined && { agent }),
});

/**
 * The event that audits an action. It is raised in the action's own write, so that neither exists without the other.
 * A service that acts for another one's caller names the actor.
 */
export const auditEvent = (
  caller: Acting,
  action: AuditAction,
  target: AuditedAct['target'],
  actor: AuditedAct['actor'] = actorOf(caller),
): RaisedEvent => ({
  type: 'internal.audited',
  data: { actor, action, target, ...(caller.network !== undefined && { ip_prefix: caller.network }) },
});

/**
 * The result of a rule: the record's next state and the events that it raises. The store takes a change only whole, and
 * a literal or a spread is none (tsc): what a rule raises can only grow on its way to the record.
 */
export class Change<State, E extends RaisedEvent = RaisedEvent> {
  readonly state: State;
  readonly events: readonly E[];

  constructor(state: State, events: readonly E[]) {
    this.state = state;
    this.events = events;
  }

  /** The change with more of the state, such as its place in a quota. */
  withState<More extends object>(more: More): Change<State & More, E> {
    return new Change({ ...this.state, ...more }, this.events);
  }

  /** The change and the act that it is, for the audit log. */
  withAudit(act: RaisedEvent): Change<State, E | RaisedEvent> {
    return this.withEvents([act]);
  }

  withEvents<More extends RaisedEvent>(more: readonly More[]): Change<State, E | More> {
    return new Change<State, E | More>(this.state, [...this.events, ...more]);
  }
}

/** The streams of events. Each has its own size: what fills one of them stops nothing on the others. */
export const eventStreams = ['EVENTS', 'MAILS', 'AUDIT', 'FORMS'] as const;
export type EventStream = (typeof eventStreams)[number];

/** The types that are not on EVENTS: what strangers can raise, and what must arrive whatever they raise. */
const apart: Partial<Record<EventType, EventStream>> = {
  'internal.account.mail': 'MAILS',
  'internal.client.invited': 'MAILS',
  'internal.member.invited': 'MAILS',
  'internal.audited': 'AUDIT',
  'form.submitted': 'FORMS',
  'internal.form.recipient': 'FORMS',
  'internal.submission.deleted': 'FORMS',
};

/** The stream that an event is published on. */
export const streamOf = (type: EventType): EventStream => apart[type] ?? 'EVENTS';

/**
 * The subject of an event on EVENTS, where earlier releases published every type: `client.created` is
 * `events.client.created`; `internal.…` stays as it is.
 */
export const subjectOnEvents = (type: EventType): string => (type.startsWith('internal.') ? type : `events.${type}`);

/** The subject of an event on its stream: `form.submitted` is `forms.form.submitted`. */
export function subjectOf(type: EventType): string {
  const stream = streamOf(type);
  return stream === 'EVENTS' ? subjectOnEvents(type) : `${stream.toLowerCase()}.${type}`;
}
