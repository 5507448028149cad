import { generateKeyPairSync, hash, type JsonWebKey, randomBytes } from 'node:crypto';
import type { SecretList } from '@webkiln/runtime';
import { openUnder, organizationKeys, seal } from '@webkiln/sealing';
import { defineGlobalModel, isDuplicate, unscoped } from '@webkiln/store';

interface KeyState {
  _id: string;
  /** Both keys as JSON, sealed under AUTH_SECRET; base64. */
  sealed: string;
  created_at: Date;
  expires_at: Date;
}

interface KeyPair {
  /** Signs the cookies of authorization requests; base64url. */
  cookie: string;
  /** Signs what the library signs: an ES256 private key. */
  signing: JsonWebKey;
}

/** The keys in use, newest first: the first signs, all verify. */
export interface ActiveKeys {
  readonly version: string;
  readonly cookies: readonly string[];
  readonly signing: readonly JsonWebKey[];
}

const dayMs = 24 * 3_600_000;
const rotationMs = 30 * dayMs;
/** Signatures of the last key are verified for as long again. */
const lifetimeMs = 2 * rotationMs;
/** A new key signs only when every replica has read it: they reload once a minute. */
const spreadMs = 5 * 60_000;

const KeyModel = defineGlobalModel<KeyState>(
  'oauth_keys',
  { sealed: { type: String, required: true }, created_at: { type: Date, required: true }, expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/**
 * Loads the keys that all replicas share, and adds those of this period if nobody has. Their ids are the periods, so of
 * replicas that add one at once a single one succeeds. Keys that no AUTH_SECRET opens are left out. The first one has
 * keys of its own, which sign soon, so older ones are not resealed.
 */
export async function loadKeys(secrets: SecretList, now = new Date()): Promise<ActiveKeys> {
  const sealingKeys = organizationKeys(secrets, 'keys of the authorization server');
  const [sealingKey] = sealingKeys;
  const period = `period ${Math.floor(now.getTime() / rotationMs)} under ${hash('sha256', sealingKey, 'base64url').slice(0, 8)}`;
  let keys = await readKeys(sealingKeys);
  if (!keys.some(({ _id }) => _id === period)) {
    await addKey(period, sealingKey, now);
    keys = await readKeys(sealingKeys);
  }
  const isSpread = ({ created_at }: { created_at: Date }) => now.getTime() - created_at.getTime() >= spreadMs;
  // Only verifying until then, unless it is the only one.
  const ordered = [...keys.filter(isSpread), ...keys.filter((key) => !isSpread(key))];
  return {
    version: ordered.map(({ _id, created_at }) => `${_id} of ${created_at.toISOString()}`).join(),
    cookies: ordered.map(({ pair }) => pair.cookie),
    signing: ordered.map(({ pair }) => pair.signing),
  };
}

async function readKeys(sealingKeys: SecretList<Uint8Array>) {
  // All live for as long: in the order in which they were made.
  const stored = await unscoped(KeyModel).find({}, { sort: { expires_at: -1 }, limit: 10 });
  return stored.flatMap(({ _id, sealed, created_at }) => {
    try {
      const pair: KeyPair = JSON.parse(Buffer.from(openUnder(sealingKeys, Buffer.from(sealed, 'base64')).bytes).toString());
      return [{ _id, created_at, pair }];
    } catch {
      return [];
    }
  });
}

async function addKey(period: string, sealingKey: Uint8Array, now: Date): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pair: KeyPair = { cookie: randomBytes(32).toString('base64url'), signing: privateKey.export({ format: 'jwk' }) };
  const sealed = Buffer.from(seal(sealingKey, Buffer.from(JSON.stringify(pair)))).toString('base64');
  const insert = () =>
    unscoped(KeyModel).insert({ _id: period, sealed, created_at: now, expires_at: new Date(now.getTime() + lifetimeMs) });
  await insert().catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
}
