import { scaleBand, scaleLinear } from 'd3-scale';
import { type PointerEvent, useState } from 'react';
import { useWidth } from './use-width.ts';
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
const plot = { top: 8, bottom: 212, left: 44, right: 8 };
const barMost = 28;
const roundness = 3;
const gap = 0.2;
const ticks = 4;
const labelWidth = 72;
const tipWidth = 96;
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const dayOf = (date: string) => day.format(new Date(date));

/** A bar for each day. The same figures stand in a table for those who do not see the drawing. */
export function DayChart({ days, caption, spoken }: DayCounts) {
  return (
    <figure className="day-chart">
      <Drawing days={days} spoken={spoken} />
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

function Drawing({ days, spoken }: Omit<DayCounts, 'caption'>) {
  const { element, width } = useWidth<SVGSVGElement>();
  const [pointedAt, pointAt] = useState(-1);
  const dates = days.map(({ date }) => date);
  const most = Math.max(ticks, ...days.map(({ count }) => count));
  const x = scaleBand(dates, [plot.left, Math.max(plot.left, width - plot.right)]).padding(gap);
  const y = scaleLinear([0, most], [plot.bottom, plot.top]).nice(ticks);
  const barWidth = Math.min(barMost, x.bandwidth());
  const middle = (date: string) => (x(date) ?? 0) + x.bandwidth() / 2;
  const everyNth = Math.max(1, Math.ceil(labelWidth / x.step()));
  const pointed = days[pointedAt];
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) =>
    pointAt(Math.floor((clientX - currentTarget.getBoundingClientRect().left - plot.left) / x.step()));
  return (
    <div className="drawing">
      <svg ref={element} aria-hidden width="100%" height={height} onPointerMove={follow} onPointerLeave={() => pointAt(-1)}>
        {y.ticks(ticks).map((count) => (
          <g key={count}>
            <line x1={plot.left} x2={width - plot.right} y1={y(count)} y2={y(count)} />
            <text className="amount" x={plot.left - 8} y={y(count)}>
              {short.format(count)}
            </text>
          </g>
        ))}
        {dates.map((date, index) =>
          index % everyNth === 0 && middle(date) + labelWidth / 3 < width ? (
            <text key={date} x={middle(date)} y={height - 8}>
              {dayOf(date)}
            </text>
          ) : null,
        )}
        {days.map(({ date, count }, index) =>
          count === 0 || width === 0 ? null : (
            <path key={date} className={index === pointedAt ? 'pointed' : undefined} d={bar(middle(date), barWidth, y(count))} />
          ),
        )}
      </svg>
      {pointed === undefined ? null : (
        <div
          className="chart-tip"
          aria-hidden
          style={{ left: Math.min(Math.max(middle(pointed.date), tipWidth / 2), width - tipWidth / 2) }}
        >
          <strong>{spoken(pointed.count)}</strong>
          <span className="soft">{dayOf(pointed.date)}</span>
        </div>
      )}
    </div>
  );
}

/** A column round at its top, as the path of an SVG. */
function bar(middle: number, width: number, top: number): string {
  const round = Math.min(roundness, width / 2, plot.bottom - top);
  const corner = (down: 1 | -1) => `q${down === 1 ? `${round},0` : `0,${-round}`} ${round},${down * round}`;
  return `M${middle - width / 2},${plot.bottom}V${top + round}${corner(-1)}h${width - 2 * round}${corner(1)}V${plot.bottom}Z`;
}
