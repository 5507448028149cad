import * as z from 'zod';
import { ids } from '../examples/story.ts';
import { EmbedClientId, embedClientIdForm, Uuid } from '../fields/fields.ts';

/** The pattern of a path parameter that is an id. */
export interface PathId {
  readonly schema: z.ZodType;
  readonly form: RegExp;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uuid = (description: string, example: string): PathId => ({ schema: Uuid.meta({ description, param: { example } }), form: uuidForm });

const known: Readonly<Record<string, PathId>> = {
  agentId: uuid('The agent, from GET /account/agents', ids.agent),
  toolSessionId: uuid('The session, from GET /account/agents/sessions', ids.agentSession),
  buildLinkId: uuid('The build link, from GET /account/build-links', ids.buildLink),
  clientId: uuid('The client, from GET /clients', ids.client),
  deliveryId: uuid('The delivery, from GET /webhooks/{webhookId}/deliveries', ids.delivery),
  deployId: uuid('The deploy, from GET /projects/{projectId}/deploys', ids.deploy),
  domainId: uuid('The custom domain, from GET /projects/{projectId}/domains', ids.domain),
  embedClientId: {
    schema: EmbedClientId.meta({ description: 'The embed client, from GET /account/embed-clients', param: { example: ids.embedClient } }),
    form: embedClientIdForm,
  },
  embedSessionId: uuid('The embed session, from GET /account/embed-sessions', ids.embedSession),
  invitationId: uuid('The invitation, from GET /account/invitations', ids.invitation),
  keyId: uuid('The API key, from GET /account/keys', ids.key),
  memberId: uuid('The member, from GET /account/members', ids.member),
  orderId: uuid('The order, from GET /orders', ids.order),
  passkeyId: uuid('The passkey, from GET /account/passkeys', ids.passkey),
  pictureId: uuid('The picture, from GET /projects/{projectId}/pictures', ids.picture),
  questionId: uuid('The change that waits, from GET /account/agents/questions', ids.agentQuestion),
  planId: uuid('The plan, from GET /plans', ids.plan),
  projectId: uuid('The project, from GET /projects', ids.project),
  revisionId: uuid('The revision or deploy, from GET /projects/{projectId}/history', ids.revision),
  sessionId: uuid('The session, from GET /account/sessions', ids.session),
  submissionId: uuid('The submission, from GET /projects/{projectId}/forms/submissions', ids.submission),
  templateId: uuid('The template, from GET /templates', ids.template),
  webhookId: uuid('The webhook, from GET /webhooks', ids.webhook),
};

/** The last parameter of some paths: the rest of the path, with its slashes. */
export const filePathParameter = z.string().meta({
  description: 'The path of the file in the site, with its slashes as they are: `css/site.css`',
  param: { example: 'index.html' },
});

/** Ids are UUIDs, except those of third-party programs. Throws for a parameter that is not described here. */
export function pathId(parameter: string): PathId {
  const id = known[parameter];
  if (id === undefined) throw new Error(`describe the path parameter ${parameter} in path-ids.ts`);
  return id;
}
