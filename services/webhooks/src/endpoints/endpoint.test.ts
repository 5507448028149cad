import { changeEndpoint, type EndpointState, openEndpoint } from './endpoint.ts';

const now = '2026-01-02T03:04:05.678Z';
const draft = { _id: 'e', org_id: 'o', url: 'https://a.example/', place: 3, secret: 'sealed' };
const { state: fresh } = openEndpoint({ ...draft, events: ['client.created', 'form.submitted', 'client.created'] }, now);
const failing: EndpointState = { ...fresh, failing_since: new Date(now) };
const disabled: EndpointState = { ...failing, is_active: false, disabled_reason: 'failing' };

test('a new endpoint is active and has each event once, in the order given', () => {
  expect(fresh).toMatchObject({ is_active: true, events: ['client.created', 'form.submitted'], failing_since: null, created_at: now });
});

test('a change to what is so already is none', () => {
  expect(
    changeEndpoint(fresh, { url: fresh.url, events: ['client.created', 'client.created', 'form.submitted'], is_active: true }),
  ).toBeNull();
});

test('another address starts with a clean record, other events do not', () => {
  expect(changeEndpoint(failing, { url: 'https://b.example/' })?.state).toEqual({ url: 'https://b.example/', failing_since: null });
  expect(changeEndpoint(failing, { events: ['client.updated'] })?.state).toEqual({ events: ['client.updated'] });
});

test('switching on forgets why it was off, and is told to nobody', () => {
  const state = { is_active: true, failing_since: null, disabled_reason: null };
  expect(changeEndpoint(disabled, { is_active: true })).toEqual({ state, events: [] });
});

test('switching off is told, so that what waits is skipped', () => {
  const events = [{ type: 'internal.webhook.paused', data: { webhook_id: 'e' } }];
  expect(changeEndpoint(fresh, { is_active: false })).toEqual({ state: { is_active: false }, events });
});
