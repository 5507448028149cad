/** Adds the pair of HTTP Basic credentials (RFC 7617) to a body; fields of the body go before. */
export function withPair(body: unknown, authorization: string | undefined): unknown {
  if (typeof body !== 'object' || body === null || authorization?.slice(0, 6).toLowerCase() !== 'basic ') return body;
  const text = Buffer.from(authorization.slice(6).trim(), 'base64').toString();
  const colon = text.indexOf(':');
  if (colon === -1) return body;
  return { client_id: text.slice(0, colon), client_secret: text.slice(colon + 1), ...body };
}
