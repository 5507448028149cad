import { errors } from 'oidc-provider';
import { keysProblem } from './client-keys.ts';
import { maxRedirectUris, redirectUriProblem } from './redirect-uri.ts';

const maxNameLength = 200;
const grantTypes = ['authorization_code', 'refresh_token'];

type Metadata = Record<string, unknown>;

/**
 * Brings a client's metadata, registered (RFC 7591) or fetched, into what this server supports, as §2 allows: it always
 * gets both grant types, whatever it asks for. Throws `invalid_redirect_uri` or
 * `invalid_client_metadata`.
 */
export function settleMetadata(metadata: Metadata): void {
  const uris: unknown = metadata.redirect_uris;
  if (!Array.isArray(uris) || uris.length === 0) throw new errors.InvalidClientMetadata('redirect_uris must name at least one address');
  if (uris.length > maxRedirectUris) throw new errors.InvalidClientMetadata(`redirect_uris must name at most ${maxRedirectUris} addresses`);
  for (const uri of uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw new errors.InvalidClientMetadata(`redirect_uris ${problem}`);
  }
  const problem = keysProblem(metadata);
  if (problem !== undefined) throw new errors.InvalidClientMetadata(problem);
  assertSupported(metadata, 'grant_types', 'authorization_code');
  assertSupported(metadata, 'response_types', 'code');
  metadata.grant_types = grantTypes;
  metadata.response_types = ['code'];
  // A client may ask for every scope, whatever it thought of when it registered: its person decides.
  delete metadata.scope;
  // The library's rules by type are looser for "web" and exclude addresses of each type; ours are above.
  metadata.application_type = uris.every((uri: string) => /^https?:/i.test(uri)) ? 'web' : 'native';
  const name = metadata.client_name;
  if (typeof name === 'string') metadata.client_name = shownName(name);
  if (metadata.client_name === '') delete metadata.client_name;
}

function assertSupported(metadata: Metadata, field: string, needed: string): void {
  const wanted = metadata[field];
  if (wanted === undefined || (Array.isArray(wanted) && wanted.includes(needed))) return;
  throw new errors.InvalidClientMetadata(`${field} must include ${needed}`);
}

/** A name cannot pretend to be other text of the page: no control characters, no change of the writing direction. */
const shownName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, maxNameLength);
