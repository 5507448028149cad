import { defaultScope } from '@webkiln/contract';
import { oauthMetadataPaths } from '@webkiln/messages';
import { assertionAlgorithms } from './clients/client-keys.ts';
import { resourcesOf } from './resources.ts';

/** Endpoints of the authorization server, below /oauth. */
export const endpoints = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;

export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/**
 * The metadata of the authorization server (RFC 8414), which is also an OpenID Provider's document: some clients look
 * only there. It promises no ID tokens: the fields about them are there because those clients require them.
 */
const serverMetadata = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: origin + endpoints.authorization,
  token_endpoint: origin + endpoints.token,
  registration_endpoint: origin + endpoints.registration,
  revocation_endpoint: origin + endpoints.revocation,
  jwks_uri: origin + endpoints.jwks,
  scopes_supported: [defaultScope],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: clientAuthMethods,
  token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  revocation_endpoint_auth_methods_supported: clientAuthMethods,
  revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: resourcesOf(origin),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  service_documentation: `${origin}/api/v1/docs`,
});

/** The metadata of a protected resource (RFC 9728). */
const resourceMetadata = (origin: string, resource: string) => ({
  resource,
  authorization_servers: [origin],
  scopes_supported: [defaultScope],
  bearer_methods_supported: ['header'],
  resource_name: 'Webkiln',
  resource_documentation: `${origin}/api/v1/docs`,
});

/** Every metadata document by its path, as JSON text. Resources are named as clients reach them. */
export function metadataDocuments(origin: string, reached = origin): ReadonlyMap<string, string> {
  const server = JSON.stringify(serverMetadata(origin));
  const text = (described: string) => (described === 'server' ? server : JSON.stringify(resourceMetadata(origin, reached + described)));
  return new Map([...oauthMetadataPaths].map(([path, described]) => [path, text(described)]));
}

/** True for the paths that the authorization server serves. */
export const isOauthPath = (url = ''): boolean =>
  url.startsWith('/oauth/') || oauthMetadataPaths.has((url.split('?', 1)[0] ?? '').replace(/\/$/, ''));
