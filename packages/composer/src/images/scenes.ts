import type { ImageStyle } from '../themes/theme.ts';
import { place } from './svg.ts';

interface Scene {
  readonly width: number;
  readonly height: number;
  readonly motif: readonly string[];
  /** Numbers from 0 to 1, seeded. */
  readonly random: () => number;
}

const round = (value: number) => Math.round(value * 10) / 10;
const rect = (tone: string, x: number, y: number, width: number, height: number) =>
  `<rect class="${tone}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/>`;
const circle = (tone: string, x: number, y: number, radius: number, more = '') =>
  `<circle class="${tone}" cx="${round(x)}" cy="${round(y)}" r="${round(radius)}"${more}/>`;
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A line of hills from left to right, filled down to the bottom. */
function hill(tone: string, { width, height, random }: Scene, top: number): string {
  const step = width / 4;
  const heights = range(5).map(() => round(top + (random() - 0.5) * height * 0.14));
  const curve = heights.slice(1).map((y, at) => `S${round((at + 0.6) * step)} ${y} ${round((at + 1) * step)} ${y}`);
  return `<path class="${tone}" d="M0 ${heights[0]}${curve.join('')}V${height}H0z"/>`;
}

/** A quarter, a half or a whole disc, or a bar, in a square cell. */
function cell({ random, motif }: Scene, x: number, y: number, side: number): string {
  const tones = ['a', 'b', 'd', 'g'];
  const ground = rect(tones[Math.floor(random() * 4)] ?? 'g', x, y, side, side);
  const front = tones[Math.floor(random() * 4)] ?? 'a';
  const turn = `transform="rotate(${Math.floor(random() * 4) * 90} ${round(x + side / 2)} ${round(y + side / 2)})"`;
  const form = Math.floor(random() * 5);
  if (form === 0)
    return `${ground}<path class="${front}" ${turn} d="M${round(x)} ${round(y)}h${round(side)}a${round(side)} ${round(side)} 0 01-${round(side)} ${round(side)}z"/>`;
  if (form === 1) return `${ground}${circle(front, x + side / 2, y + side / 2, side * 0.36)}`;
  if (form === 2)
    return `${ground}<path class="${front}" ${turn} d="M${round(x)} ${round(y)}h${round(side)}l-${round(side)} ${round(side)}z"/>`;
  if (form === 3)
    return `${rect('g', x, y, side, side)}${place(motif, { x: round(x + side / 2), y: round(y + side / 2), size: round(side * 0.72) })}`;
  return `${ground}${range(3)
    .map((at) => rect(front, x, y + (at * side) / 3 + side / 12, side, side / 6))
    .join('')}`;
}

type Draw = (scene: Scene) => string;

