import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type ProcessName, processes } from '@webkiln/messages';
import { internalPorts } from '../development/development-platform.ts';

const timeoutMs = 5_000;
const processNames = Object.keys(processes) as ProcessName[];

/** A line of /metrics. */
export interface Sample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What one process says of itself. */
export interface ProcessState {
  readonly name: string;
  /** "host:port" of its health checks. */
  readonly address: string;
  readonly state: 'ready' | 'not ready' | 'unreachable';
  /** Why it is not ready. */
  readonly reasons: readonly string[];
  readonly version: string | null;
  readonly samples: readonly Sample[];
}

/**
 * Asks every process, each replica by itself. With `port` a process is at its own name, or where
 * `<PROCESS>_INTERNAL_ADDRESS` says; without, it is one of the platform in `DATA_DIR`.
 */
export async function askProcesses(port: number | undefined): Promise<ProcessState[]> {
  const places = port === undefined ? internalPorts().map((each) => ({ ...each, host: '127.0.0.1' })) : await replicas(port);
  return Promise.all(places.map(askProcess));
}

interface Place {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

const replicas = async (port: number): Promise<Place[]> =>
  (
    await Promise.all(
      processNames.map(async (name) => {
        const [, host = name, own = port] = /^\[?(.+?)\]?:(\d+)$/.exec(process.env[internalSetting(name)] ?? '') ?? [];
        // A name without an address is asked all the same: it does not answer, and that is what there is to say.
        const addresses = await lookup(host, { all: true }).catch(() => [{ address: host }]);
        return addresses.map(({ address }) => ({ name, host: address, port: Number(own) }));
      }),
    )
  ).flat();

export const internalSetting = (name: ProcessName) => `${name.toUpperCase().replaceAll('-', '_')}_INTERNAL_ADDRESS`;

async function askProcess({ name, host, port }: Place): Promise<ProcessState> {
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const get = (path: string) => fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(timeoutMs) });
  try {
    const [readiness, metrics] = await Promise.all([get('/readyz'), get('/metrics')]);
    const samples = samplesIn(await metrics.text());
    const version = samples.find(({ metric }) => metric === 'webkiln_build_info')?.labels.version ?? null;
    const reasons = readiness.ok ? [] : (await readiness.text()).trim().split('\n');
    return { name, address, state: readiness.ok ? 'ready' : 'not ready', reasons, version, samples };
  } catch {
    return { name, address, state: 'unreachable', reasons: [], version: null, samples: [] };
  }
}

/** The samples of a text in Prometheus' format. */
const samplesIn = (text: string): Sample[] =>
  [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, metric = '', labels = '', value]) => ({
    metric,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', text = '']) => [name, text])),
    value: Number(value),
  }));
