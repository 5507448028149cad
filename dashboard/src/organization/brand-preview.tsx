import type { CSSProperties } from 'react';
import type { Brand } from '../brand/brand.ts';
import { BrandLogo } from '../brand/brand-logo.tsx';
import { brandTokens } from '../brand/brand-tokens.ts';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';
import '../styles/brand.css';

const t = texts.organization;

interface Props {
  readonly brand: Brand;
  /** The sender name of mails. */
  readonly sender: string;
}

/** Previews the brand as clients see it: in light and dark theme, and in the mailbox. */
export function BrandPreview({ brand, sender }: Props) {
  const style = (brand.accent === null ? {} : brandTokens(brand.accent)) as CSSProperties;
  return (
    <Card title={t.preview}>
      <div className="brand-preview">
        {(['light', 'dark'] as const).map((scheme) => (
          <figure key={scheme} className="preview-pane" data-theme={scheme} style={style} aria-label={t.previewOf[scheme]}>
            <div className="preview-head">
              <BrandLogo name={brand.name} logo={brand.logo} />
              <strong>{brand.name}</strong>
            </div>
            <p className="soft">{t.previewText}</p>
            <p>
              <span className="link">{t.previewLink}</span>
            </p>
            <span className="button primary">{t.previewButton}</span>
          </figure>
        ))}
        <figure className="preview-mail" aria-label={t.previewMail}>
          <span className="two-lines">
            <strong>{sender}</strong>
            <span>{t.previewSubject({ name: brand.name })}</span>
          </span>
        </figure>
      </div>
    </Card>
  );
}
