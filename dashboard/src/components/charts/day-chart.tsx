import { scaleBand, scaleLinear } from 'd3-scale';
import { type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import './day-chart.css';
import { language } from '../../texts/language.ts';

interface Counted {
  readonly date: string;
  readonly count: number;
  /** A second count of the same time, drawn as a narrower bar in front. */
  readonly other?: number;
}

export interface DayCounts {
  /** One entry per UTC day or month, oldest first. */
  readonly days: readonly Counted[];
  /** A name for what is counted: "Views by day". */
  readonly caption: string;
  /** Formats a count with its unit: "3 views". */
  readonly formatCount: (values: { readonly count: number }) => string;
  /** Formats a date, by default as a day: "Mar 3". */
  readonly formatDay?: (date: string) => string;
  /** What `count` and `other` are. */
  readonly names?: readonly [string, string];
}

const height = 240;
const plot = { top: 8, bottom: 212, left: 44, right: 8 };
const maxBarWidth = 28;
const roundness = 3;
const gap = 0.2;
const ticks = 4;
const labelWidth = 72;
const tipWidth = 96;
const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const short = new Intl.NumberFormat(language, { notation: 'compact' });
const dayOf = (date: string) => day.format(new Date(date));

/** A bar per day, or two. A visually hidden table has the same data for screen readers. */
export function DayChart({ days, caption, formatCount, formatDay = dayOf, names }: DayCounts) {
  return (
    <figure className="day-chart">
      {names === undefined ? null : (
        <figcaption className="chart-legend" aria-hidden>
          <span>{names[0]}</span>
          <span className="other">{names[1]}</span>
        </figcaption>
      )}
      <BarChart days={days} formatCount={formatCount} formatDay={formatDay} {...(names === undefined ? {} : { names })} />
      <div className="visually-hidden">
        <table>
          <caption>{caption}</caption>
          {names === undefined ? null : (
            <thead>
              <tr>
                <td />
                <th scope="col">{names[0]}</th>
                <th scope="col">{names[1]}</th>
              </tr>
            </thead>
          )}
          <tbody>
            {days.map(({ date, count, other }) => (
              <tr key={date} data-date={date} data-count={count}>
                <th scope="row">{formatDay(date)}</th>
                <td>{formatCount({ count })}</td>
                {other === undefined ? null : <td>{formatCount({ count: other })}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function BarChart({ days, formatCount, formatDay, names }: Omit<DayCounts, 'caption'> & { formatDay: (date: string) => string }) {
  const { element, width } = useWidth<SVGSVGElement>();
  const [hoveredIndex, setHoveredIndex] = useState(-1);
  const dates = days.map(({ date }) => date);
  const maxCount = Math.max(ticks, ...days.map(({ count, other = 0 }) => Math.max(count, other)));
  const x = scaleBand(dates, [plot.left, Math.max(plot.left, width - plot.right)]).padding(gap);
  const y = scaleLinear([0, maxCount], [plot.bottom, plot.top]).nice(ticks);
  const barWidth = Math.min(maxBarWidth, x.bandwidth());
  const middle = (date: string) => (x(date) ?? 0) + x.bandwidth() / 2;
  const everyNth = Math.max(1, Math.ceil(labelWidth / x.step()));
  const hovered = days[hoveredIndex];
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) =>
    setHoveredIndex(Math.floor((clientX - currentTarget.getBoundingClientRect().left - plot.left) / x.step()));
  return (
    <div className="drawing">
      <svg ref={element} aria-hidden width="100%" height={height} onPointerMove={follow} onPointerLeave={() => setHoveredIndex(-1)}>
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
              {formatDay(date)}
            </text>
          ) : null,
        )}
        {days.map(({ date, count }, index) =>
          count === 0 || width === 0 ? null : (
            <path key={date} className={index === hoveredIndex ? 'pointed' : undefined} d={bar(middle(date), barWidth, y(count))} />
          ),
        )}
        {days.map(({ date, other = 0 }) =>
          other === 0 || width === 0 ? null : <path key={date} className="other" d={bar(middle(date), barWidth / 2, y(other))} />,
        )}
      </svg>
      {hovered === undefined ? null : (
        <div
          className="chart-tip"
          aria-hidden
          style={{ left: Math.min(Math.max(middle(hovered.date), tipWidth / 2), width - tipWidth / 2) }}
        >
          <strong>{formatCount(hovered)}</strong>
          {names === undefined || !hovered.other ? null : <span>{`${names[1]} ${formatCount({ count: hovered.other })}`}</span>}
          <span className="soft">{formatDay(hovered.date)}</span>
        </div>
      )}
    </div>
  );
}

/** The SVG path of a bar with a rounded top. */
function bar(middle: number, width: number, top: number): string {
  const round = Math.min(roundness, width / 2, plot.bottom - top);
  const corner = (down: 1 | -1) => `q${down === 1 ? `${round},0` : `0,${-round}`} ${round},${down * round}`;
  return `M${middle - width / 2},${plot.bottom}V${top + round}${corner(-1)}h${width - 2 * round}${corner(1)}V${plot.bottom}Z`;
}

/** The width of an element in pixels; 0 before it is mounted. */
function useWidth<E extends Element>() {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
