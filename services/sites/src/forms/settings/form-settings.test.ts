import { call, type RequestOf } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { useForms } from '../../testing/running-forms.ts';
import { consentDeadlines, newSite, type TestSite } from '../../testing/test-sites.ts';

useForms();

const read = ({ project_id, org_id }: TestSite) => call('forms.GetFormSettings', { project_id }, testCaller(org_id));
const change = ({ project_id, org_id }: TestSite, wanted: Partial<RequestOf<'forms.UpdateFormSettings'>>, more = {}) =>
  call('forms.UpdateFormSettings', { project_id, ...wanted, update_mask: Object.keys(wanted) }, testCaller(org_id, more));

test('settings have defaults, change by field, and null clears the address', async () => {
  const site = newSite();
  expect(await read(site)).toEqual({ settings: { notify: true, notification_status: 'confirmed' }, etag: '"r0"' });
  const changed = await change(site, { notification_email: 'ada@example.com' });
  expect(changed).toEqual({
    settings: { notify: true, notification_email: 'ada@example.com', notification_status: 'unconfirmed' },
    etag: '"r1"',
  });
  expect(await change(site, { notify: false })).toEqual({
    settings: { notify: false, notification_email: 'ada@example.com', notification_status: 'unconfirmed' },
    etag: '"r2"',
  });
  expect(await change(site, { notification_email: null })).toEqual({
    settings: { notify: false, notification_status: 'confirmed' },
    etag: '"r3"',
  });
  expect(await read(site)).toEqual({ settings: { notify: false, notification_status: 'confirmed' }, etag: '"r3"' });
});

test('what other services are asked for the settings may take as long as the request, and no longer', async () => {
  const site = newSite();
  const deadlineAt = Date.now() + 90_000;
  await call('forms.GetFormSettings', { project_id: site.project_id }, testCaller(site.org_id, { deadlineAt }));
  const askedFor = (consentDeadlines.at(-1) ?? 0) - deadlineAt;
  expect(Math.abs(askedFor)).toBeLessThan(30_000);
});

test('concurrent changes are all applied, including the first ones; a stale ETag is refused', async () => {
  const site = newSite();
  await Promise.all([change(site, { notify: false }), change(site, { notification_email: 'ada@example.com' })]);
  expect(await read(site)).toEqual({
    settings: { notify: false, notification_email: 'ada@example.com', notification_status: 'unconfirmed' },
    etag: '"r2"',
  });
  const stale = change(site, { notify: true }, { ifMatch: '"r1"' });
  await expect(stale).rejects.toEqual(expect.objectContaining({ code: 'edited_meanwhile' }));
});
