import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';

const home = path.resolve(__dirname, '../node_modules/@modelcontextprotocol/conformance');

/** A check of a scenario that did not hold, or only warns. */
interface Failure {
  readonly id: string;
  readonly reason: string;
}

/** A scenario that was run. One without any check that holds has proved nothing. */
export interface Scenario {
  readonly name: string;
  readonly hasProof: boolean;
  readonly failures: readonly Failure[];
}

const startSuite = (args: readonly string[]) =>
  spawn(process.execPath, [path.join(home, 'dist/index.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

/**
 * Runs a command of the official conformance suite in one process, and returns the scenarios that it has run. `onLine`
 * gets each line that the suite writes.
 */
export async function runSuite(
  args: readonly string[],
  onLine: (line: string) => Promise<void> = async () => undefined,
): Promise<Scenario[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-conformance-'));
  const suite = startSuite([...args, '--output-dir', folder]);
  const exit = once(suite, 'close');
  try {
    for await (const line of createInterface({ input: suite.stdout })) await onLine(line);
    await exit;
    return globSync('*/checks.json', { cwd: folder }).map((file) => readScenario(folder, file));
  } finally {
    // It waits minutes for a person whose part has failed.
    suite.kill();
    await exit;
    rmSync(folder, { recursive: true });
  }
}

/** The names of all scenarios that the suite has for servers and authorization servers. */
export async function allScenarios(): Promise<string[]> {
  const names: string[] = [];
  const suite = startSuite(['list', '--server', '--authorization']);
  for await (const line of createInterface({ input: suite.stdout })) names.push(...(/^ {2}- (\S+)/.exec(line)?.slice(1) ?? []));
  return names;
}

/** The names of the scenarios that the suite runs against a server for a revision, required or not. */
export function scenariosOfRevision(revision: string): string[] {
  const { server, not_scored }: Requirements = parse(readFileSync(path.join(home, 'requirements', `${revision}.yaml`), 'utf8'));
  return [...server, ...not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario)];
}

interface Requirements {
  readonly server: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The folder of a scenario is called by its kind, its name and the time. */
function readScenario(folder: string, file: string): Scenario {
  const checks: readonly Check[] = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  const [, name = ''] = /^(?:server|authorization-server)-(.+)-\d{4}-\d\d-\d\dT/.exec(path.dirname(file)) ?? [];
  const failures = checks
    .filter(({ status }) => ['FAILURE', 'WARNING'].includes(status))
    .map(({ id, errorMessage = '' }) => ({ id, reason: errorMessage }));
  return { name, hasProof: checks.some(({ status }) => status === 'SUCCESS'), failures };
}
