import { Counter, type CounterConfiguration, Gauge, type GaugeConfiguration, Histogram, type HistogramConfiguration } from 'prom-client';

/** A counter in the process's registry, shown under /metrics. */
export const counter = <L extends string>(configuration: CounterConfiguration<L>): Counter<L> => new Counter(configuration);

/** A gauge in the process's registry, shown under /metrics. */
export const gauge = <L extends string>(configuration: GaugeConfiguration<L>): Gauge<L> => new Gauge(configuration);

/** A histogram in the process's registry, shown under /metrics. */
export const histogram = <L extends string>(configuration: HistogramConfiguration<L>): Histogram<L> => new Histogram(configuration);
