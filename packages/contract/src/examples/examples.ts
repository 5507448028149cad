import * as z from 'zod';
import { publicEvents, type WebhookEvent } from '../events.ts';
import type { Operation } from '../http/operation.ts';
import { accountRecords, secrets } from './account-records.ts';
import { businessRecords } from './business-records.ts';
import { requests } from './requests.ts';
import { builderUrl, siteRecords } from './site-records.ts';
import { ids, platform, siteUrl, times } from './story.ts';

const records: Readonly<Record<string, unknown>> = { ...siteRecords, ...businessRecords, ...accountRecords };

const invited = { ...businessRecords.Client, status: 'invited', plan_id: null, payment_status: 'none' };
const empty = {
  ...siteRecords.Project,
  ...{ template: null, tags: [], starred: false, subdomain: null, published_url: null, last_published_at: null, last_opened_at: null },
  updated_at: siteRecords.Project.created_at,
};

/** Fields of responses that are no records, or other states of them, by operation. */
const fields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  getClientJoining: { build_link_id: null },
  createClient: { client: invited },
  resendInvitation: { client: invited },
  createProject: { project: empty, builder_url: builderUrl },
  startBuild: { builder_url: builderUrl },
  joinOrganization: { organization_id: ids.organization },
  listChanges: { before_id: ids.deploy },
  stopChat: { stopped: true },
  listChatMessages: { balance: 4962 },
  deleteProjectFile: { deleted: true, path: 'index.html' },
  getPreview: {
    published_url: siteUrl,
    has_published: true,
    preview_url: 'https://p-5f2c9a.preview.webkiln.example/',
    builder_url: builderUrl,
    embed_preview_path: '/embed-preview/p-5f2c9a',
    expires_at: times.later,
  },
  retryDeliveries: { queued: 1 },
  replayDeliveries: { queued: 12, next_after: null },
  getAccount: { role: 'developer', platform_url: platform },
  getSession: { role: 'developer', second_factor_required: false },
  switchOrganization: { role: 'developer' },
  acceptInvitation: { role: 'viewer' },
  getModels: { default_model: 'fast' },
  updateModels: { default_model: 'fast' },
  createKey: { secret: secrets.key },
  rotateKey: { secret: secrets.key },
  createEmbedClient: { secret: secrets.embedClient },
  rotateEmbedClient: { secret: secrets.embedClient },
  getCredits: { balance: 4962, reserved: 40 },
  removeMember: { deleted: true, id: ids.member },
};

function recordOf(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return recordOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) {
    const record = recordOf(schema.element as z.ZodType);
    return record === undefined ? undefined : [record];
  }
  return records[schema.meta()?.id as string];
}

/** The id of a DELETE's answer is the last one of its path. */
function deletedId(path: string): unknown {
  const name = [...path.matchAll(/\{(\w+)Id\}/g)].at(-1)?.[1];
  return ids[name as keyof typeof ids];
}

/** The example of a JSON response, made of the records of the story. Throws if a field has no example. */
export function exampleOfResponse(operationId: string, { output, path }: Operation): unknown {
  if (typeof output === 'string') throw new Error(`${operationId} returns no JSON`);
  const whole = records[output.meta()?.id as string];
  if (whole !== undefined) return whole;
  const common: Readonly<Record<string, unknown>> = { total: 1, deleted: true, id: deletedId(path) };
  return Object.fromEntries(
    Object.entries(output.shape).map(([name, schema]) => {
      const value =
        fields[operationId]?.[name] ?? (name in (fields[operationId] ?? {}) ? null : (recordOf(schema as z.ZodType) ?? common[name]));
      if (value === undefined) throw new Error(`the field ${name} of the response of ${operationId} has no example`);
      return [name, value];
    }),
  );
}

/** The example of a request's body. */
export function exampleOfRequest(operationId: string, { input }: Operation): unknown {
  if (Object.keys(input?.shape ?? {}).length === 0) return {};
  const body = requests[operationId];
  if (body === undefined) throw new Error(`the body of ${operationId} has no example: add it to examples/requests.ts`);
  return body;
}

/** What is another record in an event than elsewhere, or none. */
const dataOfEvents: { readonly [E in WebhookEvent]?: Readonly<Record<string, unknown>> } = {
  'client.created': { client: invited },
  'project.created': { project: empty },
  'client.updated': { previous: { status: 'invited' } },
  'form.submitted': { form: siteRecords.SubmittedForm },
};

/** The example of an event as a webhook receives it. */
export const eventExample = (type: WebhookEvent) => ({
  id: ids.event,
  type,
  timestamp: times.visited,
  org_id: ids.organization,
  api_version: 'v1',
  data: Object.fromEntries(
    Object.entries(publicEvents[type].data.shape).map(([name, schema]) => [name, dataOfEvents[type]?.[name] ?? recordOf(schema)]),
  ),
});
