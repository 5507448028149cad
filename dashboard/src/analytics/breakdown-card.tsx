import { useState } from 'react';
import { Button, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { Card } from '../components/layout/card.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';
import type { FilterName } from './analytics-query.ts';

const t = texts.analytics;
const format = new Intl.NumberFormat(language);

interface Row {
  readonly name: string;
  readonly views: number;
  readonly visitors: number;
}

export interface List {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** The filter that a click on a row sets. */
  readonly filter: FilterName;
  /** The count by which the rows are ordered. */
  readonly by: 'views' | 'visitors';
}

interface Props {
  readonly title: string;
  readonly lists: readonly List[];
  readonly note?: string;
  readonly onFilter: (filter: FilterName, name: string) => void;
}

/** What visits have in common, by one of several lists. A click on a row shows only its visits. */
export function BreakdownCard({ title, lists, note, onFilter }: Props) {
  const [chosen, setChosen] = useState(lists[0]?.id);
  const list = lists.find(({ id }) => id === chosen) ?? lists[0];
  const several = lists.length > 1;
  return (
    <Card
      title={title}
      actions={
        several ? (
          <ToggleButtonGroup
            className="list-choice"
            aria-label={title}
            disallowEmptySelection
            selectedKeys={[list?.id ?? '']}
            onSelectionChange={([id]) => setChosen(String(id))}
          >
            {lists.map(({ id, title: label }) => (
              <ToggleButton key={id} id={id}>
                {label}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        ) : null
      }
    >
      {list === undefined || list.rows.length === 0 ? (
        <p className="soft card-body">{t.nothing}</p>
      ) : (
        <Rows list={list} onFilter={onFilter} />
      )}
      {note === undefined ? null : <p className="soft list-note">{note}</p>}
    </Card>
  );
}

/** The bars are relative to the largest count by which the rows are ordered. */
function Rows({ list: { rows, by, filter, title }, onFilter }: { list: List; onFilter: Props['onFilter'] }) {
  const max = Math.max(1, ...rows.map((row) => row[by]));
  return (
    <div className="card-body">
      <p className="bars-head" aria-hidden>
        <span>{title}</span>
        <span>{t.counts.visitors}</span>
        <span>{t.counts.views}</span>
      </p>
      <ol className="bars filters">
        {rows.map((row) => (
          <li key={row.name}>
            <svg aria-hidden="true">
              <rect width={`${(row[by] / max) * 100}%`} height="100%" rx="5" />
            </svg>
            <Button
              onPress={() => onFilter(filter, row.name)}
              aria-label={t.only({
                filter: t.filterNames[filter],
                name: shownName(filter, row.name),
                visitors: row.visitors,
                views: row.views,
              })}
            >
              <span title={row.name}>{shownName(filter, row.name)}</span>
              {(['visitors', 'views'] as const).map((count) => (
                <span key={count} className={count === by ? 'number' : 'number soft'}>
                  {format.format(row[count])}
                </span>
              ))}
            </Button>
          </li>
        ))}
      </ol>
    </div>
  );
}

const regions = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });

/** A name as people write it. */
export function shownName(filter: FilterName, name: string): string {
  if (filter === 'country') return /^[A-Z]{2}$/.test(name) ? (regions.of(name) ?? name) : name;
  if (filter === 'device') return t.deviceNames[name as keyof typeof t.deviceNames] ?? name;
  return filter === 'referrer' && name === 'direct' ? t.direct : name;
}
