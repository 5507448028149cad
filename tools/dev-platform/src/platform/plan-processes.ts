import { isFree, type PortBook } from '../processes/ports.ts';
import { type Addresses, type Listener, type ServiceName, serviceNames, serviceTable } from './service-table.ts';

/** A process to run: its name in run.json and of its log, and where it listens. */
export interface Rostered {
  readonly name: string;
  readonly service: ServiceName;
  readonly ports: Readonly<Partial<Record<Listener, number>>>;
}

export interface Roster {
  readonly services: readonly Rostered[];
  readonly gateways: readonly Rostered[];
  /** Where each service is, here or elsewhere. */
  readonly addresses: Addresses;
}

interface Options {
  readonly port?: number;
  readonly gateways?: number;
  readonly replicas?: number;
  readonly services?: readonly ServiceName[];
  readonly env: NodeJS.ProcessEnv;
}

/** Another program has the port that the settings name. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** Which processes run here and where: a service all of whose addresses the settings name runs elsewhere. */
export async function drawUpRoster(
  { port, gateways = 1, replicas = 1, services = serviceNames, env }: Options,
  book: PortBook,
): Promise<Roster> {
  const addresses: Partial<Addresses> = {};
  const here: Rostered[] = [];
  for (const service of serviceNames) {
    if (service === 'gateway') continue;
    const own: Rostered[] = [];
    for (const name of numbered(service, replicas)) own.push({ name, service, ports: await portsFor(name, service, book) });
    const found = Object.entries(serviceTable[service].listens) as [Listener, keyof Addresses][];
    for (const [listener, address] of found) {
      addresses[address] = env[address] || own.map(({ ports }) => `127.0.0.1:${ports[listener]}`).join(',');
    }
    if (found.some(([, address]) => !env[address]) && services.includes(service)) here.push(...own);
  }
  if (port !== undefined && !(await isFree(port, undefined))) {
    throw new PortTaken(`Port ${port} is taken by another program: set PORT to a free one, as in PORT=${port + 1} npm start.`);
  }
  const doors: Rostered[] = [];
  for (const name of services.includes('gateway') ? numbered('gateway', gateways) : []) {
    doors.push({ name, service: 'gateway', ports: { PORT: (doors.length === 0 && port) || (await book.portFor(name)) } });
  }
  return { services: here, gateways: doors, addresses: addresses as Addresses };
}

async function portsFor(name: string, service: ServiceName, book: PortBook): Promise<Rostered['ports']> {
  const ports: Partial<Record<Listener, number>> = {};
  const [first, ...others] = Object.keys(serviceTable[service].listens) as Listener[];
  if (first !== undefined) ports[first] = await book.portFor(name);
  for (const listener of others) ports[listener] = await book.portFor(`${name}.${listener.toLowerCase()}`);
  return ports;
}

/** "gateway", "gateway-2" and so on. */
const numbered = (service: ServiceName, count: number) =>
  Array.from({ length: count }, (_, at) => (at === 0 ? service : `${service}-${at + 1}`));
