import { generateSigningKey } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { bundledProgram } from '../../../../tools/dev-platform/src/platform/bundle.ts';

interface AnalyticsProcess extends Pick<ServiceProcess, 'kill' | 'stop'> {
  /** The port that accepts views. */
  readonly port: number;
  /** Sums up the metric lines that match. */
  sumMetric(metric: RegExp): Promise<number>;
}

const { publicKey, privateKey } = generateSigningKey();
const unreachable = '127.0.0.1:9';

/** Runs analytics' main.ts as a process without MongoDB and other services, and waits until it is ready. */
export async function startAnalytics(natsUrl: string): Promise<AnalyticsProcess> {
  const { ports, kill, stop } = await startProcess(await bundledProgram('services/analytics/src/main.ts'), {
    LOG_LEVEL: 'error',
    HTTP_PORT: '0',
    NATS_URL: natsUrl,
    MONGODB_URL: `mongodb://${unreachable}/?replicaSet=none`,
    PROJECTS_TEMPLATES_ADDRESS: unreachable,
    IDENTITY_ADDRESS: unreachable,
    PRINCIPAL_TRUSTED_KEYS: `gateway:${publicKey}`,
    PRINCIPAL_SIGNING_KEY: privateKey,
    SITES_ORIGIN: 'https://sites.test',
    VIEWS_PER_ADDRESS: '1000000',
  });
  const sumMetric = async (metric: RegExp) => {
    const lines = (await (await fetch(`http://127.0.0.1:${ports.internal}/metrics`)).text()).split('\n');
    return lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return { port: ports.http ?? 0, sumMetric, kill, stop };
}
