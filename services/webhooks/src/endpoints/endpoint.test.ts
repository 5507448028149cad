import { changeEndpoint, type EndpointState, openEndpoint } from './endpoint.ts';

const now = '2026-01-02T03:04:05.678Z';
const draft = { _id: 'e', org_id: 'o', url: 'https://a.example/', place: 3, secret: 'sealed' };
const { state: fresh } = openEndpoint({ ...draft, events: ['client.created', 'form.submitted', 'client.created'] }, now);
const failing: EndpointState = { ...fresh, failing_since: new Date(now) };
const disabled: EndpointState = { ...failing, is_active: false, disabled_reason: 'failing' };

test('a new endpoint is active, and its events are unique and in the given order', () => {
  expect(fresh).toMatchObject({ is_active: true, events: ['client.created', 'form.submitted'], failing_since: null, created_at: now });
});

test('a change without a difference is null', () => {
  expect(
    changeEndpoint(fresh, { url: fresh.url, events: ['client.created', 'client.created', 'form.submitted'], is_active: true }),
  ).toBeNull();
});

test('a new address resets the failure record, new events do not', () => {
  expect(changeEndpoint(failing, { url: 'https://b.example/' })?.state).toEqual({ url: 'https://b.example/', failing_since: null });
  expect(changeEndpoint(failing, { events: ['client.updated'] })?.state).toEqual({ events: ['client.updated'] });
});

test('activation clears the reason for disabling and raises no event', () => {
  const state = { is_active: true, failing_since: null, disabled_reason: null };
  expect(changeEndpoint(disabled, { is_active: true })).toEqual({ state, events: [] });
});

test('deactivation raises an event, so that pending deliveries are skipped', () => {
  const events = [{ type: 'internal.webhook.paused', data: { webhook_id: 'e' } }];
  expect(changeEndpoint(fresh, { is_active: false })).toEqual({ state: { is_active: false }, events });
});
