import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';
import { useBrand } from '../../brand/brand.ts';
import { texts } from '../../texts.ts';

interface Props {
  readonly title: string;
  readonly text?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
  readonly children: ReactNode;
}

/** A page inside the shell: heading, actions and content. */
export function Page({ title, text, actions, back, children }: Props) {
  const product = useBrand()?.name ?? texts.product;
  useEffect(() => {
    document.title = texts.documentTitle({ title, product });
  }, [title, product]);
  return (
    <div className="page">
      <header className="page-header">
        <div>
          {back === undefined ? null : (
            <Link className="back" to={back.to}>
              ← {back.label}
            </Link>
          )}
          <h1>{title}</h1>
          {text === undefined ? null : <p className="soft">{text}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
