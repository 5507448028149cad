import { useCallback, useEffect, useRef } from 'react';
import { askPreview, isLoading } from './preview-frame.ts';

/** A preview shows a change at most this long after it was made: `sites` looks drafts up again after 0.8 s. */
export const followMs = 900;

/**
 * The preview's frame, and how it follows changes: those of a moment are shown together. `changed()` without paths
 * means that anything may have changed.
 */
export function useLivePreview() {
  const frame = useRef<HTMLIFrameElement>(null);
  const paths = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const changed = useCallback((path = '') => {
    const show = () => {
      // A page that is on its way may be older than the change.
      timer.current = isLoading(frame.current) ? setTimeout(show, followMs) : undefined;
      if (timer.current !== undefined) return;
      askPreview(frame.current, { type: 'reload', paths: [...paths.current] });
      paths.current.clear();
    };
    paths.current.add(path);
    timer.current ??= setTimeout(show, followMs);
  }, []);
  return { frame, changed };
}
