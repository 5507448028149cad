import { endpoints, metadataDocuments } from './metadata.ts';
import { mcp, redirectUri, rest } from './testing/agent.ts';
import { origin } from './testing/browser.ts';
import { useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();
const [server, resource] = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'];
const openid = '/.well-known/openid-configuration';
const paths = [server, openid, resource].flatMap((path) => [path, `${path}/api/mcp`, `${path}/api/v1`, `/api/mcp${path}`]);

test('the metadata is at every path that clients look at, as open JSON, whatever host the caller states', async () => {
  for (const path of paths) {
    const response = await oauth.agent().send(path, { headers: { 'x-forwarded-host': 'evil.example', host: 'evil.example' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await response.text()).toBe(metadataDocuments(origin).get(path));
  }
  for (const other of [`${server}/other`, `/api/v1${server}`]) expect((await oauth.agent().send(other)).status).toBe(404);
});

test('every document and every answer names the same issuer, byte for byte and without a trailing slash', async () => {
  const documents = [...metadataDocuments(origin).values()];
  const named = documents.flatMap((text) =>
    [...text.matchAll(/"(?:issuer|authorization_servers)":\[?"([^"]*)"/g)].map(([, issuer]) => issuer),
  );
  expect([named.length, new Set(named)]).toEqual([documents.length, new Set([origin])]);
  const agent = oauth.agent();
  await agent.register();
  const refused = new URL((await agent.authorize({ code_challenge: null })).headers.get('location') ?? '');
  expect(refused.href.startsWith(redirectUri)).toBe(true);
  expect(refused.searchParams.get('iss')).toBe(origin);
});

test('the documents name what the server does', async () => {
  const read = async (path: string) => (await oauth.agent().send(path)).json();
  expect(await read(server)).toMatchObject({
    authorization_endpoint: `${origin}/oauth/authorize`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    response_types_supported: ['code'],
    scopes_supported: ['mcp'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
    revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  expect([await read(resource), await read(`${resource}/api/mcp`), await read(`${resource}/api/v1`)]).toMatchObject([
    { resource: mcp, authorization_servers: [origin], scopes_supported: ['mcp'] },
    { resource: mcp },
    { resource: rest },
  ]);
  const { keys } = (await read(endpoints.jwks)) as { keys: Record<string, string>[] };
  expect(keys.map(({ kty, alg, d }) => [kty, alg, d])).toEqual([['EC', 'ES256', undefined]]);
});

test('what the library offers besides is not open', async () => {
  const agent = oauth.agent();
  const closed = [
    '/oauth/me',
    '/session/end',
    '/oauth/session/end/confirm',
    '/token/introspection',
    '/request',
    '/oauth/',
    '/.well-known/other',
  ];
  for (const path of closed) {
    expect([path, (await agent.send(path)).status]).toEqual([path, 404]);
    expect([path, (await agent.post(path, {})).status]).toEqual([path, 404]);
  }
});
