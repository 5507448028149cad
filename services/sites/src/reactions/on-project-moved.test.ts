import { randomUUID } from 'node:crypto';
import { put, quiet } from '@webkiln/events/testing';
import type { Principal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { useForms } from '../testing/running-forms.ts';
import { post, publishedEvents } from '../testing/sent-forms.ts';
import { newSite, type TestSite } from '../testing/test-sites.ts';

const running = useForms();

async function tellMoved({ org_id, project_id }: TestSite): Promise<void> {
  const type = 'internal.project.moved';
  const event = { id: randomUUID(), type, timestamp: new Date().toISOString(), org_id, api_version: 'v1', data: { project_id } };
  await put(running.stream, type, [JSON.stringify(event)]);
  await quiet(running.stream, 'sites-on-project-moved');
}

/** A caller with the role of the client's user. */
const clientOf = ({ org_id, client_id: user_id }: TestSite) => {
  const principal: Principal = { ...testCaller(org_id).principal, kind: 'session', role: 'client', user_id };
  return testCaller(org_id, { principal });
};

test('the submissions and settings of a project are those of the client who has it now, and no other project moves', async () => {
  const site = newSite();
  const other = newSite({ org_id: site.org_id });
  for (const each of [site, other]) {
    await post(running.port, each, 'a=1');
    const silent = { project_id: each.project_id, notify: false, update_mask: ['notify'] };
    await call('forms.UpdateFormSettings', silent, testCaller(site.org_id));
    await publishedEvents(running.stream, each);
  }
  site.client_id = randomUUID();
  await tellMoved(site);
  for (const each of [site, other]) {
    const [caller, project_id] = [clientOf(each), each.project_id];
    expect((await call('forms.ListSubmissions', { project_id, limit: 50, offset: 0 }, caller)).total).toBe(1);
    expect((await call('forms.GetFormSettings', { project_id }, caller)).settings?.notify).toBe(false);
  }
});

test('a project that is deleted meanwhile is passed over', async () => {
  const [deleted, site] = [newSite({ deleted: true }), newSite()];
  await post(running.port, site, 'a=1');
  await tellMoved(deleted);
  site.client_id = randomUUID();
  await tellMoved(site);
  expect((await call('forms.ListForms', { project_id: site.project_id }, clientOf(site))).total).toBe(1);
});
