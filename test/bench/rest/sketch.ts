import path from 'node:path';
import { cores } from '../cores.ts';
import type { BenchPlatform } from '../platform.ts';
import { spawnServer } from '../spawn.ts';

export interface Sketch {
  /** The process of its gateway. */
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  stop(): void;
}

/** Starts the two processes of the bare sketch (`servers/sketch.mjs`) on the platform's stores. */
export async function startSketch({ processes, mongoUrl }: BenchPlatform, port: number, records: number): Promise<Sketch> {
  const address = (name: string) => `127.0.0.1:${processes[name]?.port}`;
  const env = {
    MONGODB_URL: mongoUrl,
    NATS_URL: `nats://${address('nats')}`,
    REDIS_URL: `redis://${address('redis')}`,
    PROJECTS: String(records),
    RPC_PORT: String(port + 2),
  };
  const headers = { authorization: 'Bearer sketch' };
  const start = (role: string, core: string, at: number, page: string) =>
    spawnServer([path.join(import.meta.dirname, 'servers/sketch.mjs'), role], {
      core,
      env: { ...env, PORT: String(at) },
      url: `http://127.0.0.1:${at}${page}`,
      headers,
    });
  const service = await start('service', cores.rest, port + 1, '/');
  const gateway = await start('gateway', cores.front, port, '/projects/p-0');
  const stop = () => {
    gateway.stop();
    service.stop();
  };
  return { pid: gateway.pid, url: `http://127.0.0.1:${port}`, headers, stop };
}
