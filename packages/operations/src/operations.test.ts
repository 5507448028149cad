import { operations } from '@webkiln/contract';
import { idempotencyFor, prepareOperation, requestFor } from './operations.ts';

const prepared = (name: string) => prepareOperation(name, operations[name] as never);
const projectId = '00000000-0000-4000-8000-00000000000A';

test('a request has the validated input with defaults, the ids in lower case, and for a PATCH the named fields', () => {
  expect(requestFor(prepared('listProjects'), {}, {})).toMatchObject({ limit: 50, offset: 0 });
  expect(requestFor(prepared('updateProject'), { name: 'New', tags: [] }, { projectId })).toEqual({
    name: 'New',
    tags: [],
    project_id: projectId.toLowerCase(),
    update_mask: ['name', 'tags'],
  });
});

test('wrong input is refused before a malformed id, and that like an unknown one', () => {
  const refused = (input: object) => () => requestFor(prepared('updateProject'), input, { projectId: 'x' });
  expect(refused({ name: '' })).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  expect(refused({ name: 'New' })).toThrow(expect.objectContaining({ code: 'project_not_found' }));
});

test('a key identifies a write at one path of one credential, and no key the body', () => {
  const write = { key: 'k', keyName: 'Idempotency-Key', credentialId: 'c', path: '/clients', body: '{}' };
  const { id } = idempotencyFor(write);
  expect(idempotencyFor({ ...write, body: '{"a":1}' })).toMatchObject({ id, explicit: true });
  for (const other of [{ key: 'l' }, { credentialId: 'd' }, { path: '/projects' }, { key: undefined }]) {
    expect(idempotencyFor({ ...write, ...other }).id).not.toBe(id);
  }
  expect(() => idempotencyFor({ ...write, key: '' })).toThrow('Idempotency-Key: must have 1 to 255 bytes');
});
