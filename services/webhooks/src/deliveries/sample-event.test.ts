import { Client, Project, webhookEvents } from '@webkiln/contract';
import { sampleEvent } from './sample-event.ts';

const about = {
  id: '5a1a3f0e-90d2-4f3b-8a44-6a1c0f7d2b9e',
  org_id: '7d4f3c52-8a61-4b0e-9f6e-1b1d52a7c0de',
  timestamp: '2026-03-02T09:45:30.004Z',
};

test.each(webhookEvents)(
  'a sample of %s has the shape of a real event, with the records of the REST API, and is marked as a test',
  (type) => {
    const { data, ...envelope } = sampleEvent(type, about);
    expect(envelope).toEqual({ ...about, type, api_version: 'v1', test: true });
    const { client, project } = data as { client?: unknown; project?: unknown };
    expect(client ?? project).toBeDefined();
    if (client !== undefined) expect(Client.strict().parse(client)).toEqual(client);
    if (project !== undefined) expect(Project.strict().parse(project)).toEqual(project);
  },
);
