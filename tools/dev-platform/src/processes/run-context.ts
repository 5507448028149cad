import type { DiskSpace } from '../platform/disk-space.ts';
import type { RunningProcess } from '../platform/run-file.ts';
import type { Report } from '../report.ts';
import type { PortRegistry } from './port-registry.ts';

/** Shared by the processes of one data folder. */
export interface RunContext {
  readonly dataFolder: string;
  readonly ports: PortRegistry;
  /** The environment that the platform was started with. */
  readonly env: NodeJS.ProcessEnv;
  readonly report: Report;
  readonly disk: DiskSpace;
  /** Called after each start of a process. */
  onLaunched(name: string, running: RunningProcess): void;
}
