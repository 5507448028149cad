import { createHmac } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const stepSeconds = 30;

/** Returns the code of an authenticator app for an otpauth:// URL (RFC 6238, six digits, SHA-1), `steps` from now. */
export function totp(address: string, steps = 0): string {
  const secret = bytesOf(new URL(address).searchParams.get('secret') ?? '');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / stepSeconds) + steps));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const at = mac.readUInt8(mac.length - 1) & 0x0f;
  return String((mac.readUInt32BE(at) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

/** Decodes Base32 (RFC 4648 §6) without padding. */
function bytesOf(base32: string): Buffer {
  const bits = [...base32.replaceAll('=', '')].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
