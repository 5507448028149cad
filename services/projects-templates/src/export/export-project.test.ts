import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, refusal, writeDraft } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';

useProjectsTemplates();

/** A client's own project, and a call of its user. */
async function ownProject(rights?: { can_export_code: boolean; can_use_custom_domain: boolean }) {
  const org = randomUUID();
  const client = fakeClient(org, rights && { rights });
  const { id } = await newProject(org, { client });
  await writeDraft(org, id, { 'index.html': 'Hi' });
  const { principal } = testCaller(org);
  const user = testCaller(org, { principal: { ...principal, kind: 'session', role: 'client', user_id: client.user_id } });
  return { org, id, user };
}

test('a client exports the code if its plan includes that, or without a plan; its agency always does', async () => {
  const [included, without, excluded] = await Promise.all([
    ownProject({ can_export_code: true, can_use_custom_domain: false }),
    ownProject(),
    ownProject({ can_export_code: false, can_use_custom_domain: true }),
  ]);
  for (const { id, user } of [included, without]) {
    const { content } = await call('projects.ExportProject', { project_id: id }, user);
    expect(content.subarray(0, 2).toString()).toBe('PK');
  }
  const { org, id, user } = excluded;
  await expect(call('projects.ExportProject', { project_id: id }, user)).rejects.toEqual(refusal('export_not_allowed'));
  expect((await call('projects.ExportProject', { project_id: id }, testCaller(org))).content.byteLength).toBeGreaterThan(0);
});
