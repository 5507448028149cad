import type { ReactNode } from 'react';

interface Props {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly padded?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, actions, padded = false, children }: Props) {
  return (
    <section className="card" aria-label={title}>
      {title === undefined ? null : (
        <div className="card-header">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {padded ? <div className="card-body">{children}</div> : children}
    </section>
  );
}
