import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

const saltBytes = 16;
const keyBytes = 64;
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };

export const shortestPassword = 8;
export const longestPassword = 128;

export const Password = z
  .string()
  .min(shortestPassword, `must have at least ${shortestPassword} characters`)
  .max(longestPassword, `must have at most ${longestPassword} characters`);

/** `<salt>:<key>`, both hex: scrypt (RFC 7914) as better-auth keeps it, whose salt is the hex text itself. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes).toString('hex');
  return `${salt}:${(await keyOf(password, salt)).toString('hex')}`;
}

export async function passwordMatches(password: string, passwordHash: string): Promise<boolean> {
  const [salt = '', key = ''] = passwordHash.split(':');
  const expected = Buffer.from(key, 'hex');
  return expected.length === keyBytes && timingSafeEqual(await keyOf(password, salt), expected);
}

/** NFKC makes one password of what different keyboards send for it. */
const keyOf = (password: string, salt: string) =>
  new Promise<Buffer>((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error))),
  );
