import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Schemas, tagged } from './client.ts';

export type Client = Schemas['Client'];
export type Project = Schemas['Project'];
export type Plan = Schemas['Plan'];
export type Delivery = Schemas['Delivery'];
export type Key = Schemas['Key'];

/** What pages read, each by one key: what is changed is read again by the first word of it. */
export const clientsQuery = () =>
  queryOptions({ queryKey: ['clients'], queryFn: () => answer(api.GET('/clients')).then(({ clients }) => clients) });

export const clientQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['clients', clientId],
    queryFn: () => tagged(api.GET('/clients/{clientId}', { params: { path: { clientId } } })),
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
    queryFn: () => answer(api.GET('/projects', { params: { query } })),
  });

const ofProject = (projectId: string) => ({ params: { path: { projectId } } });

export const projectQuery = (projectId: string) =>
  queryOptions({ queryKey: ['projects', projectId], queryFn: () => tagged(api.GET('/projects/{projectId}', ofProject(projectId))) });

export const filesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'files'],
    queryFn: () => answer(api.GET('/projects/{projectId}/files', ofProject(projectId))).then(({ files }) => files),
  });

export const deploysQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'deploys'],
    queryFn: () => answer(api.GET('/projects/{projectId}/deploys', ofProject(projectId))).then(({ deploys }) => deploys),
  });

export const plansQuery = () => queryOptions({ queryKey: ['plans'], queryFn: () => answer(api.GET('/plans')).then(({ plans }) => plans) });

export const planQuery = (planId: string) =>
  queryOptions({ queryKey: ['plans', planId], queryFn: () => tagged(api.GET('/plans/{planId}', { params: { path: { planId } } })) });

export const templatesQuery = () =>
  queryOptions({ queryKey: ['templates'], queryFn: () => answer(api.GET('/templates')).then(({ templates }) => templates) });

export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ['templates', templateId],
    queryFn: () => tagged(api.GET('/templates/{templateId}', { params: { path: { templateId } } })),
  });

export const webhooksQuery = () =>
  queryOptions({ queryKey: ['webhooks'], queryFn: () => answer(api.GET('/webhooks')).then(({ webhooks }) => webhooks) });

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['webhooks', webhookId],
    queryFn: () => tagged(api.GET('/webhooks/{webhookId}', { params: { path: { webhookId } } })),
  });

const deliveryPollMs = 2000;

/** Read again while something waits to be sent. */
export const deliveriesQuery = (webhookId: string, query: { status?: string; limit: number; offset: number }) =>
  queryOptions({
    queryKey: ['webhooks', webhookId, 'deliveries', query],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(({ status }) => status === 'pending') ? deliveryPollMs : false),
    queryFn: () => answer(api.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } })),
  });

export const keysQuery = () =>
  queryOptions({ queryKey: ['keys'], queryFn: () => answer(api.GET('/account/keys')).then(({ keys }) => keys) });

export const embedClientsQuery = () =>
  queryOptions({
    queryKey: ['embed-clients'],
    queryFn: () => answer(api.GET('/account/embed-clients')).then(({ embed_clients }) => embed_clients),
  });

export const embedClientQuery = (embedClientId: string) =>
  queryOptions({
    queryKey: ['embed-clients', embedClientId],
    queryFn: () => tagged(api.GET('/account/embed-clients/{embedClientId}', { params: { path: { embedClientId } } })),
  });
