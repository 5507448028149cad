import { censor } from './logger.ts';

test.each(['authorization', 'Authorization', 'cookie', 'password', 'secret', 'token', 'access_token', 'clientSecret'])(
  'a field named %s is not written, at any depth',
  (name) => {
    expect(
      JSON.stringify(censor({ [name]: 'hidden', request: { headers: { [name]: 'hidden' } }, list: [{ [name]: 'hidden' }] })),
    ).not.toContain('hidden');
  },
);

test('other fields stay unchanged', () => {
  const fields = { request_id: 'r', tokens_used: 3, nested: { at: new Date(0), names: ['a'] }, err: new Error('boom'), nothing: null };
  expect(censor(fields)).toBe(fields);
});

test('a structure that contains itself terminates', () => {
  const fields: Record<string, unknown> = {};
  fields.self = fields;
  expect(JSON.stringify(censor(fields))).toContain('[deep]');
});
