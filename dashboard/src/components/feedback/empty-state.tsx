import type { ReactNode } from 'react';
import { texts } from '../../texts.ts';
import { Snippet } from '../content/snippet.tsx';

interface Props {
  readonly title: string;
  readonly text: string;
  /** The curl command for the same step. */
  readonly request?: string;
  readonly children?: ReactNode;
}

/** Shown where there are no records yet: what to do next, here or with the API. */
export function EmptyState({ title, text, request, children }: Props) {
  return (
    <div className="empty">
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {children}
      {request === undefined ? null : (
        <details className="by-api">
          <summary>{texts.byApi}</summary>
          <Snippet text={request} />
        </details>
      )}
    </div>
  );
}
