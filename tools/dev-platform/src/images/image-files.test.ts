import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { trustedKeys } from '@webkiln/messages/secrets';
import { settingsOf } from '../platform/process-table.ts';
import { secretsOf } from '../platform/secrets.ts';
import { imageNames, writeImageFiles } from './image-files.ts';

// Outside the repository, so that no module can be found in its node_modules.
const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-image-'));
const processes = imageNames.filter((name) => name !== 'cli');

beforeAll(() => writeImageFiles(imageNames, folder, '1.2.3'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Values of the kind that a deployment sets; the stores are those of this run. */
function environmentOf(name: (typeof processes)[number]): NodeJS.ProcessEnv {
  const { signing_keys, mongodb_passwords: _passwords, ...secrets } = secretsOf(folder);
  const given: NodeJS.ProcessEnv = {
    ...secrets,
    ...{ ORIGIN: 'http://localhost:1', SITES_ORIGIN: 'http://sites.localhost:1', PREVIEW_ORIGIN: 'http://preview.localhost:1' },
    ...{ MAIL_DIR: path.join(folder, 'mails'), DASHBOARD_DIR: path.join(folder, name, 'dashboard') },
    DOCS_DIR: path.join(folder, name, 'docs'),
    ...{ MONGODB_URL: process.env.MONGODB_URL, NATS_URL: process.env.NATS_URL, REDIS_URL: process.env.REDIS_URL },
  };
  const settings = settingsOf(name).map((setting) => [setting, given[setting] ?? '127.0.0.1:1']);
  const prefix = `image_${name.replaceAll('-', '_')}`;
  return {
    ...Object.fromEntries(settings),
    ...{ GRPC_PORT: '0', HTTP_PORT: '0', PORT: '0', MONGODB_PREFIX: prefix, EVENTS_PREFIX: prefix },
    ...{ EVENTS_STREAM_MB: '1', MAILS_STREAM_MB: '1', AUDIT_STREAM_MB: '1', FORMS_STREAM_MB: '1', VIEWS_STREAM_MB: '1' },
    PRINCIPAL_SIGNING_KEY: signing_keys[name],
    ...(name !== 'gateway' && { PRINCIPAL_TRUSTED_KEYS: trustedKeys({ ...secrets, signing_keys }, name) }),
  };
}

test.each(processes)('%s starts with nothing but the files of its image, writes none of them, and stops on SIGTERM', async (name) => {
  const app = path.join(folder, name);
  chmodSync(app, 0o555);
  const before = globSync('**/*', { cwd: app }).sort();
  const child = spawn(process.execPath, ['main.js'], { cwd: app, env: environmentOf(name), stdio: ['ignore', 'pipe', 'inherit'] });
  const output: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line);
    if (!line.includes('"msg":"started"')) continue;
    const { ports } = JSON.parse(line);
    expect((await fetch(`http://127.0.0.1:${ports.internal}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
  }
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  expect({ code, output: code === 0 ? [] : output }).toEqual({ code: 0, output: [] });
  expect(globSync('**/*', { cwd: app }).sort()).toEqual(before);
});

test('the command line prints its help with nothing but the files of its image', async () => {
  const child = spawn(process.execPath, ['main.js', '--help'], {
    cwd: path.join(folder, 'cli'),
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  expect(lines.join('\n')).toContain('Usage: webkiln');
});

test.each(imageNames)('the bill of materials of %s has the version, and the licence of each package in it', (name) => {
  const { metadata, components } = JSON.parse(readFileSync(path.join(folder, name, 'sbom.json'), 'utf8'));
  expect(metadata.component).toMatchObject({ name: `webkiln-${name}`, version: '1.2.3' });
  const names = components.map((each: { name: string }) => each.name);
  expect(names).toContain('zod');
  expect(names.includes('express')).toBe(name === 'gateway');
  expect(names.includes('react')).toBe(name === 'gateway');
  for (const { licenses, purl } of components) expect([purl, licenses[0].license.name]).not.toContain('NOASSERTION');
  expect(existsSync(path.join(folder, name, 'docs/agents.md'))).toBe(name === 'gateway' || name === 'mcp');
  expect(existsSync(path.join(folder, name, 'protos/webkiln/identity/v1/identity.proto'))).toBe(true);
});
