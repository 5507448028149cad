import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../download/run-command.ts';
import type { Dependency } from '../stores/dependency.ts';

/** Finds the dependency's program on the PATH, under any of its names. If none works, the error has the reason. */
export async function programOnPath(part: Dependency): Promise<string> {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const names = [part.program, ...(part.otherNames ?? [])];
  const programs = names.flatMap((name) => folders.map((folder) => path.join(folder, name)).find(isExecutable) ?? []);
  let obstacle: unknown = new Error(`there is no ${names.join(', ')} on the PATH`);
  for (const program of programs) {
    try {
      return await newEnough(program, part);
    } catch (error) {
      obstacle = error;
    }
  }
  throw obstacle;
}

async function newEnough(program: string, { minimum }: Dependency): Promise<string> {
  if (minimum === undefined) return program;
  const version = await versionOf(program);
  if (isOlder(version, minimum)) throw new Error(`${program} is ${version.join('.')}`);
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

function isOlder([major, minor]: readonly [number, number], [minMajor, minMinor]: readonly [number, number]): boolean {
  return major < minMajor || (major === minMajor && minor < minMinor);
}
