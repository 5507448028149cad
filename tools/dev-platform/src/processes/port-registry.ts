import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import * as z from 'zod';

/** Below the kernel's ephemeral ports: an outgoing connection cannot take a listener's port while it restarts. */
const firstPort = 20_000;
const lastPort = 29_999;

const Ports = z.record(z.string(), z.int());

/** The ports of one data folder. A listener keeps its port across starts, unless another program has taken it. */
export class PortRegistry {
  readonly #file: string;
  readonly #ports: Record<string, number>;
  readonly #given = new Set<number>();
  readonly #claims: Claim[] = [];

  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'ports.json');
    this.#ports = readPorts(this.#file);
  }

  /** Reserves a port of 127.0.0.1 for the listener `name`. Until `release`, no listener of any data folder gets it. */
  async portFor(name: string): Promise<number> {
    let port = this.#ports[name] ?? randomPort();
    while (this.#given.has(port) || !(await this.#take(port))) port = randomPort();
    this.#ports[name] = port;
    writeFileSync(this.#file, `${JSON.stringify(this.#ports, null, 2)}\n`);
    return port;
  }

  /** Releases all ports. Call it after the listeners have ended. */
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
    return {}; // no file yet, or half written when the last run was killed
  }
}

const randomPort = () => firstPort + Math.floor(Math.random() * (lastPort - firstPort + 1));

/** True if nothing listens on the port of `host`, or on any address of this machine if `host` is undefined. */
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

/** A claimed port: other claims of it fail until this is closed or its process ends. */
export interface Claim {
  close(): void;
}

/**
 * Claims a port of this machine before anything listens on it, and while its listener restarts. Returns undefined if
 * another process has claimed it. The claim is a socket in Linux's abstract namespace: like a port, it belongs to one
 * network namespace, and it ends with its process. On other systems every claim succeeds.
 */
export async function claimPort(port: number): Promise<Claim | undefined> {
  const server = createServer().unref();
  if (process.platform !== 'linux') return server;
  server.listen(`\0webkiln-port-${port}`);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
