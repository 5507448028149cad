import { execFile } from 'node:child_process';

const reasonLines = 4;

/** Runs a command and returns its standard output. If it fails, throws an error with the last lines that it wrote. */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
    if (!error) return resolve(stdout);
    if (error.code === 'ENOENT') return reject(new Error(`there is no ${command}`, { cause: error }));
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-reasonLines);
    reject(new Error(`${command} ${args[0] ?? ''} failed: ${lines.join(' | ')}`, { cause: error }));
  });
  return promise;
}
