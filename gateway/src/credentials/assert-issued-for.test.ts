import { assertIssuedFor } from './authenticate.ts';
import type { ActiveCredential } from './recent-credentials.ts';

const [mcp, api] = ['https://a.example/api/mcp', 'https://a.example/api/v1'];
const credential = (resource?: string): ActiveCredential => ({
  principal: { kind: 'oauth_token', org_id: 'org', credential_id: 'grant', permissions: ['read'] },
  expiresAt: Number.POSITIVE_INFINITY,
  rateLimit: undefined,
  requestsLimit: undefined,
  isSuspended: false,
  ...(resource !== undefined && { resource }),
  checkedAt: 0,
});

test('a token is good at the resources that it was issued for, byte for byte, and nowhere else', () => {
  expect(() => assertIssuedFor([mcp, api], credential(api))).not.toThrow();
  expect(() => assertIssuedFor([mcp], credential(mcp))).not.toThrow();
  for (const resource of [api, `${mcp}/`, 'https://other.example/api/mcp', '']) {
    expect(() => assertIssuedFor([mcp], credential(resource))).toThrow(expect.objectContaining({ code: 'invalid_token' }));
  }
});

test('keys and sessions are good everywhere', () => {
  expect(() => assertIssuedFor([mcp], credential())).not.toThrow();
});
