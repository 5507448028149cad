import { language } from '../../texts/language.ts';

const format = new Intl.NumberFormat(language);

interface Props {
  readonly label: string;
  readonly value: number | string | undefined;
  /** A second line below the value. */
  readonly note?: string;
}

/** A labelled number, or a text for one; a dash until it is loaded. */
export function Stat({ label, value, note }: Props) {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd>{typeof value === 'number' ? format.format(value) : (value ?? '–')}</dd>
      {note === undefined ? null : <dd className="stat-note">{note}</dd>}
    </div>
  );
}
