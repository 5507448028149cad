import type { MethodDefinition } from '@grpc/proto-loader';
import type { AccountsDefinition } from '../gen/webkiln/accounts/v1/Accounts.ts';
import type { AnalyticsDefinition } from '../gen/webkiln/analytics/v1/Analytics.ts';
import type { ClientsDefinition } from '../gen/webkiln/clients/v1/Clients.ts';
import type { FormsDefinition } from '../gen/webkiln/forms/v1/Forms.ts';
import type { IdentityDefinition } from '../gen/webkiln/identity/v1/Identity.ts';
import type { PlansDefinition } from '../gen/webkiln/plans/v1/Plans.ts';
import type { ProjectsDefinition } from '../gen/webkiln/projects/v1/Projects.ts';
import type { SitesDefinition } from '../gen/webkiln/sites/v1/Sites.ts';
import type { TemplatesDefinition } from '../gen/webkiln/templates/v1/Templates.ts';
import type { WebhooksDefinition } from '../gen/webkiln/webhooks/v1/Webhooks.ts';

/** Which process serves which area (`webkiln.<area>.v1`); the first word of a method's name is its area. */
export const services = {
  identity: ['identity', 'accounts'],
  'clients-plans': ['clients', 'plans'],
  'projects-templates': ['projects', 'templates', 'sites'],
  webhooks: ['webhooks'],
  sites: ['forms'],
  analytics: ['analytics'],
} as const;

export type ServiceName = keyof typeof services;
export type Area = (typeof services)[ServiceName][number];

/** Generated definitions have an index signature beside their methods, which is left out. */
type Named<A extends Area, Definition> = {
  [M in keyof Definition as string extends M ? never : `${A}.${M & string}`]: Definition[M];
};
type Definitions = Named<'accounts', AccountsDefinition> &
  Named<'analytics', AnalyticsDefinition> &
  Named<'clients', ClientsDefinition> &
  Named<'forms', FormsDefinition> &
  Named<'identity', IdentityDefinition> &
  Named<'plans', PlansDefinition> &
  Named<'projects', ProjectsDefinition> &
  Named<'sites', SitesDefinition> &
  Named<'templates', TemplatesDefinition> &
  Named<'webhooks', WebhooksDefinition>;

/** "projects.GetProject" */
export type MethodName = keyof Definitions;

/** null and absent are one on the wire: senders may write either, receivers see absent. */
type Sent<T> = T extends Uint8Array | string | number | boolean
  ? T
  : T extends readonly (infer E)[]
    ? readonly Sent<E>[]
    : { [K in keyof T]: Sent<T[K]> | null };

type Types<M extends MethodName> =
  Definitions[M] extends MethodDefinition<infer RequestIn, infer ResponseIn, infer RequestOut, infer ResponseOut>
    ? { requestIn: RequestIn; responseIn: ResponseIn; requestOut: RequestOut; responseOut: ResponseOut }
    : never;

/** What a caller passes. */
export type RequestOf<M extends MethodName> = Sent<Types<M>['requestIn']>;
/** What a handler gets: plain fields have their proto defaults, `optional` ones may be absent. */
export type IncomingRequest<M extends MethodName> = Types<M>['requestOut'];
/** What a handler returns. */
export type ReplyOf<M extends MethodName> = Sent<Types<M>['responseIn']>;
/** What a caller gets. */
export type IncomingReply<M extends MethodName> = Types<M>['responseOut'];
