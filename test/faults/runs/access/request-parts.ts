import { randomUUID } from 'node:crypto';
import { somePicture } from '../../../harness/pictures.ts';
import type { Operation } from '../records/operations.ts';
import { pathOf, type SeedFixtures } from '../records/seed-fixtures.ts';

export const withEveryId = (params: SeedFixtures['params'], id: string) => ({
  ...Object.fromEntries(Object.keys(params).map((name) => [name, id])),
  path: 'index.html',
});

const sampleWebhook = { url: 'https://hooks.example.test/', events: ['form.submitted'] };

/** The smallest valid body of the operation. */
export function minimalBody({ body, path }: Operation, { references, secret, params }: SeedFixtures): object {
  const wanted = Object.keys(body?.properties ?? {}).filter((field) => field === 'name' || body?.required?.includes(field));
  const values: Readonly<Record<string, unknown>> = {
    ...references,
    ...sampleWebhook,
    name: 'Name',
    alt: 'What it shows',
    price: 1,
    email: `${randomUUID()}@example.test`,
    after: '2026-01-01T00:00:00Z',
    status: 'paid',
    delivery_ids: [params.deliveryId],
    file: path.endsWith('/pictures') ? somePicture() : secret,
    page: 'index.html',
    at: [1, 0],
    before: secret,
    text: secret,
    files: { 'index.html': secret },
  };
  return Object.fromEntries(wanted.map((field) => [field, values[field]]));
}

/** Creates a record for a DELETE and returns path parameters that name it. */
export async function paramsToDelete(
  { path }: Operation,
  { agency, params, references, submitForm }: SeedFixtures,
): Promise<SeedFixtures['params']> {
  if (path.endsWith('/{submissionId}')) return { ...params, submissionId: await submitForm() };
  if (path.endsWith('/files/{path}')) {
    const doomed = { ...params, path: `${randomUUID()}.txt` };
    (await agency.api.put(pathOf(path, doomed), { file: 'doomed' })).expect(200);
    return doomed;
  }
  if (path.endsWith('/{pictureId}')) {
    const sent = { name: 'doomed', file: somePicture() };
    const { picture } = (await agency.api.post(pathOf(path.replace('/{pictureId}', ''), params), sent)).expect(201).body;
    return { ...params, pictureId: picture.id };
  }
  const list = path.split('/')[1] ?? '';
  const kind = list.slice(0, -1);
  const named = { name: 'Doomed', ...(kind === 'project' && { client_email: references.client_email }) };
  const body = kind === 'webhook' ? sampleWebhook : named;
  return { ...params, [`${kind}Id`]: (await agency.api.post(`/${list}`, body)).expect(201).body[kind].id };
}
