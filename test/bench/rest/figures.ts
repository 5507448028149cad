import { type Figure, median } from '../report.ts';
import type { Measurement } from './load.ts';
import { ratio } from './table.ts';
import { names } from './targets.ts';

const stores = ['mongodb', 'redis', 'nats'];

interface Others {
  readonly half: Measurement;
  readonly postCpuMs: number;
  readonly idleMb: readonly (readonly [name: string, mb: number])[];
}

/** The figures of a run, each with its target value. */
export function figuresOf(results: ReadonlyMap<string, readonly Measurement[]>, { half, postCpuMs, idleMb }: Others): Figure[] {
  const of = (name: string) => results.get(name) ?? [];
  const own = idleMb.filter(([name]) => !stores.includes(name)).map(([, mb]) => mb);
  return [
    ['full path without a store read ÷ bare Express', ratio(of(names.path), of(names.express)), '≥ 0.6'],
    ['GET one project ÷ bare Express', ratio(of(names.one), of(names.express)), '≥ 0.35'],
    ["GET one project ÷ Parse Server's", ratio(of(names.one), of(names.parseOne)), '≥ 2 (stretch 4)'],
    ["GET 50 projects ÷ Parse Server's", ratio(of(names.list), of(names.parseList)), '≥ 1.5'],
    ["GET 50 projects ÷ Parse Server's with the count", ratio(of(names.list), of(names.parseListCount)), ''],
    ["POST client ÷ Parse Server's POST", ratio(of(names.post), of(names.parsePost)), '≥ 1.3'],
    ['CPU of all processes for a POST and what it causes, ms', postCpuMs, ''],
    ['multiplexed ÷ plain unary, no store read', ratio(of(names.path), of(names.pathUnary)), ''],
    ['multiplexed ÷ plain unary, GET one project', ratio(of(names.one), of(names.oneUnary)), ''],
    ['own gateway CPU of GET one project, µs', median(of(names.one).map(({ ownCpuMicros }) => ownCpuMicros)), '≤ 160'],
    [`p99 of GET one project at half load (${Math.round(half.requestsPerSecond)}/s), ms`, half.p99Ms, '≤ 20'],
    ['largest idle service, MB', Math.max(...own), '≤ 120'],
    ['whole platform idle, MB', idleMb.reduce((sum, [, mb]) => sum + mb, 0), '≤ 1300'],
  ];
}
