import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { useForms } from '../../testing/running-forms.ts';
import { post } from '../../testing/sent-forms.ts';
import { newSite } from '../../testing/test-sites.ts';

const running = useForms();

test("lists are read in index order, regardless of the organization's other data, and forms are counted from the index alone", async () => {
  const site = newSite();
  const other = newSite({ org_id: site.org_id });
  for (const [to, body] of [
    [site, 'a=1'],
    [site, 'a=2'],
    [site, 'a=3&_gotcha=x'],
    [other, 'a=4'],
  ] as const) {
    await post(running.port, to, body);
  }
  const caller = testCaller(site.org_id);
  // A page that is not the last, so that the list is counted.
  const page = { project_id: site.project_id, limit: 1, offset: 0 };
  for (const wanted of [{}, { form: 'contact' }, { after: '2020-01-01T00:00:00Z' }]) {
    const operations = await requestsOn('submissions', () => call('forms.ListSubmissions', { ...page, ...wanted }, caller));
    const [found, counted] = ['query', 'command'].map((op) => operations.find((operation) => operation.op === op));
    expect(found).toMatchObject({ docsExamined: 2, nreturned: 2 });
    expect(found).not.toHaveProperty('hasSortStage');
    expect(counted).toMatchObject({ docsExamined: 0 });
  }
  const tallied = await requestsOn('submissions', () => call('forms.ListForms', { project_id: site.project_id }, caller));
  expect(tallied).toMatchObject([{ docsExamined: 0, keysExamined: 3 }]);
});
