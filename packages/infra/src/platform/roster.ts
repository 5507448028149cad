import { isFree, type PortBook } from '../processes/ports.ts';
import { type Addresses, type ServiceName, serviceNames, serviceTable } from './service-table.ts';

/** A process to run: its name in run.json and of its log, and where it listens. */
export interface Rostered {
  readonly name: string;
  readonly service: ServiceName;
  readonly port: number;
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

/** Which processes run here and where: a service whose address the settings name runs elsewhere. */
export async function drawUpRoster(
  { port, gateways = 1, replicas = 1, services = serviceNames, env }: Options,
  ports: PortBook,
): Promise<Roster> {
  const addresses: Addresses = {
    IDENTITY_ADDRESS: '',
    CLIENTS_PLANS_ADDRESS: '',
    PROJECTS_TEMPLATES_ADDRESS: '',
    WEBHOOKS_ADDRESS: '',
    SITES_ADDRESS: '',
  };
  const here: Rostered[] = [];
  for (const service of serviceNames) {
    const { address } = serviceTable[service];
    if (address === undefined) continue;
    const elsewhere = env[address];
    const own: Rostered[] = [];
    for (const name of numbered(service, replicas)) own.push({ name, service, port: await ports.portFor(name) });
    addresses[address] = elsewhere || own.map(({ port }) => `127.0.0.1:${port}`).join(',');
    if (!elsewhere && services.includes(service)) here.push(...own);
  }
  if (port !== undefined && !(await isFree(port, undefined))) {
    throw new PortTaken(`Port ${port} is taken by another program: set PORT to a free one, as in PORT=${port + 1} npm start.`);
  }
  const doors: Rostered[] = [];
  for (const name of services.includes('gateway') ? numbered('gateway', gateways) : []) {
    doors.push({ name, service: 'gateway', port: (doors.length === 0 && port) || (await ports.portFor(name)) });
  }
  return { services: here, gateways: doors, addresses };
}

/** "gateway", "gateway-2" and so on. */
const numbered = (service: ServiceName, count: number) =>
  Array.from({ length: count }, (_, at) => (at === 0 ? service : `${service}-${at + 1}`));
