import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { inHashTurn } from './hash-turns.ts';

const saltBytes = 16;
const keyBytes = 64;
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };

export const minPasswordLength = 8;
export const maxPasswordLength = 128;

export const Password = z
  .string()
  .min(minPasswordLength, `must have at least ${minPasswordLength} characters`)
  .max(maxPasswordLength, `must have at most ${maxPasswordLength} characters`);

/**
 * Returns `<salt>:<key>`, both hex: scrypt (RFC 7914) in better-auth's format, which uses the hex text itself as the
 * salt.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes).toString('hex');
  return `${salt}:${(await keyOf(password, salt)).toString('hex')}`;
}

export async function passwordMatches(password: string, passwordHash: string): Promise<boolean> {
  const [salt = '', key = ''] = passwordHash.split(':');
  const expected = Buffer.from(key, 'hex');
  return expected.length === keyBytes && timingSafeEqual(await keyOf(password, salt), expected);
}

/**
 * NFKC unifies what different keyboards send for the same password. Throws `overloaded` if too many wait for a hash.
 */
const keyOf = (password: string, salt: string) =>
  inHashTurn(
    () =>
      new Promise<Buffer>((resolve, reject) =>
        scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error))),
      ),
  );
