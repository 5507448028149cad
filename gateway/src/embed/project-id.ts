import { createHash, randomUUID } from 'node:crypto';

/**
 * The id of a project that the request makes: a UUID of version 8 (RFC 9562), the same for the same Idempotency-Key of
 * one user, so that a retry makes no second project; random without a key.
 */
export function projectIdFor(embedClientId: string, userId: string, key: string | string[] | undefined): string {
  if (key === undefined) return randomUUID();
  const bytes = createHash('sha256')
    .update(JSON.stringify([embedClientId, userId, key]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
