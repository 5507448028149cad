import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readJson, readWithEtag, type Schemas } from './client.ts';

export type Client = Schemas['Client'];
export type Project = Schemas['Project'];
export type Plan = Schemas['Plan'];
export type Delivery = Schemas['Delivery'];
export type Key = Schemas['Key'];

/** Query options of the pages. Changes invalidate by the first part of the key, the area. */
export const clientsQuery = () =>
  queryOptions({ queryKey: ['clients'], queryFn: () => readJson(api.GET('/clients')).then(({ clients }) => clients) });

/** Marks the record that a page is about: without it there is no such page. */
const meta = { isPage: true };

export const clientQuery = (clientId: string) =>
  queryOptions({
    meta,
    queryKey: ['clients', clientId],
    queryFn: () => readWithEtag(api.GET('/clients/{clientId}', { params: { path: { clientId } } })),
  });

export const clientJoiningQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['clients', clientId, 'joining'],
    queryFn: () => readJson(api.GET('/clients/{clientId}/joining', { params: { path: { clientId } } })),
  });

/** What a plan allows a client, with what the client uses: its own plan, or the one that is named. */
export const clientLimitsQuery = (clientId: string, plan_id?: string) =>
  queryOptions({
    queryKey: ['clients', clientId, 'limits', plan_id ?? ''],
    queryFn: () => {
      const params = { path: { clientId }, query: plan_id === undefined ? {} : { plan_id } };
      return readJson(api.GET('/clients/{clientId}/limits', { params })).then(({ limits }) => limits);
    },
  });

export interface ProjectFilter {
  readonly q?: string;
  readonly status?: string;
  readonly client_id?: string;
  readonly limit?: number;
  readonly offset?: number;
}

export const projectsQuery = (query: ProjectFilter = {}) =>
  queryOptions({
    queryKey: ['projects', 'list', query],
    placeholderData: keepPreviousData,
    queryFn: () => readJson(api.GET('/projects', { params: { query } })),
  });

const ofProject = (projectId: string) => ({ params: { path: { projectId } } });

export const projectQuery = (projectId: string) =>
  queryOptions({
    meta,
    queryKey: ['projects', projectId],
    queryFn: () => readWithEtag(api.GET('/projects/{projectId}', ofProject(projectId))),
  });

export const filesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'files'],
    queryFn: () => readJson(api.GET('/projects/{projectId}/files', ofProject(projectId))).then(({ files }) => files),
  });

/** The draft beside what is live. */
export const draftQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'draft'],
    queryFn: () => readJson(api.GET('/projects/{projectId}/draft', ofProject(projectId))).then(({ draft }) => draft),
  });

export const plansQuery = () =>
  queryOptions({ queryKey: ['plans'], queryFn: () => readJson(api.GET('/plans')).then(({ plans }) => plans) });

export const planQuery = (planId: string) =>
  queryOptions({ queryKey: ['plans', planId], queryFn: () => readWithEtag(api.GET('/plans/{planId}', { params: { path: { planId } } })) });

export const templatesQuery = () =>
  queryOptions({ queryKey: ['templates'], queryFn: () => readJson(api.GET('/templates')).then(({ templates }) => templates) });

export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ['templates', templateId],
    queryFn: () => readWithEtag(api.GET('/templates/{templateId}', { params: { path: { templateId } } })),
  });

export const webhooksQuery = () =>
  queryOptions({ queryKey: ['webhooks'], queryFn: () => readJson(api.GET('/webhooks')).then(({ webhooks }) => webhooks) });

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    meta,
    queryKey: ['webhooks', webhookId],
    queryFn: () => readWithEtag(api.GET('/webhooks/{webhookId}', { params: { path: { webhookId } } })),
  });

export const webhookSecretsQuery = () =>
  queryOptions({
    queryKey: ['webhooks', 'secrets'],
    queryFn: () => readJson(api.GET('/account/webhook-secrets')).then(({ webhook_secrets }) => webhook_secrets),
  });

const deliveryPollMs = 2000;

/** Polls while a delivery is pending. */
export const deliveriesQuery = (webhookId: string, query: { status?: string; event?: string; limit: number; offset: number }) =>
  queryOptions({
    queryKey: ['webhooks', webhookId, 'deliveries', query],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(({ status }) => status === 'pending') ? deliveryPollMs : false),
    queryFn: () => readJson(api.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } })),
  });

/** Polls while another attempt is to come. */
export const deliveryQuery = (webhookId: string, deliveryId: string) =>
  queryOptions({
    meta,
    queryKey: ['webhooks', webhookId, 'deliveries', deliveryId],
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? deliveryPollMs : false),
    queryFn: () =>
      readJson(api.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path: { webhookId, deliveryId } } })).then(
        ({ delivery }) => delivery,
      ),
  });

/** The organization with its ETag. */
export const organizationQuery = () =>
  queryOptions({
    queryKey: ['organization'],
    queryFn: () => readWithEtag(api.GET('/account/organization')),
    refetchOnWindowFocus: false,
  });

export const keysQuery = () =>
  queryOptions({ queryKey: ['keys'], queryFn: () => readJson(api.GET('/account/keys')).then(({ keys }) => keys) });

export const embedClientsQuery = () =>
  queryOptions({
    queryKey: ['embed-clients'],
    queryFn: () => readJson(api.GET('/account/embed-clients')).then(({ embed_clients }) => embed_clients),
  });

export const embedClientQuery = (embedClientId: string) =>
  queryOptions({
    queryKey: ['embed-clients', embedClientId],
    queryFn: () => readWithEtag(api.GET('/account/embed-clients/{embedClientId}', { params: { path: { embedClientId } } })),
  });
