import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const linesEach = 6;
/** Warnings and errors of our processes and of NATS, and what is no line of a log, such as a stack. */
const loud = /"level":"(warn|error|fatal)"|\[(WRN|ERR|FTL)\]|^[A-Za-z ]/;

/** The folders of the platforms that this test file runs, in the global object that its environment shares with it. */
const running = () => ((globalThis as { platformFolders?: Set<string> }).platformFolders ??= new Set());

/** From now on a failed test shows the state of the platform in this folder. Returns how to end that. */
export function showOnFailure(folder: string): () => void {
  running().add(folder);
  return () => running().delete(folder);
}

/** What is known of a platform: which of its processes run, and the last warnings and errors of each. */
export function platformState(folder: string): string {
  const logs = path.join(folder, 'logs');
  if (!existsSync(logs)) return `${folder}: no process has logged anything`;
  const { services = {} } = JSON.parse(textOf(path.join(folder, 'run.json')) || '{}') as { services?: Record<string, { pid?: number }> };
  const processes = Object.entries(services).map(([name, { pid }]) => `${name} ${isAlive(pid) ? pid : 'not running'}`);
  const lines = readdirSync(logs).flatMap((file) => {
    const last = textOf(path.join(logs, file))
      .trimEnd()
      .split('\n')
      .filter((line) => loud.test(line))
      .slice(-linesEach);
    return last.map((line) => `${path.basename(file, '.log')}: ${line.slice(0, 500)}`);
  });
  return [`the platform in ${folder}: ${processes.join(', ')}`, ...lines].join('\n');
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
