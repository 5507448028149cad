import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../obtain/run-command.ts';
import type { Part } from '../stores/store.ts';

/** The part's program on the PATH, when it is new enough; throws a sentence that says why not. */
export async function programOnPath(part: Part): Promise<string> {
  const program = (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, part.program))
    .find(isExecutable);
  if (program === undefined) throw new Error(`there is no ${part.program} on the PATH`);
  if (part.minimum === undefined) return program;
  const version = await versionOf(program);
  if (isOlder(version, part.minimum)) throw new Error(`${program} is ${version.join('.')}`);
  return program;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(program: string): Promise<[number, number]> {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(await runCommand(program, ['--version'])) ?? [];
  return [Number(major), Number(minor)];
}

function isOlder([major, minor]: readonly [number, number], [leastMajor, leastMinor]: readonly [number, number]): boolean {
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
