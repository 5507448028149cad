import { Project } from '@webkiln/contract';
import {
  assertCanOwnProject,
  canBeInName,
  changeProject,
  initialProject,
  isStatus,
  projectDeleted,
  siteAddressesAt,
  toProject,
} from './project.ts';
import type { ProjectState } from './project-state.ts';

const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
const draft = {
  _id: ids[0] ?? '',
  org_id: ids[1] ?? '',
  user_id: ids[2] ?? '',
  org_client_id: ids[3] ?? '',
  name: 'Bakery',
  description: null,
  template: ids[4] ?? '',
  draft_manifest_id: 'abc',
};
const siteAddresses = siteAddressesAt('https://sites.example.net', 'https://preview.example.net');
const created = '2026-03-01T10:00:00.000Z';
const later = '2026-03-02T10:00:00.000Z';

test('a new project is active, unpublished and matches the contract, also in its event', () => {
  const { state, events } = initialProject(draft, siteAddresses, created);
  const project = Project.strict().parse(toProject(state, siteAddresses));
  expect(project).toMatchObject({ id: draft._id, status: 'active', template: draft.template, published_url: null, created_at: created });
  expect(events).toEqual([{ type: 'project.created', data: { project } }]);
});

test.each(['invited', 'suspended', 'churned'])('a client that is %s cannot own a project', (status) => {
  expect(() => assertCanOwnProject({ status })).toThrow(expect.objectContaining({ code: 'client_not_active' }));
});

test('an active client can own a project', () => {
  expect(() => assertCanOwnProject({ status: 'active' })).not.toThrow();
});

test('a change contains only fields that differ, and updated_at', () => {
  const { state } = initialProject(draft, siteAddresses, created);
  const wanted = { name: 'Bakery', description: 'Fresh', tags: ['food'], starred: false };
  expect(changeProject(state, wanted, later)?.state).toEqual({ description: 'Fresh', tags: ['food'], updated_at: later });
});

test('null clears the description', () => {
  const { state } = initialProject({ ...draft, description: 'Old' }, siteAddresses, created);
  expect(changeProject(state, { description: null }, later)?.state).toEqual({ description: null, updated_at: later });
});

test('equal fields are no change', () => {
  const { state } = initialProject(draft, siteAddresses, created);
  expect(changeProject({ ...state, tags: ['a'] }, { name: 'Bakery', tags: ['a'] }, later)).toBeNull();
});

test('fields that callers must not set are ignored', () => {
  const { state } = initialProject(draft, siteAddresses, created);
  expect(changeProject(state, { org_id: 'other', draft_manifest_id: 'other' } as object, later)).toBeNull();
});

test('a deletion raises an event with project and client, and another if a site was published', () => {
  const { state } = initialProject(draft, siteAddresses, created);
  const deleted = { type: 'internal.project.deleted', data: { project_id: draft._id, org_client_id: draft.org_client_id } };
  expect(projectDeleted(state)).toEqual([deleted]);
  const siteChange = { type: 'internal.site.changed', data: { project_id: draft._id, name: 'bakery' } };
  expect(projectDeleted({ ...state, subdomain: 'bakery' })).toEqual([deleted, siteChange]);
});

test('a document that is older than publishing is an unpublished project', () => {
  const { subdomain: _subdomain, last_published_at: _at, ...state } = initialProject(draft, siteAddresses, created).state;
  expect(toProject(state as ProjectState, siteAddresses)).toMatchObject({ subdomain: null, published_url: null, last_published_at: null });
});

test.each([
  ['', true],
  ['.*', true],
  ['x'.repeat(200), true],
  ['x'.repeat(201), false],
  ['a\0', false],
])('%j may be part of a name: %s', (part, possible) => {
  expect(canBeInName(part)).toBe(possible);
});

test.each([
  ['active', true],
  ['archived', true],
  ['Active', false],
  ['toString', false],
])('%j is a status: %s', (text, known) => {
  expect(isStatus(text)).toBe(known);
});
