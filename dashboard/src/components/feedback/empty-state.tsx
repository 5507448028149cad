import type { ReactNode } from 'react';
import { Snippet } from './snippet.tsx';

interface Props {
  readonly title: string;
  readonly text: string;
  /** The same step by the API. */
  readonly request?: string;
  readonly children?: ReactNode;
}

/** Where there is nothing yet: what to do next, by hand and by the API. */
export function Empty({ title, text, request, children }: Props) {
  return (
    <div className="empty">
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {children}
      {request === undefined ? null : <Snippet text={request} />}
    </div>
  );
}
