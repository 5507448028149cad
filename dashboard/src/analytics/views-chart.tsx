import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, type TooltipContentProps, XAxis, YAxis } from 'recharts';
import { texts } from '../texts.ts';
import type { Analytics } from './analytics-query.ts';
import './views-chart.css';

const height = 240;
const axisWidth = 44;
const barRadius: [number, number, number, number] = [3, 3, 0, 0];
const barMost = 28;
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const dayOf = (date: string) => day.format(new Date(date));

/** Views by day. The same figures stand in a table for those who do not see the drawing. */
export function ViewsChart({ dailyViews }: Pick<Analytics, 'dailyViews'>) {
  return (
    <figure className="views-chart">
      <div aria-hidden>
        <ResponsiveContainer width="100%" height={height}>
          <BarChart data={dailyViews} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} />
            <XAxis dataKey="date" tickFormatter={dayOf} tickLine={false} axisLine={false} minTickGap={48} tickMargin={8} />
            <YAxis tickFormatter={short.format} tickLine={false} axisLine={false} width={axisWidth} allowDecimals={false} />
            <Tooltip content={PointedAt} cursor={false} isAnimationActive={false} />
            <Bar dataKey="views" radius={barRadius} maxBarSize={barMost} isAnimationActive={false} />
          </BarChart>
        </ResponsiveContainer>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{texts.analytics.chart}</caption>
          <tbody>
            {dailyViews.map(({ date, views }) => (
              <tr key={date} data-date={date} data-views={views}>
                <th scope="row">{dayOf(date)}</th>
                <td>{views}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function PointedAt({ active, payload, label }: TooltipContentProps) {
  if (!active) return null;
  return (
    <div className="chart-tip">
      <strong>{texts.analytics.viewsCount(Number(payload[0]?.value ?? 0))}</strong>
      <span className="soft">{dayOf(String(label))}</span>
    </div>
  );
}
