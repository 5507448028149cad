import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, type TooltipContentProps, XAxis, YAxis } from 'recharts';
import './day-chart.css';

export interface DayCounts {
  /** One for each UTC day, oldest first. */
  readonly days: readonly { readonly date: string; readonly count: number }[];
  /** What is counted, as in "Views by day". */
  readonly caption: string;
  /** A count in words, as in "3 views". */
  readonly spoken: (count: number) => string;
}

const height = 240;
const axisWidth = 44;
const barRadius: [number, number, number, number] = [3, 3, 0, 0];
const barMost = 28;
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const dayOf = (date: string) => day.format(new Date(date));

/** A bar for each day. The same figures stand in a table for those who do not see the drawing. */
export function DayChart({ days, caption, spoken }: DayCounts) {
  return (
    <figure className="day-chart">
      <div aria-hidden>
        <ResponsiveContainer width="100%" height={height}>
          <BarChart data={[...days]} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} />
            <XAxis dataKey="date" tickFormatter={dayOf} tickLine={false} axisLine={false} minTickGap={48} tickMargin={8} />
            <YAxis tickFormatter={short.format} tickLine={false} axisLine={false} width={axisWidth} allowDecimals={false} />
            <Tooltip content={(pointed) => <PointedAt {...pointed} spoken={spoken} />} cursor={false} isAnimationActive={false} />
            <Bar dataKey="count" radius={barRadius} maxBarSize={barMost} isAnimationActive={false} />
          </BarChart>
        </ResponsiveContainer>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{caption}</caption>
          <tbody>
            {days.map(({ date, count }) => (
              <tr key={date} data-date={date} data-count={count}>
                <th scope="row">{dayOf(date)}</th>
                <td>{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function PointedAt({ active, payload, label, spoken }: TooltipContentProps & Pick<DayCounts, 'spoken'>) {
  if (!active) return null;
  return (
    <div className="chart-tip">
      <strong>{spoken(Number(payload[0]?.value ?? 0))}</strong>
      <span className="soft">{dayOf(String(label))}</span>
    </div>
  );
}
