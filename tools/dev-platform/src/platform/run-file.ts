import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { writeAtomically } from './write-atomically.ts';

const RunningProcess = z.object({
  pid: z.int().optional(),
  /** Port of its first listener: gRPC where it has one. */
  port: z.int(),
  /** Port of its HTTP listener, if it has one. */
  http_port: z.int().optional(),
  /** Port of its health checks and metrics, if it is one of our processes. */
  internal_port: z.int().optional(),
});

const Run = z.object({
  origin: z.string(),
  base_url: z.string(),
  services: z.record(z.string(), RunningProcess),
});

export type RunningProcess = z.output<typeof RunningProcess>;
export type Run = z.output<typeof Run>;

const fileIn = (dataFolder: string) => path.join(dataFolder, 'run.json');

/** The processes that run now, or that ran when the last run was killed. Undefined after a clean stop. */
export function readRun(dataFolder: string): Run | undefined {
  const file = fileIn(dataFolder);
  return existsSync(file) ? Run.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** `run.json` of a data folder: the id and port of each process, for people and programs. */
export class RunFile {
  readonly #dataFolder: string;
  readonly #run: Run;

  constructor(dataFolder: string, origin: string) {
    this.#dataFolder = dataFolder;
    this.#run = { origin, base_url: `${origin}/api/v1`, services: {} };
  }

  get origin(): string {
    return this.#run.origin;
  }

  set(name: string, running: RunningProcess): void {
    this.#run.services[name] = running;
    writeAtomically(fileIn(this.#dataFolder), this.#run);
  }

  remove(): void {
    rmSync(fileIn(this.#dataFolder), { force: true });
  }
}
