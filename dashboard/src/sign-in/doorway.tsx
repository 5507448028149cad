import { type ReactNode, useEffect } from 'react';
import { Mark } from '../components/mark.tsx';
import { texts } from '../texts.ts';
import '../styles/sign-in.css';

interface Props {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

/** The page of those who are not signed in yet. */
export function Doorway({ title, text, children, foot }: Props) {
  useEffect(() => {
    document.title = texts.documentTitle(title, texts.product);
  }, [title]);
  return (
    <main className="doorway">
      <div className="doorway-brand">
        <Mark />
        {texts.product}
      </div>
      <section className="card doorway-card" aria-labelledby="doorway-title">
        <header>
          <h1 id="doorway-title">{title}</h1>
          {text === undefined ? null : <p className="soft">{text}</p>}
        </header>
        {children}
      </section>
      {foot === undefined ? null : <p className="doorway-foot">{foot}</p>}
    </main>
  );
}
