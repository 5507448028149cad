import type { CSSProperties } from 'react';
import type { Brand } from '../brand/brand.ts';
import { BrandMark } from '../brand/brand-mark.tsx';
import { lookOf } from '../brand/look.ts';
import { Card } from '../components/card.tsx';
import { texts } from '../texts.ts';
import '../styles/brand.css';

const own = texts.organization;

interface Props {
  readonly brand: Brand;
  /** Whom mails come from, by name. */
  readonly sender: string;
}

/** What a client of the organization sees of it, by day and by night, and in the mailbox. */
export function BrandPreview({ brand, sender }: Props) {
  const look = (brand.accent === null ? {} : lookOf(brand.accent)) as CSSProperties;
  return (
    <Card title={own.preview}>
      <div className="brand-preview">
        {(['light', 'dark'] as const).map((scheme) => (
          <figure key={scheme} className="preview-pane" data-theme={scheme} style={look} aria-label={own.previewOf[scheme]}>
            <div className="preview-head">
              <BrandMark name={brand.name} logo={brand.logo} />
              <strong>{brand.name}</strong>
            </div>
            <p className="soft">{own.previewText}</p>
            <p>
              <span className="link">{own.previewLink}</span>
            </p>
            <span className="button primary">{own.previewButton}</span>
          </figure>
        ))}
        <figure className="preview-mail" aria-label={own.previewMail}>
          <span className="two-lines">
            <strong>{sender}</strong>
            <span>{own.previewSubject(brand.name)}</span>
          </span>
        </figure>
      </div>
    </Card>
  );
}
