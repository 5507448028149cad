import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { request, send } from '../builder/requests.ts';
import { history as t } from '../texts/history.ts';

export type HistoryEntry = Schemas['HistoryEntry'];
export type FileChange = Schemas['FileChange'];
type File = NonNullable<FileChange['after']>;

/** A project, and the first part of the keys of its queries, by which they are read anew. */
export interface Site {
  readonly projectId: string;
  readonly area: string;
}

const of = (projectId: string) => `/projects/${projectId}`;

/** What the platform calls entries for which nobody has said what is new. */
const unnamed: Readonly<Record<string, string>> = {
  Published: t.unnamed.published,
  'Published files': t.unnamed.published,
  'Files uploaded': t.unnamed.uploaded,
  'Started from a template': t.unnamed.template,
};
const named = (entry: HistoryEntry): HistoryEntry => ({ ...entry, message: unnamed[entry.message] ?? entry.message });

export const historyQuery = ({ projectId, area }: Site) =>
  queryOptions({
    queryKey: [area, projectId, 'history'],
    queryFn: () => request<{ history: HistoryEntry[] }>('GET', `${of(projectId)}/history`).then(({ history }) => history.map(named)),
  });

interface Changes {
  readonly changes: readonly FileChange[];
  readonly before_id: string | null;
}

export const changesQuery = ({ projectId, area }: Site, id: string, against: 'live' | 'draft') =>
  queryOptions({
    queryKey: [area, projectId, 'changes', id, against],
    staleTime: 0,
    queryFn: () => request<Changes>('GET', `${of(projectId)}/revisions/${id}/changes?against=${against}`),
  });

const pathOf = (file: string) => file.split('/').map(encodeURIComponent).join('%2F');
const isText = ({ content_type }: File) => /^text\/|json|javascript|xml|svg/.test(content_type);

/** The text of a file in an entry; empty without one, null if it is no text. `sha256` names it, so it is read once. */
export const textQuery = (projectId: string, id: string | null, file: File | null) =>
  queryOptions({
    queryKey: ['text', projectId, file?.path, file?.sha256],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      if (file === null || id === null) return '';
      if (!isText(file)) return null;
      return (await send(`${of(projectId)}/revisions/${id}/files/${pathOf(file.path)}`)).text();
    },
  });

export const restoreEntry = (projectId: string, id: string) => request('POST', `${of(projectId)}/revisions/${id}/restore`, {});
export const rollBackTo = (projectId: string, id: string) => request('POST', `${of(projectId)}/deploys/${id}/rollback`, {});

/** Opens what the site looked like in a tab of its own. */
export async function openPreview(projectId: string, id: string): Promise<void> {
  const { preview_url } = await request<{ preview_url: string }>('GET', `${of(projectId)}/preview?version=${id}`);
  window.open(preview_url, '_blank', 'noopener');
}

/** Saves the files of an entry, or of the draft, as a zip. It is fetched first: a link carries no embed token. */
export async function saveZip(projectId: string, id?: string): Promise<void> {
  const answer = await send(`${of(projectId)}/export${id === undefined ? '' : `?version=${id}`}`);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = 'site.zip';
  link.click();
  URL.revokeObjectURL(url);
}
