import { randomUUID } from 'node:crypto';
import { put, quiet } from '@webkiln/events/testing';
import { useForms } from '../testing/running-forms.ts';
import { newSite } from '../testing/test-sites.ts';
import { onSiteChanged } from './on-site-changed.ts';

const running = useForms();

test('without a browser the events of published sites end, so that they do not stay on the stream for ever', async () => {
  const { org_id, project_id, name } = newSite();
  const type = 'internal.site.changed';
  const event = { id: randomUUID(), type, timestamp: new Date().toISOString(), org_id, api_version: 'v1', data: { project_id, name } };
  onSiteChanged(undefined);
  await put(running.stream, type, [JSON.stringify(event)]);
  await quiet(running.stream, 'sites-on-site-changed', undefined, type);
});
