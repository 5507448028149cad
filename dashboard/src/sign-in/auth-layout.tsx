import { type ReactNode, useEffect, useState } from 'react';
import { BrandMark } from '../brand/brand-mark.tsx';
import { rememberedBrand } from '../brand/remembered.ts';
import { useLook } from '../brand/use-look.ts';
import { Mark } from '../components/mark.tsx';
import { texts } from '../texts.ts';
import '../styles/sign-in.css';

interface Props {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
  /** It is for members alone: never an agency's, whoever was signed in last. */
  readonly isOurs?: boolean;
}

/** The page of those who are not signed in yet. */
export function Doorway({ title, text, children, foot, isOurs = false }: Props) {
  const [brand] = useState(() => (isOurs ? null : rememberedBrand()));
  const product = brand?.name ?? texts.product;
  useLook(brand);
  useEffect(() => {
    document.title = texts.documentTitle(title, product);
  }, [title, product]);
  return (
    <main className="doorway">
      <div className="doorway-brand">
        {brand === null ? <Mark /> : <BrandMark name={brand.name} logo={brand.logo} />}
        {product}
      </div>
      <section className="card doorway-card" aria-labelledby="doorway-title">
        <header>
          <h1 id="doorway-title">{title}</h1>
          {text === undefined ? null : <p className="soft">{text}</p>}
        </header>
        {children}
      </section>
      {foot ? <p className="doorway-foot">{foot}</p> : null}
    </main>
  );
}
