import { hash } from 'node:crypto';

/** A UUID of version 8 (RFC 9562, section 5.8) from the SHA-256 of a text: equal texts have one id. */
export function derivedId(text: string): string {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
