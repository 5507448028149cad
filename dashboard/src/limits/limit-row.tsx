import { Label, Meter } from 'react-aria-components';
import type { Schemas } from '../api/client.ts';
import { formatBytes } from '../components/content/format-bytes.ts';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const number = new Intl.NumberFormat(language);
const names: Readonly<Record<string, string | undefined>> = texts.limits.names;

/** The title of a limit, and the notation of its amounts. A limit without a text of its own has the API's words. */
const amountOf = ({ name, unit }: Schemas['Limit']) => ({
  title: names[name] ?? `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`,
  shown: unit.startsWith('bytes') ? formatBytes : number.format,
});

const t = texts.limits;
/** From this share on, the row warns. */
const warningShare = 0.8;

/** A limit in words and as a bar. When little or nothing is left it says what to do. */
export function LimitRow({ limit: row }: { limit: Schemas['Limit'] }) {
  const { unit, limit, used } = row;
  const { title, shown } = amountOf(row);
  if (used === null) {
    return (
      <li className="limit">
        <span className="limit-name">{title}</span>
        <span className="limit-use">{t.upTo({ limit: shown(limit) })}</span>
        {unit.endsWith(' a minute') ? null : <p className="small soft">{t.notKnown}</p>}
      </li>
    );
  }
  const state = stateOf(used, limit);
  return (
    <li>
      <Meter
        className={`limit ${state}`}
        value={state === 'full' ? 1 : used}
        maxValue={state === 'full' ? 1 : limit}
        valueLabel={t.use({ used: shown(used), limit: shown(limit) })}
      >
        {({ valueText, percentage }) => (
          <>
            <Label className="limit-name">{title}</Label>
            <span className="limit-use">{valueText}</span>
            <div className="limit-bar">{percentage === 0 ? null : <div style={{ width: `${percentage}%` }} />}</div>
            {state === 'full' ? <p className="small">{unit.endsWith(' a day') ? t.fullDay : t.full}</p> : null}
            {state === 'near' ? <p className="small">{t.near({ left: shown(limit - used) })}</p> : null}
          </>
        )}
      </Meter>
    </li>
  );
}

/** A limit of 0, or one that was lowered below what is used, is full. */
function stateOf(used: number, limit: number): 'full' | 'near' | 'room' {
  if (used >= limit) return 'full';
  return used >= limit * warningShare ? 'near' : 'room';
}
