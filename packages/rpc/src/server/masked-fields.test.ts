import { maskedFields } from './masked-fields.ts';

test('only the fields that the mask names are changed; a named one that is absent is null, a list is as it is', () => {
  const request = { project_id: 'p', name: 'n', starred: false, tags: [], update_mask: ['starred', 'description', 'tags'] };
  expect(maskedFields(request)).toEqual({ starred: false, description: null, tags: [] });
});

test.each(['__proto__', 'constructor', 'toString', 'update_mask'])('naming %s takes nothing from the object itself', (name) => {
  const fields = maskedFields<Record<string, unknown>>({ update_mask: [name] });
  expect(Object.values(fields).every((value) => value === null)).toBe(true);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
});
