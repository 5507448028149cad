import { Card } from '../components/layout/card.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly views: number }[];
}

const format = new Intl.NumberFormat(language);

/** Names with their views. The bars are relative to the largest count. */
export function TopList({ title, rows }: Props) {
  const maxViews = Math.max(1, ...rows.map(({ views }) => views));
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <p className="soft card-body">{texts.analytics.nothing}</p>
      ) : (
        <ol className="bars card-body">
          {rows.map(({ name, views }) => (
            <li key={name}>
              <svg aria-hidden="true">
                <rect width={`${(views / maxViews) * 100}%`} height="100%" rx="5" />
              </svg>
              <span title={name}>{name}</span>
              <span className="number">{format.format(views)}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
