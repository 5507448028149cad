import { maskedFields } from './masked-fields.ts';

test('the mask selects the fields: a named field that is absent becomes null, a list stays as it is', () => {
  const request = { project_id: 'p', name: 'n', starred: false, tags: [], update_mask: ['starred', 'description', 'tags'] };
  expect(maskedFields(request)).toEqual({ starred: false, description: null, tags: [] });
});

test.each(['__proto__', 'constructor', 'toString', 'update_mask'])('the name %s in the mask reads nothing from the prototype', (name) => {
  const fields = maskedFields<Record<string, unknown>>({ update_mask: [name] });
  expect(Object.values(fields).every((value) => value === null)).toBe(true);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
});
