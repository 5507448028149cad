import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import * as z from 'zod';
import { type Claim, claimPort } from './claim-port.ts';

/** Below the ports that the kernel hands to outgoing connections, so that none of those sits on a port of ours while it restarts. */
const firstPort = 20_000;
const lastPort = 29_999;

const Ports = z.record(z.string(), z.int());

/** The ports of one data folder: a listener keeps its own from start to start, as long as nobody else has taken it. */
export class PortBook {
  readonly #file: string;
  readonly #ports: Record<string, number>;
  readonly #given = new Set<number>();
  readonly #claims: Claim[] = [];

  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'ports.json');
    this.#ports = readPorts(this.#file);
  }

  /** A port of 127.0.0.1 for the listener `name`; another listener, of this folder or another, never gets the same until `release`. */
  async portFor(name: string): Promise<number> {
    let port = this.#ports[name] ?? randomPort();
    while (this.#given.has(port) || !(await this.#take(port))) port = randomPort();
    this.#ports[name] = port;
    writeFileSync(this.#file, `${JSON.stringify(this.#ports, null, 2)}\n`);
    return port;
  }

  /** What listens on the ports has ended: they are anybody's. */
  release(): void {
    for (const claim of this.#claims.splice(0)) claim.close();
  }

  async #take(port: number): Promise<boolean> {
    this.#given.add(port);
    const claim = await claimPort(port);
    if (claim === undefined) return false;
    this.#claims.push(claim);
    return isFree(port, '127.0.0.1');
  }
}

function readPorts(file: string): Record<string, number> {
  try {
    return Ports.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {}; // none yet, or half written when the last run was killed: any ports will do
  }
}

const randomPort = () => firstPort + Math.floor(Math.random() * (lastPort - firstPort + 1));

/** Whether nobody listens on a port of `host`, or of any address of this machine. */
export async function isFree(port: number, host: string | undefined): Promise<boolean> {
  const server = createServer();
  server.listen({ port, host });
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
