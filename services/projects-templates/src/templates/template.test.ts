import { Template } from '@webkiln/contract';
import { captureTemplate, changeTemplate, templateDeleted, toTemplate } from './template.ts';

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

test('a new template has the shape of the contract and is neither featured nor told to anybody', () => {
  const { state, events } = captureTemplate(draft, created);
  expect(Template.strict().parse(toTemplate(state))).toMatchObject({ id: draft._id, is_featured: false, created_at: created });
  expect(events).toEqual([]);
});

test('the category is general unless named', () => {
  expect(captureTemplate(draft, created).state.category).toBe('general');
});

test('categories are kept in lower case', () => {
  const { state } = captureTemplate({ ...draft, category: 'Food & DRINK' }, created);
  expect(state.category).toBe('food & drink');
  expect(changeTemplate(state, { category: 'FOOD & drink' })).toBeNull();
  expect(changeTemplate(state, { category: 'Ärzte' })?.state).toEqual({ category: 'ärzte' });
});

test('only what differs is changed, by allow-list', () => {
  const { state } = captureTemplate(draft, created);
  const wanted = { name: 'Bakery', is_featured: true, manifest_id: 'other', created_at: 'now' };
  expect(changeTemplate(state, wanted)?.state).toEqual({ is_featured: true });
});

test('its deletion is told with its id', () => {
  expect(templateDeleted(draft)).toEqual({ type: 'internal.template.deleted', data: { template_id: draft._id } });
});
