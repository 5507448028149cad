import { assertIssuedFor } from './authenticate.ts';
import { type ActiveCredential, CredentialCache, type IntrospectionResult } from './credential-cache.ts';

const [mcp, api] = ['https://a.example/api/mcp', 'https://a.example/api/v1'];
const tokenFor = (resource?: string): ActiveCredential => ({
  principal: { kind: 'oauth_token', org_id: 'org', credential_id: 'grant', permissions: ['read'] },
  expiresAt: Number.POSITIVE_INFINITY,
  rateLimit: undefined,
  requestsLimit: undefined,
  isSuspended: false,
  ...(resource !== undefined && { resource }),
  checkedAt: 0,
});

test('a token is good at the resources that it was issued for, byte for byte, and nowhere else', () => {
  expect(() => assertIssuedFor([mcp, api], tokenFor(api))).not.toThrow();
  expect(() => assertIssuedFor([mcp], tokenFor(mcp))).not.toThrow();
  for (const resource of [api, `${mcp}/`, 'https://other.example/api/mcp', '']) {
    expect(() => assertIssuedFor([mcp], tokenFor(resource))).toThrow(expect.objectContaining({ code: 'invalid_token' }));
  }
});

test('keys and sessions are good everywhere', () => {
  expect(() => assertIssuedFor([mcp], tokenFor())).not.toThrow();
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

afterEach(() => jest.restoreAllMocks());

/** A cache with a feed, and how often it asked identity. */
function cacheOf(expiresAt = Number.POSITIVE_INFINITY) {
  const asked: string[] = [];
  const introspect = async (digests: readonly string[]): Promise<IntrospectionResult[]> =>
    digests.map((digest) => {
      asked.push(digest);
      const principal = { kind: 'api_key', org_id: 'org', credential_id: digest, permissions: [] } as const;
      return { principal, expiresAt, rateLimit: 100, isSuspended: false, requestsLimit: undefined, checkedAt: performance.now() };
    });
  return { asked, cache: new CredentialCache({ kind: 'keys', introspect, feedIsLive: () => true }) };
}

const moveWallClock = (ms: number) => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + ms);
const moveMonotonicClock = (ms: number) => jest.spyOn(performance, 'now').mockReturnValue(performance.now() + ms);

test.each([hourMs, -hourMs])('a result is used for a minute by its own age, although the wall clock jumps by %i ms', async (jumpMs) => {
  const { cache, asked } = cacheOf();
  await cache.find('key');
  moveWallClock(jumpMs);
  await cache.find('key');
  expect(asked).toHaveLength(1);
  moveMonotonicClock(minuteMs);
  await cache.find('key');
  expect(asked).toHaveLength(2);
});

test('a credential expires by the wall clock', async () => {
  const { cache } = cacheOf(Date.now() + hourMs);
  expect(await cache.find('key')).toBeDefined();
  moveWallClock(hourMs);
  expect(await cache.find('key')).toBeUndefined();
});
