import type { Report } from '../report.ts';
import type { PortRegistry } from './port-registry.ts';

/** What the processes of one data folder share. */
export interface RunContext {
  readonly dataFolder: string;
  readonly ports: PortRegistry;
  /** Settings that the person who starts us gave. */
  readonly env: NodeJS.ProcessEnv;
  readonly report: Report;
  /** Called each time a process was started. */
  onLaunched(name: string, port: number, pid: number | undefined): void;
}
