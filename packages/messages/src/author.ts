import type { Author } from '@webkiln/contract';
import type { Caller, Principal } from './caller.ts';

/** Who made a state of a site, as its record keeps it: by id, so that it holds no name. */
export interface StoredAuthor {
  readonly kind: Author['kind'];
  readonly id: string;
  /** The name that an agent gave itself. */
  readonly agent?: string;
}

/** The caller as the author of a record; empty for services, which act for somebody. */
export function authorship({ principal }: Pick<Caller, 'principal'>): { readonly author?: StoredAuthor } {
  const author = byKind(principal);
  return author === undefined ? {} : { author: { ...author, ...(principal.agent !== undefined && { agent: principal.agent }) } };
}

function byKind({ kind, account_id, user_id, credential_id }: Principal): StoredAuthor | undefined {
  if (kind === 'service') return undefined;
  if (kind === 'session') return { kind: 'person', id: account_id ?? credential_id };
  if (kind === 'oauth_token') return { kind: 'agent', id: account_id ?? credential_id };
  return kind === 'embed_token' ? { kind: 'embed_user', id: user_id ?? credential_id } : { kind, id: credential_id };
}
