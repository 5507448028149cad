import { validate } from '@webkiln/contract';
import { NewOrganization, openOrganization, slugsOf, toOrganization } from './organization.ts';

const invalid = expect.objectContaining({ code: 'validation_failed' });
const draft = { _id: 'o1', name: 'Kiln & Co', slug: 'kiln-co', rate_limit: null };

test('a new organization uses USD and has no quota of its own', () => {
  expect(toOrganization(openOrganization(draft, new Date('2026-01-01T00:00:00Z')))).toEqual({
    id: 'o1',
    name: 'Kiln & Co',
    slug: 'kiln-co',
    currency: 'USD',
    rate_limit: null,
    created_at: '2026-01-01T00:00:00.000Z',
    suspended_at: null,
    erase_at: null,
    erased_at: null,
  });
});

test.each([
  ['Kiln & Co', 'kiln-co'],
  ['  Żółć, Überwald!  ', 'zo-c-uberwald'],
  ['日本', 'organization'],
  ['---', 'organization'],
  ['a'.repeat(200), 'a'.repeat(32)],
  [`${'a'.repeat(31)} b`, 'a'.repeat(31)],
])('the slug of %p is %p', (name, slug) => {
  expect(slugsOf(name)[0]).toBe(slug);
});

test('every slug derived from a name is a valid slug, and none occurs twice', () => {
  for (const name of ['Kiln & Co', 'a'.repeat(200), `${'b'.repeat(29)} cc dd`]) {
    const slugs = slugsOf(name);
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) expect(validate(NewOrganization, { name, slug })).toMatchObject({ slug });
  }
});

test.each(['', 'Kiln', '-kiln', 'kiln-', 'kiln--co', 'kiln_co', 'kiln.co', 'a'.repeat(33), 'e3b0c442-98fc-4c14-9afb-f4c8996fb924'])(
  '%p is no slug',
  (slug) => {
    expect(() => validate(NewOrganization, { name: 'Kiln', slug })).toThrow(invalid);
  },
);

test.each([0, -1, 1.5, 1_000_001])('a quota of %d requests is refused', (rate_limit) => {
  expect(() => validate(NewOrganization, { name: 'Kiln', rate_limit })).toThrow(invalid);
});
