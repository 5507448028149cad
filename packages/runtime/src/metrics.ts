import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Counter, type CounterConfiguration, Gauge, type GaugeConfiguration, Histogram, type HistogramConfiguration } from 'prom-client';

/** A counter in the process's registry, shown under /metrics. */
export const counter = <L extends string>(configuration: CounterConfiguration<L>): Counter<L> => new Counter(configuration);

/** A gauge in the process's registry, shown under /metrics. */
export const gauge = <L extends string>(configuration: GaugeConfiguration<L>): Gauge<L> => new Gauge(configuration);

/** A histogram in the process's registry, shown under /metrics. */
export const histogram = <L extends string>(configuration: HistogramConfiguration<L>): Histogram<L> => new Histogram(configuration);

/** The version of the program that runs: that of the nearest package.json above it which has one. */
export function version(): string {
  for (let folder = path.dirname(process.argv[1] ?? ''); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json');
    const stated = existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string }).version : undefined;
    if (stated !== undefined) return stated;
    if (folder === path.dirname(folder)) return 'unknown';
  }
}

/** Shows in the metrics which release this process is of. */
export function showRelease(): void {
  const info = gauge({ name: 'webkiln_build_info', help: 'Always 1; the label has the release of this process', labelNames: ['version'] });
  info.set({ version: version() }, 1);
}
