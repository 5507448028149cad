import type { RawRequest } from './raw-http.ts';
import type { Draft } from './valid-requests.ts';

/** The request of a draft, unchanged or with another body. */
export function asIs(
  { operation, path, query, body }: Draft,
  key = '',
  sent: string | Buffer | undefined = body && JSON.stringify(body),
): RawRequest {
  const authorization = ['Authorization', `Bearer ${key}`] as const;
  const search = new URLSearchParams(query).toString();
  return {
    method: operation.method,
    target: `/api/v1${path}${search && '?'}${search}`,
    headers: sent === undefined ? [authorization] : [authorization, ['Content-Type', 'application/json']],
    body: sent,
  };
}

/** The body as JSON with `field` set to the JSON text `text`. */
export function withField({ body = {} }: Draft, field: string, text: string): string {
  const others = Object.entries(body).filter(([name]) => name !== field);
  return `{${[...others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `${JSON.stringify(field)}:${text}`].join()}}`;
}

export function fieldOf({ operation }: Draft, pick: number): string {
  const names = Object.keys(operation.body?.properties ?? {});
  return names[pick % names.length] ?? 'name';
}

export const cut = (text: string, at: number) => text.slice(0, at % text.length);

export const exchanged = ({ headers }: RawRequest, header: readonly [string, string]) => [
  ...headers.filter(([name]) => name.toLowerCase() !== header[0].toLowerCase()),
  header,
];

export function withPiece({ path }: Draft, pick: number, piece: string): string {
  const pieces = path.split('/');
  pieces[1 + (pick % (pieces.length - 1))] = piece;
  return `/api/v1${pieces.join('/')}`;
}