export const scenes: Readonly<Record<ImageStyle, Draw>> = {
  still: (scene) => {
    const { width, height, motif, random } = scene;
    const [x, side] = [width * (0.36 + random() * 0.28), Math.min(width, height)];
    return `${rect('g', 0, 0, width, height)}${circle('d', x, height * 0.42, side * 0.4)}${rect('p', 0, height * 0.8, width, height * 0.2)}
${rect('b', 0, height * 0.8, width, 2)}${place(motif, { x: round(x), y: round(height * 0.54), size: round(side * 0.62) })}`;
  },
  bauhaus: (scene) => {
    const rows = 3;
    const side = scene.height / rows;
    const columns = Math.ceil(scene.width / side);
    return range(rows * columns)
      .map((at) => cell(scene, (at % columns) * side, Math.floor(at / columns) * side, side))
      .join('\n');
  },
  line: ({ width, height, motif, random }) => {
    const [x, y] = [width / 2, height * (0.5 + (random() - 0.5) * 0.06)];
    const side = Math.min(width, height);
    const rings = range(7).map((at) => circle('l', x, y, side * (0.28 + at * 0.075), ' stroke-width="1"'));
    return `${rect('g', 0, 0, width, height)}${rings.join('')}${place(motif, { x, y: round(y), size: round(side * 0.4), stroke: 0.7 })}`;
  },
  poster: ({ width, height, motif, random }) => {
    const side = Math.max(width, height);
    const rays = range(18).map(
      (at) =>
        `<path class="d" transform="rotate(${at * 20} ${width / 2} ${height / 2})" d="M${width / 2} ${height / 2}l-${round(side * 0.09)} -${side}h${round(side * 0.18)}z"/>`,
    );
    return `${rect('g', 0, 0, width, height)}${rays.join('')}${circle('p', width / 2, height / 2, Math.min(width, height) * 0.46)}
${place(motif, { x: width / 2, y: height / 2, size: round(Math.min(width, height) * 0.72), turn: Math.round((random() - 0.5) * 16) })}`;
  },
  arch: ({ width, height, motif, random }) => {
    const middle = width * (0.44 + random() * 0.12);
    const arches = ['d', 'g', 'p'].map((tone, at) => {
      const half = Math.min(width, height) * (0.46 - at * 0.07);
      return `<path class="${tone}" d="M${round(middle - half)} ${height}V${round(height * 0.52)}a${round(half)} ${round(half)} 0 01${round(half * 2)} 0V${height}z"/>`;
    });
    return `${rect('g', 0, 0, width, height)}${arches.join('')}${circle('a', width * 0.84, height * 0.18, height * 0.06)}
${place(motif, { x: round(middle), y: round(height * 0.68), size: round(Math.min(width, height) * 0.5) })}`;
  },
  blueprint: ({ width, height, motif, random }) => {
    const grid = [
      ...range(Math.floor(width / 40)).map((at) => `M${at * 40} 0V${height}`),
      ...range(Math.floor(height / 40)).map((at) => `M0 ${at * 40}H${width}`),
    ];
    const [x, y, size] = [width / 2, height / 2, Math.min(width, height) * (0.54 + random() * 0.08)];
    const [left, right, low] = [x - size / 2, x + size / 2, y + size * 0.6].map(round) as [number, number, number];
    return `${rect('p', 0, 0, width, height)}<path class="l" stroke-width="1" d="${grid.join('')}"/>
${place(motif, { x, y, size: round(size), stroke: 1.1 })}<path class="k" stroke-width="2" d="M${left} ${low}H${right}M${left} ${low - 10}v20M${right} ${low - 10}v20"/>`;
  },
  blobs: ({ width, height, motif, random }) => {
    const dots = range(14).map(() => circle(random() > 0.5 ? 'a' : 'b', random() * width, random() * height, 4 + random() * 9));
    const blob = range(3).map((at) =>
      circle('d', width * (0.34 + at * 0.16), height * (0.4 + random() * 0.24), Math.min(width, height) * 0.3),
    );
    return `${rect('g', 0, 0, width, height)}${dots.join('')}${blob.join('')}
${place(motif, { x: width / 2, y: height / 2, size: round(Math.min(width, height) * 0.6), turn: Math.round((random() - 0.5) * 20) })}`;
  },
  glow: ({ width, height, motif, random }) => {
    const lights = range(9).map((at) =>
      circle('a', width * (0.3 + random() * 0.02), height * 0.4, (9 - at) * height * 0.075, ' opacity=".09"'),
    );
    const others = range(7).map((at) => circle('d', width * 0.74, height * 0.62, (7 - at) * height * 0.07, ' opacity=".16"'));
    return `${rect('p', 0, 0, width, height)}${lights.join('')}${others.join('')}
${place(motif, { x: width / 2, y: height / 2, size: round(Math.min(width, height) * 0.5), stroke: 1.4 })}`;
  },
  calm: (scene) => {
    const { width, height, motif } = scene;
    const side = Math.min(width, height);
    return `${rect('g', 0, 0, width, height)}${hill('d', scene, height * 0.62)}${hill('p', scene, height * 0.82)}${circle('c', width / 2, height * 0.46, side * 0.34)}
${place(motif, { x: width / 2, y: round(height * 0.46), size: round(side * 0.46) })}`;
  },
  hills: (scene) => {
    const { width, height, motif, random } = scene;
    const layers = [0.5, 0.64, 0.8].map((top, at) => hill(['d', 'a', 'b'][at] ?? 'a', scene, height * top));
    const x = round(width * (0.3 + random() * 0.4));
    return `${rect('g', 0, 0, width, height)}${circle('p', width * 0.78, height * 0.24, height * 0.12)}${layers.slice(0, 2).join('')}
${place(motif, { x, y: round(height * 0.5), size: round(height * 0.5) })}${layers[2]}`;
  },
};
