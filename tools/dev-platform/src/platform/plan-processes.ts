import { type Listener, type ProcessName, serviceNames } from '@webkiln/messages';
import { isFree, type PortRegistry } from '../processes/port-registry.ts';
import { type Addresses, addressSettingOf, listenersOf, portSettings, processNames } from './process-table.ts';

/** A process to run: its name (in run.json and of its log) and its ports. */
export interface ProcessSpec {
  readonly name: string;
  readonly service: ProcessName;
  readonly ports: Readonly<Partial<Record<Listener, number>>>;
}

export interface ProcessPlan {
  readonly services: readonly ProcessSpec[];
  readonly gateways: readonly ProcessSpec[];
  /** The address of each service, here or elsewhere. */
  readonly addresses: Addresses;
}

export interface PlanOptions {
  /** The port of the first gateway. By default it is chosen from 20000 to 29999, as for every other listener. */
  readonly port?: number;
  readonly gateways?: number;
  /** Processes of each other service, or of those that it names; 1 by default. */
  readonly replicas?: number | Partial<Readonly<Record<ProcessName, number>>>;
  /** The services to run; by default all. */
  readonly services?: readonly ProcessName[];
  /** Settings of the processes, and the addresses of stores and services that run elsewhere. */
  readonly env: NodeJS.ProcessEnv;
}

/** Another program uses the port that the settings name. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** Plans the processes to run here. A service runs elsewhere if the settings name all of its addresses. */
export async function planProcesses(
  { port, gateways = 1, replicas = 1, services = processNames, env }: PlanOptions,
  registry: PortRegistry,
): Promise<ProcessPlan> {
  const addresses: Partial<Addresses> = {};
  const here: ProcessSpec[] = [];
  for (const service of serviceNames) {
    const own: ProcessSpec[] = [];
    for (const name of numbered(service, typeof replicas === 'number' ? replicas : (replicas[service] ?? 1)))
      own.push({ name, service, ports: await portsFor(name, service, registry) });
    const found = listenersOf(service).map((listener) => ({ listener, address: addressSettingOf(service, listener) }));
    for (const { listener, address } of found) {
      addresses[address] = env[address] || own.map(({ ports }) => `127.0.0.1:${ports[listener]}`).join(',');
    }
    if (found.some(({ address }) => !env[address]) && services.includes(service)) here.push(...own);
  }
  if (port !== undefined && !(await isFree(port, undefined))) {
    throw new PortTaken(`Port ${port} is taken by another program: set PORT to a free one, as in PORT=${port + 1} npm start.`);
  }
  const gatewaySpecs: ProcessSpec[] = [];
  for (const name of services.includes('gateway') ? numbered('gateway', gateways) : []) {
    gatewaySpecs.push({
      name,
      service: 'gateway',
      ports: { public: (gatewaySpecs.length === 0 && port) || (await registry.portFor(name)) },
    });
  }
  return { services: here, gateways: gatewaySpecs, addresses: addresses as Addresses };
}

async function portsFor(name: string, service: ProcessName, registry: PortRegistry): Promise<ProcessSpec['ports']> {
  const ports: Partial<Record<Listener, number>> = {};
  const [first, ...others] = listenersOf(service);
  if (first !== undefined) ports[first] = await registry.portFor(name);
  for (const listener of others) ports[listener] = await registry.portFor(`${name}.${portSettings[listener].toLowerCase()}`);
  return ports;
}

/** "gateway", "gateway-2" and so on. */
const numbered = (service: ProcessName, count: number) =>
  Array.from({ length: count }, (_, at) => (at === 0 ? service : `${service}-${at + 1}`));
