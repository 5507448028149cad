import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { bundledProgram } from '../../tools/dev-platform/src/platform/bundle.ts';
import { eventually } from '../harness/agency.ts';
import { fullOrganization } from '../harness/full-organization.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

jest.setTimeout(600_000);

const folder = mkdtempSync(path.join(tmpdir(), 'export-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command line against the shared platform. */
async function webkiln(...words: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: path.dirname(sharedPlatform().mailFolder) };
  const program = await bundledProgram('cli/src/main.ts');
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

test('an export holds every record and file of the organization, no secret, and nothing of another organization', async () => {
  const [ours, theirs] = [await fullOrganization(), await fullOrganization()];
  const { api, mark, project, template } = ours;
  const archive = path.join(folder, 'ours.zip');
  const run = await webkiln('org', 'export', ours.id, '--to', archive);
  expect(run.err).toContain('files: 5');
  expect(run).toMatchObject({ code: 0, out: `Exported to ${archive}.\n` });
  const entries = unzipSync(readFileSync(archive));
  const text = (name: string) => strFromU8(entries[name] ?? new Uint8Array());
  const json = (name: string) => JSON.parse(text(`${name}.json`));

  expect(json('organization')).toMatchObject({ id: ours.id });
  const ofApi = async (route: string, name: string) => (await api.get(route)).expect(200).body[name];
  for (const [kind, route, name] of [
    ['clients', '/clients', 'clients'],
    ['plans', '/plans', 'plans'],
    ['projects', '/projects', 'projects'],
    ['orders', '/orders', 'orders'],
    ['subscriptions', '/subscriptions', 'subscriptions'],
    ['templates', '/templates', 'templates'],
    ['webhooks', '/webhooks', 'webhooks'],
    ['keys', '/account/keys', 'keys'],
    ['embed-clients', '/account/embed-clients', 'embed_clients'],
  ] as const) {
    const records = await ofApi(route, name);
    expect([kind, json(kind)]).toEqual([
      kind,
      expect.arrayContaining(records.map((record: object) => expect.objectContaining(shown(record)))),
    ]);
  }
  expect(json('members')).toHaveLength(2);
  expect(json('members')).toContainEqual(expect.objectContaining({ email: `${mark}@example.com`, role: 'viewer' }));
  expect(json('invitations')).toEqual([expect.objectContaining({ email: `invited-${mark}@example.com` })]);
  expect(json('form-settings')).toEqual([expect.objectContaining({ project_id: project.id })]);
  expect(JSON.stringify(json('form-submissions'))).toContain(mark);
  expect(json('domains')).toContainEqual(expect.objectContaining({ name: `www.${mark}.com`, project_id: project.id }));
  expect(json('chat')).toContainEqual(expect.objectContaining({ role: 'user', text: `Hello ${mark}`, project_id: project.id }));
  expect(json('credits')).toEqual([expect.objectContaining({ kind: 'granted', amount: 100 })]);
  expect(json('build-links')).toEqual([expect.objectContaining({ prompt: mark })]);
  expect(json('analytics')).toEqual([expect.objectContaining({ project_id: project.id, totalViews: 1 })]);
  expect(json('audit-log').map(({ action }: { action: string }) => action)).toContain('member.added');
  expect(json('deploys')).toEqual([
    expect.objectContaining({ project_id: project.id, live: true, files: [expect.objectContaining({ path: 'index.html' })] }),
  ]);
  expect(json('manifest').counts).toMatchObject({ clients: 1, projects: 1, files: 5 });
  expect(text('README.txt')).toContain('Left out');

  expect(text(`drafts/${project.id}/index.html`)).toBe(`${mark} draft`);
  expect(text(`drafts/${project.id}/deep/page.html`)).toBe('x'.repeat(1_500_000));
  expect(text(`sites/${project.id}/index.html`)).toContain(`<h1>${mark} live</h1>`);
  expect(text(`templates/${template.id}/index.html`)).toBe(`${mark} draft`);

  const everything = Object.keys(entries)
    .map((name) => name + text(name))
    .join('\n');
  for (const secret of ours.secrets) expect(everything).not.toContain(secret);
  expect(everything).not.toMatch(/"(key_hash|password_hash|secret|sealed)"/);
  for (const foreign of [theirs.id, theirs.mark, theirs.project.id]) expect(everything).not.toContain(foreign);

  await eventually(async () => {
    expect((await webkiln('org', 'export', ours.id, '--to', path.join(folder, 'again.zip'))).code).toBe(0);
    const log = JSON.parse(strFromU8(unzipSync(readFileSync(path.join(folder, 'again.zip')))['audit-log.json'] ?? new Uint8Array()));
    const acts = log.filter(({ action }: { action: string }) => action === 'organization.exported');
    expect(acts.at(-1)).toMatchObject({ actor: { kind: 'operator' }, target: { kind: 'organization', id: ours.id } });
  });
});

test('an export that cannot be written fails with the reason, and leaves no file behind', async () => {
  const { id } = await fullOrganization();
  const place = mkdtempSync(path.join(folder, 'empty-'));
  const run = await webkiln('org', 'export', id, '--to', path.join(place, 'missing/ours.zip'));
  expect(run).toMatchObject({ code: 1, err: expect.stringContaining('The archive could not be written') });
  expect(readdirSync(place)).toEqual([]);
});

/** The fields that are not null: RPCs leave null fields out. */
const shown = (record: object) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

test('an operator sees every process with its release, and an agency’s webhooks, whose deliveries it sends again', async () => {
  const { id, api } = await fullOrganization();
  const { processes } = JSON.parse((await webkiln('status', '--json')).out) as { processes: { name: string; version: string }[] };
  const names = ['analytics', 'clients-plans', 'embed', 'gateway', 'identity', 'mcp', 'projects-templates', 'sites', 'webhooks'];
  expect(processes.map(({ name }) => name).sort()).toEqual(expect.arrayContaining(names));
  expect(new Set(processes.map(({ version }) => version))).toEqual(new Set(['0.1.0']));

  const [webhook] = (await api.get('/webhooks')).expect(200).body.webhooks;
  expect((await webkiln('webhook', 'list', '--org', id)).out).toMatch(new RegExp(`^${webhook.id}  .+  active `, 'm'));
  const replay = ['--org', id, '--since', '2026-01-01', '--status', 'delivered', '--json'];
  expect(JSON.parse((await webkiln('webhook', 'replay', webhook.id, ...replay)).out)).toEqual({ queued: expect.any(Number) });
  expect((await webkiln('webhook', 'replay', 'nobody', ...replay)).err).toBe('The organization has no webhook nobody.\n');
  const check = await webkiln('domain', 'check', 'www.example.com', '--org', id);
  expect(check).toMatchObject({ code: 1, err: 'No website of the organization wants www.example.com.\n' });
});
