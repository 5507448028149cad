import { type ReactNode, useEffect, useState } from 'react';
import type { Brand } from '../brand/brand.ts';
import { BrandLogo } from '../brand/brand-logo.tsx';
import logo from '../brand/logo.svg';
import { loadRememberedBrand } from '../brand/remembered-brand.ts';
import { useBrandStyles } from '../brand/use-brand-styles.ts';
import { texts } from '../texts.ts';
import '../styles/sign-in.css';

interface Props {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  /** Shows our brand even after a client signed in here, because the page is only for members. */
  readonly ignoresBrand?: boolean;
  /** The agency whose link is open; its brand comes before a remembered one. */
  readonly agency?: Brand | null;
}

/** The frame of the pages before sign-in. */
export function AuthLayout({ title, text, children, footer, ignoresBrand = false, agency = null }: Props) {
  const [remembered] = useState(() => (ignoresBrand ? null : loadRememberedBrand()));
  const brand = agency ?? remembered;
  const product = brand?.name ?? texts.product;
  useBrandStyles(brand);
  useEffect(() => {
    document.title = texts.documentTitle({ title, product });
  }, [title, product]);
  return (
    <main className="auth-layout">
      <div className="auth-brand">
        {brand === null ? <img src={logo} width={28} height={28} alt="" /> : <BrandLogo name={brand.name} logo={brand.logo} />}
        {product}
      </div>
      <section className="card auth-card" aria-labelledby="auth-title">
        <header>
          <h1 id="auth-title">{title}</h1>
          {text === undefined ? null : <p className="soft">{text}</p>}
        </header>
        {children}
      </section>
      {footer ? <p className="auth-footer">{footer}</p> : null}
    </main>
  );
}
