import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { operationsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, operator, present, publish, refusal, sites, writeDraft } from '../testing/calls.ts';
import { origin, previewOrigin, useProjectsTemplates } from '../testing/running-service.ts';
import { createPreviewToken, previewTokenHash } from './preview-token.ts';

useProjectsTemplates();

describe('previews', () => {
  const previewOf = (org: string, project_id: string) => call('projects.GetPreview', { project_id }, testCaller(org));
  const tokenOf = ({ preview_url }: { preview_url: string }) => present(new URL(preview_url).hostname.split('.')[0]);
  const resolve = (token: string, caller = sites()) => call('sites.ResolvePreview', { token }, caller);
  const ordinary = { suspended: false, organization_suspended: false, standing_version: 0, taken_down: false, redirects: [] };
  const nothing = { ...ordinary, found: false, org_id: '', project_id: '', expires_at: '', files: [] };

  async function previewed(texts?: Record<string, string>) {
    const org = randomUUID();
    const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
    if (texts !== undefined) await writeDraft(org, id, texts);
    const preview = await previewOf(org, id);
    return { org, id, preview, token: tokenOf(preview) };
  }

  test('a preview has all addresses of a project, published or not', async () => {
    const { org, id, preview, token } = await previewed({ 'index.html': 'a' });
    expect(preview).toEqual({
      has_published: false,
      preview_url: `https://${token}.${new URL(previewOrigin).host}`,
      builder_url: `${origin}/builder/${id}`,
      embed_preview_path: `/builder/${id}/preview`,
      expires_at: expect.stringMatching(/:[03]0:00\.000Z$/),
    });
    const leftMs = Date.parse(preview.expires_at) - Date.now();
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    const { url } = await publish(org, id);
    expect(await previewOf(org, id)).toMatchObject({ published_url: url, has_published: true });
  });

  test('every token of concurrent calls resolves to the project', async () => {
    const { org, id } = await previewed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => previewOf(org, id)));
    // A half hour may end between two calls.
    const tokens = new Set(answers.map(tokenOf));
    expect(tokens.size).toBeLessThanOrEqual(2);
    for (const token of tokens) expect(await resolve(token)).toMatchObject({ found: true, project_id: id });
  });

  test('a token resolves to the current draft, byte for byte', async () => {
    const { org, id, preview, token } = await previewed();
    const known = { found: true, org_id: org, project_id: id, ...ordinary, expires_at: preview.expires_at };
    expect(await resolve(token)).toEqual({ ...known, files: [] });
    for (const text of ['<p>one</p>', '<p>other</p>']) {
      await writeDraft(org, id, { 'index.html': text });
      const { files, ...rest } = await resolve(token);
      expect(rest).toEqual(known);
      expect(files).toMatchObject([{ path: 'index.html', size: text.length, content_type: 'text/html; charset=utf-8', encodings: [] }]);
      const { content } = await call('sites.GetSiteContent', { org_id: org, sha256: present(files[0]).sha256, encoding: '' }, sites());
      expect(content.toString()).toBe(text);
    }
  });

  test('a preview shows the files of the last publish, unless that kept the draft', async () => {
    const { org, id, token } = await previewed({ 'index.html': 'draft' });
    const shown = async () => (await resolve(token)).files.map(({ path }) => path);
    await publish(org, id, { 'index.html': 'published', 'more.html': 'more' }, { draft: 'keep' });
    expect(await shown()).toEqual(['index.html']);
    await publish(org, id, { 'index.html': 'published', 'more.html': 'more' });
    expect(await shown()).toEqual(['index.html', 'more.html']);
  });

  test('an expired token resolves to nothing, and MongoDB deletes it', async () => {
    const { org, token } = await previewed({ 'index.html': 'a' });
    const previews = mongoose.connection.collection('previews');
    await previews.updateMany({ org_id: org }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect(await resolve(token)).toEqual(nothing);
    expect(await previews.indexes()).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  });

  test.each(['', 'a'.repeat(26), '\0', '__proto__'])('the token %j resolves to nothing', async (token) => {
    expect(await resolve(token)).toEqual(nothing);
  });

  test('a preview ends with its project', async () => {
    const { org, id, token } = await previewed({ 'index.html': 'a' });
    await call('projects.DeleteProject', { project_id: id }, testCaller(org));
    expect(await resolve(token)).toEqual(nothing);
  });

  test('no token is stored', async () => {
    const { org, token } = await previewed();
    const [kept] = await mongoose.connection.collection('previews').find({ org_id: org }).toArray();
    expect(kept).toBeDefined();
    expect(JSON.stringify(kept)).not.toContain(token);
  });

  test("another organization's project and an unknown project have no preview", async () => {
    const { org, id } = await previewed();
    for (const [caller, project] of [
      [randomUUID(), id],
      [org, randomUUID()],
    ] as const) {
      await expect(previewOf(caller, project)).rejects.toEqual(refusal('project_not_found'));
    }
  });

  test('API keys and operators cannot resolve a token', async () => {
    const { org, token } = await previewed();
    for (const caller of [testCaller(org), operator(org)])
      await expect(resolve(token, caller)).rejects.toEqual(refusal('permission_missing'));
  });

  test('a token is looked up by an index', async () => {
    const { token } = await previewed();
    const operations = await operationsOn('previews', () => resolve(token));
    expect(operations.length).toBeGreaterThan(0);
    for (const { planSummary } of operations) expect(planSummary).toMatch(/^(IXSCAN|IDHACK|EXPRESS)/);
  });
});

describe('preview token', () => {
  const secret = 'a secret of at least thirty-two characters';
  const project = { org_id: 'org', project_id: 'project' };
  const at = (time: string) => new Date(`2026-03-01T${time}Z`);
  const tokenAt = (time: string) => createPreviewToken(secret, project, at(time)).token;

  test('a token is one label of a host name: 26 base32 characters', () => {
    for (const minute of ['00', '30']) expect(tokenAt(`10:${minute}:00.000`)).toMatch(/^[a-z2-7]{26}$/);
  });

  test('a token is the same within a half hour and expires an hour after its beginning', () => {
    expect(tokenAt('10:00:00.000')).toBe(tokenAt('10:29:59.999'));
    expect(tokenAt('10:30:00.000')).not.toBe(tokenAt('10:29:59.999'));
    for (const time of ['10:00:00.000', '10:29:59.999'])
      expect(createPreviewToken(secret, project, at(time)).expiresAt).toEqual(at('11:00:00.000'));
  });

  test('another project, organization or secret gives another token', () => {
    const now = at('10:00:00.000');
    const tokens = [
      createPreviewToken(secret, project, now),
      createPreviewToken(secret, { ...project, project_id: 'other' }, now),
      createPreviewToken(secret, { ...project, org_id: 'other' }, now),
      createPreviewToken(`${secret}.`, project, now),
    ].map(({ token }) => token);
    expect(new Set(tokens).size).toBe(4);
  });

  test('only a SHA-256 of a token is stored', () => {
    const token = tokenAt('10:00:00.000');
    expect(previewTokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
  });
});
