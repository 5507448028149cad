import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { restore } from '../history/use-undo.ts';
import { filesQuery, type Revision, revisionsQuery } from '../queries.ts';
import { request } from '../requests.ts';
import { askPreview, shownBy, type TypedText, typedIn } from './preview-frame.ts';
import { followMs } from './use-live-preview.ts';

/** Where the site shows a page: index.html of a folder at the folder itself. */
const addressOf = (page: string): string =>
  `/${page
    .replace(/(^|\/)index\.html$/, '$1')
    .split('/')
    .map(encodeURIComponent)
    .join('/')}`;

/** The page at a path of the site, as `sites` finds it. */
const pageAt = (path: string, pages: readonly string[]): string | undefined => {
  const wanted = decodeURI(path).slice(1);
  return [wanted, `${wanted}.html`, `${wanted}index.html`, `${wanted}/index.html`].find((page) => pages.includes(page));
};

/** Saves what was typed on a page, one text after the other, and takes the last one back. */
function useSavedTexts(projectId: string) {
  const queries = useQueryClient();
  const { data: revisions = [] } = useQuery(revisionsQuery(projectId));
  const refresh = () => queries.invalidateQueries({ queryKey: ['draft', projectId] });
  const save = useMutation({
    scope: { id: 'typed texts' },
    mutationFn: ({ page, ...typed }: TypedText & { page: string }) =>
      request<{ revision: Revision }>('POST', `/projects/${projectId}/texts`, { page, ...typed }),
    onSuccess: refresh,
  });
  const saved = save.data?.revision.id;
  const [newest, before] = revisions;
  const undo = useMutation({ mutationFn: (revisionId: string) => restore(projectId, revisionId), onSuccess: refresh });
  const canUndo = saved !== undefined && newest?.id === saved && before !== undefined;
  return { save, undo, undoable: canUndo ? before.id : undefined };
}

interface Options {
  readonly projectId: string;
  /** The preview's address; undefined while there is nothing to show. */
  readonly url: string | undefined;
  readonly frame: RefObject<HTMLIFrameElement | null>;
  /** Counts the pages that the frame has loaded. */
  readonly loads: number;
}

/**
 * Typing over the texts of a page in the preview. An edit goes to the page that the builder itself has loaded into the
 * frame: what runs in the preview cannot name another one, and a page that comes by itself ends the typing.
 */
export function useTyping({ projectId, url, frame, loads }: Options) {
  const { data: files = [] } = useQuery(filesQuery(projectId));
  const pages = files.filter(({ content_type }) => content_type.startsWith('text/html')).map(({ path }) => path);
  const { save, undo, undoable } = useSavedTexts(projectId);
  const [page, setPage] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const awaited = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = useCallback(
    (shown: string) => {
      if (frame.current === null || url === undefined) return;
      awaited.current = true;
      setPage(shown);
      frame.current.src = `${url}${addressOf(shown)}`;
    },
    [frame, url],
  );
  /** The preview shows a change a moment after it was made. */
  const showLater = (shown: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => show(shown), followMs);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that was loaded is told, or ends the typing
  useEffect(() => {
    if (awaited.current) askPreview(frame.current, { type: 'edit', on: true });
    else setPage(undefined);
    awaited.current = false;
  }, [loads]);

  useEffect(() => {
    if (!isAsking) return;
    askPreview(frame.current, { type: 'where' });
    const onMessage = (event: MessageEvent) => {
      const path = shownBy(event, frame.current);
      if (path === undefined) return;
      setAsking(false);
      const shown = pageAt(path, pages) ?? pages[0];
      if (shown !== undefined) show(shown);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, [isAsking, frame, pages, show]);

  useEffect(() => {
    if (page === undefined) return;
    const onMessage = (event: MessageEvent) => {
      const typed = typedIn(event, frame.current);
      // A page that has changed meanwhile is shown as it is.
      if (typed !== undefined) save.mutate({ page, ...typed }, { onError: () => showLater(page) });
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  });

  function stop() {
    askPreview(frame.current, { type: 'edit', on: false });
    setPage(undefined);
  }

  const error = save.error ?? undo.error;
  return {
    page,
    pages,
    show,
    start: () => setAsking(true),
    stop,
    isSaving: save.isPending || undo.isPending,
    hasSaved: save.isSuccess,
    problem: error === null ? undefined : Problem.of(error).message,
    undo: undoable === undefined || page === undefined ? undefined : () => undo.mutate(undoable, { onSuccess: () => showLater(page) }),
  };
}
