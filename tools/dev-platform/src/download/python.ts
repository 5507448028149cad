import { existsSync, globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { cached } from './cache.ts';
import { libraryFolders, unpackDebianPackages } from './debian-packages.ts';
import { runCommand } from './run-command.ts';

/** A Python with pip. */
export interface Python {
  readonly program: string;
  /** The arguments of Python that run pip. */
  readonly pip: readonly string[];
  /** The variables that it needs. */
  readonly env: NodeJS.ProcessEnv;
}

/** The python3 on the PATH. */
export async function pythonOnPath(): Promise<Python> {
  await runCommand('python3', ['--version']);
  const hasPip = await runCommand('python3', ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  );
  return { program: 'python3', pip: hasPip ? ['-m', 'pip'] : [await pipAlone()], env: {} };
}

/** Debian's python3 comes without pip. pip can run directly from its own wheel. */
async function pipAlone(): Promise<string> {
  return pipIn(await cached('pip', (draft) => unpackDebianPackages(['python3-pip-whl'], draft)));
}

function pipIn(folder: string): string {
  const [wheel] = globSync('usr/share/python-wheels/pip-*.whl', { cwd: folder });
  if (wheel === undefined) throw new Error('the package python3-pip-whl holds no pip');
  return path.join(folder, wheel, 'pip');
}

/** Debian's Python, unpacked in the cache. */
export async function pythonOfDebian(): Promise<Python> {
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
