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
  readonly frame: RefObject<HTMLIFrameElement | null>;
}

/**
 * Typing over the texts of a page in the preview. Each page is shown in a frame of its own, so that no page before it
 * can lead it elsewhere, and an edit goes to that page: what runs in the preview cannot name another one. A page that
 * comes by itself ends the typing.
 */
export function useTyping({ projectId, frame }: Options) {
  const { data: files = [] } = useQuery(filesQuery(projectId));
  const pages = files.filter(({ content_type }) => content_type.startsWith('text/html')).map(({ path }) => path);
  const { save, undo, undoable } = useSavedTexts(projectId);
  const [page, setPage] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [shown, setShown] = useState({ frame: 0, address: '' });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const renew = useCallback((path: string) => setShown(({ frame: last }) => ({ frame: last + 1, address: addressOf(path) })), []);
  const show = useCallback(
    (path: string) => {
      setPage(path);
      renew(path);
    },
    [renew],
  );
  /** The preview shows a change a moment after it was made. */
  const showLater = (path: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => show(path), followMs);
  };

  /** The frame has loaded a page: the one that it was made for, or one that came by itself. */
  function onLoaded(isFirst: boolean) {
    if (isFirst && page !== undefined) return askPreview(frame.current, { type: 'edit', on: true });
    clearTimeout(timer.current);
    setPage(undefined);
  }

  useEffect(() => {
    if (!isAsking) return;
    askPreview(frame.current, { type: 'where' });
    const onMessage = (event: MessageEvent) => {
      const path = shownBy(event, frame.current);
      if (path === undefined) return;
      setAsking(false);
      const found = pageAt(path, pages) ?? pages[0];
      if (found !== undefined) show(found);
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

  /** What was typed shows elsewhere on the page, too. */
  function stop() {
    clearTimeout(timer.current);
    askPreview(frame.current, { type: 'edit', on: false });
    setPage(undefined);
    if (page !== undefined) timer.current = setTimeout(() => renew(page), followMs);
  }

  const error = save.error ?? undo.error;
  return {
    page,
    pages,
    shown,
    show,
    onLoaded,
    start: () => setAsking(true),
    stop,
    isSaving: save.isPending || undo.isPending,
    hasSaved: save.isSuccess,
    problem: error === null ? undefined : Problem.of(error).message,
    undo: undoable === undefined || page === undefined ? undefined : () => undo.mutate(undoable, { onSuccess: () => showLater(page) }),
  };
}
