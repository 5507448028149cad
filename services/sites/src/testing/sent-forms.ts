import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { messagesOn, streamWith, type TestStream } from '@webkiln/events/testing';
import type { EventEnvelope } from '@webkiln/messages';
import { scoped, waitingRecords } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { SubmissionModel } from '../forms/submissions/submission-store.ts';
import type { TestSite } from './test-sites.ts';
import type { TestResponse } from './visit.ts';

const newAddress = () => `10.${[...randomBytes(3)].join('.')}`;

interface Post {
  readonly form?: string;
  /** Overrides the path of the form. */
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The visitor's address; a new one by default. */
  readonly address?: string;
}

/** Posts a form to a site as a browser does. */
export async function post(port: number, site: TestSite, body: string | Buffer, more: Post = {}): Promise<TestResponse> {
  const { form = 'contact', path = `/_forms/${form}`, method = 'POST', type = 'application/x-www-form-urlencoded' } = more;
  const host = `${site.name}.sites.test`;
  const sender = { 'x-webkiln-client-address': more.address ?? newAddress() };
  const length = more.headers?.['transfer-encoding'] === undefined ? { 'content-length': Buffer.byteLength(body) } : {};
  const headers = { host, 'content-type': type, ...length, ...sender, ...more.headers };
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end(body);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

/** The stored submissions of a site, oldest first, spam included. */
export const storedSubmissions = ({ org_id, project_id }: TestSite) =>
  scoped(SubmissionModel, { org_id }).find({ project_id }, { sort: { submitted_at: 1 } });

type Submitted = EventEnvelope<'form.submitted'>;

/** The published `form.submitted` events of a site, after all outboxes are empty. */
export async function publishedEvents(stream: TestStream, { org_id, project_id }: TestSite): Promise<Submitted[]> {
  await until(async () => (await waitingRecords(SubmissionModel, 1)).length === 0);
  const events = (await messagesOn(streamWith(stream, 'form.submitted'))).map((message) => message.json<Submitted>());
  return events.filter(({ type, org_id: org, data }) => type === 'form.submitted' && org === org_id && data.project.id === project_id);
}
