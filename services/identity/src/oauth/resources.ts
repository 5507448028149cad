import { type AgentScope, addressParameters, agentScopes, defaultScope } from '@webkiln/contract';
import { isOwnMachine } from '@webkiln/http';
import { oauthResourcePaths } from '@webkiln/messages';

/** The scopes that an authorization request asks for: those that there are, or the default one (RFC 6749 §3.3). */
export function scopesAsked(text: string): AgentScope[] {
  const asked = new Set(text.split(' '));
  const known = agentScopes.filter((scope) => asked.has(scope));
  return known.length === 0 ? [defaultScope] : known;
}

/** What the records of before there were several scopes stand for. */
export const scopesOf = ({ scopes = [defaultScope] }: { readonly scopes?: readonly string[] | undefined }): readonly string[] => scopes;

/** The resources of this server (RFC 8707); the first one is the default. */
export const resourcesOf = (origin: string): string[] => oauthResourcePaths.map((path) => origin + path);

/**
 * The resource that a client means: clients name it with a slash at its end, by the origin alone, or by another name of
 * this machine. Whatever else is stays as it is, to be refused.
 */
export function resourceMeant(origin: string, stated: string): string {
  const url = URL.parse(stated);
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return stated;
  if (url.origin !== origin && !(isOwnMachine(origin) && isOwnMachine(url.origin) && url.port === new URL(origin).port)) return stated;
  const path = url.pathname.replace(/\/$/, '');
  // The address of an agent may ask for tools by its query: it is the same server.
  const isOfAgent = path === oauthResourcePaths[0] && [...url.searchParams.keys()].every((name) => addressParameters.has(name));
  if (url.search !== '' && !isOfAgent) return stated;
  return path === '' ? (resourcesOf(origin)[0] ?? stated) : origin + path;
}

/** Seconds. */
export const lifetimes = {
  /** Between the redirect to the client and its call for tokens. */
  code: 60,
  accessToken: 3600,
  /** A refresh token that is not used; each use gives a new one. */
  refreshToken: 90 * 24 * 3600,
  /** For the person to sign in and to decide. */
  interaction: 3600,
} as const;

const daySeconds = 24 * 3600;

/** How long a registration is kept without a connection, and after the last use of one: seconds. */
export const registrationLifetimes = { unused: 7 * daySeconds, used: 400 * daySeconds } as const;
