import { Template } from '@webkiln/contract';
import { changeTemplate, initialTemplate, templateDeleted, toTemplate } from './template.ts';

const draft = {
  _id: crypto.randomUUID(),
  org_id: crypto.randomUUID(),
  name: 'Bakery',
  description: null,
  category: null,
  is_public: false,
  manifest_id: null,
};
const created = '2026-03-01T10:00:00.000Z';

test('a new template matches the contract, is not featured and raises no event', () => {
  const { state, events } = initialTemplate(draft, created);
  expect(Template.strict().parse(toTemplate(state))).toMatchObject({ id: draft._id, is_featured: false, created_at: created });
  expect(events).toEqual([]);
});

test('the category defaults to general', () => {
  expect(initialTemplate(draft, created).state.category).toBe('general');
});

test('categories are stored in lower case', () => {
  const { state } = initialTemplate({ ...draft, category: 'Food & DRINK' }, created);
  expect(state.category).toBe('food & drink');
  expect(changeTemplate(state, { category: 'FOOD & drink' })).toBeNull();
  expect(changeTemplate(state, { category: 'Ärzte' })?.state).toEqual({ category: 'ärzte' });
});

test('a change contains only allowed fields that differ', () => {
  const { state } = initialTemplate(draft, created);
  const wanted = { name: 'Bakery', is_featured: true, manifest_id: 'other', created_at: 'now' };
  expect(changeTemplate(state, wanted)?.state).toEqual({ is_featured: true });
});

test('a deletion raises an event with the id', () => {
  expect(templateDeleted(draft)).toEqual({ type: 'internal.template.deleted', data: { template_id: draft._id } });
});
