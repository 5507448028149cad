import { queryOptions } from '@tanstack/react-query';
import type { paths } from '../../gen/openapi.ts';
import { isEmbedded } from './credential.ts';
import { isPassing, request, send } from './requests.ts';

type Answer<Path extends keyof paths> = paths[Path] extends { get: { responses: { 200: { content: { 'application/json': infer Body } } } } }
  ? Body
  : never;

export type Project = Answer<'/projects/{projectId}'>['project'];
export type Picture = Answer<'/projects/{projectId}/pictures'>['pictures'][number];
export type File = Answer<'/projects/{projectId}/files'>['files'][number];

export interface Revision {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly origin: 'turn' | 'publish' | 'restore' | 'template' | 'upload' | 'edit';
  readonly turn_id: string | null;
  readonly current: boolean;
  readonly created_at: string;
}

/** The user of the builder, its brand, and the prompt that it begins with. */
export interface Visitor {
  readonly brand: { readonly name: string; readonly logo: string | null; readonly accent: string | null } | null;
  readonly prompt: string | null;
}

const previewRenewMs = 15 * 60_000;

/** Without these there is no builder: they are read again until they arrive. */
export const untilRead = { retry: (_failures: number, error: unknown) => isPassing(error) };

const of = (projectId: string) => `/projects/${projectId}`;

async function embeddedVisitor(): Promise<Visitor> {
  const { embed_session, theme } = await request<{
    embed_session: { prompt: string | null };
    theme: { name: string; logo_url: string | null; accent_color: string | null };
  }>('GET', '/embed/session');
  return { prompt: embed_session.prompt, brand: { name: theme.name, logo: theme.logo_url, accent: theme.accent_color } };
}

async function signedInVisitor(): Promise<Visitor> {
  const { role, organization } = await request<Answer<'/account/session'>>('GET', '/account/session');
  if (role !== 'client' || organization === null) return { prompt: null, brand: null };
  return { prompt: null, brand: { name: organization.name, logo: organization.logo_url, accent: organization.accent_color } };
}

export const visitorQuery = queryOptions({
  ...untilRead,
  queryKey: ['visitor'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => (isEmbedded() ? embeddedVisitor() : signedInVisitor()),
});

export const projectQuery = (projectId: string) =>
  queryOptions({
    ...untilRead,
    queryKey: ['project', projectId],
    queryFn: () => request<Answer<'/projects/{projectId}'>>('GET', of(projectId)).then(({ project }) => project),
  });

/** The preview's address, renewed before it ends. */
export const previewQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['preview', projectId],
    refetchInterval: previewRenewMs,
    queryFn: () => request<Answer<'/projects/{projectId}/preview'>>('GET', `${of(projectId)}/preview`),
  });

export type ChatModels = Answer<'/models'>;

/** The models that may work on messages; none where the composer does. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => request<ChatModels>('GET', '/models'),
});

export type SiteDomain = Answer<'/projects/{projectId}/domains'>['domains'][number];

const watchedMs = 15_000;

/** Watched while one of them is not active yet. */
export const domainsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['domains', projectId],
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'pending' || status === 'verifying') ? watchedMs : false),
    queryFn: () => request<{ domains: SiteDomain[] }>('GET', `${of(projectId)}/domains`).then(({ domains }) => domains),
  });

export const filesQuery = (projectId: string) =>
  queryOptions({
    ...untilRead,
    queryKey: ['draft', projectId, 'files'],
    queryFn: () => request<{ files: File[] }>('GET', `${of(projectId)}/files`).then(({ files }) => files),
  });

/** The draft beside what is live. */
export const draftQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['draft', projectId, 'state'],
    queryFn: () => request<Answer<'/projects/{projectId}/draft'>>('GET', `${of(projectId)}/draft`).then(({ draft }) => draft),
  });

export const revisionsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['draft', projectId, 'revisions'],
    queryFn: () => request<{ revisions: Revision[] }>('GET', `${of(projectId)}/revisions?limit=51`).then(({ revisions }) => revisions),
  });

export const revisionFilesQuery = (projectId: string, revisionId: string) =>
  queryOptions({
    queryKey: ['revision', revisionId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => request<{ files: File[] }>('GET', `${of(projectId)}/revisions/${revisionId}/files`).then(({ files }) => files),
  });

const pathOf = (file: string) => file.split('/').map(encodeURIComponent).join('%2F');

/** The text of a file of a revision; of the draft without one. `sha256` names the content, so it is read once. */
export const textQuery = (projectId: string, revisionId: string | undefined, { path, sha256 }: Pick<File, 'path' | 'sha256'>) =>
  queryOptions({
    queryKey: ['text', projectId, path, sha256],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const state = revisionId === undefined ? of(projectId) : `${of(projectId)}/revisions/${revisionId}`;
      return (await send(`${state}/files/${pathOf(path)}`)).text();
    },
  });
