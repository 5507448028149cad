import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { base64Of, dataUrlOf, sendWithProgress } from '../../api/send-with-progress.ts';
import { credentialOf } from '../credential.ts';
import type { Picture } from '../queries.ts';
import { request, send } from '../requests.ts';

/** What file choosers offer; the platform goes by the bytes. */
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
export const maxPictures = 4;

const of = (projectId: string) => `/projects/${projectId}/pictures`;

export const picturesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['draft', projectId, 'pictures'],
    queryFn: () => request<{ pictures: Picture[] }>('GET', of(projectId)).then(({ pictures }) => pictures),
  });

/** The smallest size of a picture, read with the credential of the page: an address of its own could not carry it. */
export const thumbnailQuery = (projectId: string, { id, files }: Picture) =>
  queryOptions({
    queryKey: ['thumbnail', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const path = encodeURIComponent(files[0]?.path ?? '');
      return dataUrlOf(await (await send(`/projects/${projectId}/files/${path}`)).blob());
    },
  });

interface Sending {
  readonly signal: AbortSignal;
  readonly onProgress: (part: number) => void;
}

/** What can be done with the pictures of a project; each reads the draft anew. */
export function usePictureActions(projectId: string) {
  const queries = useQueryClient();
  const changed = useCallback(() => queries.invalidateQueries({ queryKey: ['draft', projectId] }), [queries, projectId]);
  const upload = useCallback(
    async (file: File, sending: Sending): Promise<Picture> => {
      const content = { name: file.name.slice(0, 200) || 'picture', file: { content: await base64Of(file), encoding: 'base64' } };
      const headers = { ...credentialOf().headers, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
      const body = new Blob([JSON.stringify(content)]);
      const { picture } = await sendWithProgress<{ picture: Picture }>({ ...sending, method: 'POST', path: of(projectId), headers, body });
      await changed();
      return picture;
    },
    [projectId, changed],
  );
  const describe = useCallback(
    async (id: string, alt: string) => {
      await request('PATCH', `${of(projectId)}/${id}`, { alt });
      await changed();
    },
    [projectId, changed],
  );
  const remove = useCallback(
    async (id: string) => {
      await request('DELETE', `${of(projectId)}/${id}`);
      await changed();
    },
    [projectId, changed],
  );
  return { upload, describe, remove };
}
