import { logger, type SecretList } from '@webkiln/runtime';
import { openUnder, organizationKeys, seal } from '@webkiln/sealing';
import { defineGlobalModel, isDuplicate, unscoped } from '@webkiln/store';

/** The keys that derive from AUTH_SECRET. */
export interface AuthKeys {
  /** The first signs and seals what is new, each verifies and opens. */
  readonly secrets: SecretList;
  /**
   * Derives the keys of digests by which records are found. It never changes, since a digest cannot be made again
   * without its text.
   */
  readonly digestMaster: Uint8Array;
}

// Global: one for the deployment. It is sealed under the first AUTH_SECRET; base64.
const DigestMasterModel = defineGlobalModel<{ sealed: string }>('digest_masters', { sealed: { type: String, required: true } });

const _id = 'master';

/**
 * Reads the key of looked-up digests, and seals it again if an older secret sealed it. At the first start it is the
 * first of `secrets`, which made the digests of earlier versions. Throws if no listed secret opens it.
 */
export async function loadAuthKeys(secrets: SecretList): Promise<AuthKeys> {
  const keys = organizationKeys(secrets, 'master key of digests');
  const sealed = (master: Uint8Array) => Buffer.from(seal(keys[0], master)).toString('base64');
  const stored = await unscoped(DigestMasterModel).findOne({ _id });
  if (stored === null) {
    await unscoped(DigestMasterModel)
      .insert({ _id, sealed: sealed(Buffer.from(secrets[0])) })
      .catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
      });
    return loadAuthKeys(secrets);
  }
  const { bytes, isCurrent } = opened(keys, stored.sealed);
  if (!isCurrent) {
    // A replica that starts at once may have done it.
    await unscoped(DigestMasterModel).updateOne({ _id, sealed: stored.sealed }, { $set: { sealed: sealed(bytes) } });
    logger.info({}, 'resealed the key of digests with the first of AUTH_SECRET');
  }
  return { secrets, digestMaster: bytes };
}

function opened(keys: SecretList<Uint8Array>, sealed: string) {
  try {
    return openUnder(keys, Buffer.from(sealed, 'base64'));
  } catch (cause) {
    throw new Error(
      'no secret of AUTH_SECRET opens what this deployment has sealed: list the former secret behind the new one; docs/secrets.md says what to do if it is lost',
      { cause },
    );
  }
}
