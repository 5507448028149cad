import { AppError } from '@webkiln/contract';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';

/** The library's interface to the storage of one of its models. */
export interface StoredModel {
  /** `expiresIn` in seconds. */
  upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void>;
  find(id: string): Promise<AdapterPayload | undefined>;
  consume?(id: string): Promise<void>;
  destroy?(id: string): Promise<void>;
  revokeByGrantId?(grantId: string): Promise<void>;
}

const unsupported =
  (what: string) =>
  async (_id: string): Promise<never> => {
    throw new Error(`${what} is not part of this server`);
  };

/** The library's adapter of a model. What the model leaves out is never called: it throws. */
export const storedAdapter = (model: StoredModel): Adapter => ({
  upsert: (id, payload, expiresIn = 0) => orUnavailable(model.upsert(id, payload, expiresIn)),
  find: (id) => orUnavailable(model.find(id)),
  findByUid: async () => undefined,
  findByUserCode: unsupported('the device flow'),
  consume: (id) => orUnavailable((model.consume ?? unsupported('using up such a record'))(id)),
  destroy: (id) => orUnavailable((model.destroy ?? unsupported('deleting such a record'))(id)),
  revokeByGrantId: (id) => orUnavailable((model.revokeByGrantId ?? unsupported('revoking such a record'))(id)),
});

/** Answers 503 where the library would answer 500 to a database that is away: the client repeats its request. */
export const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
    const answer = new errors.CustomOIDCProviderError('temporarily_unavailable', error.message);
    throw Object.assign(answer, { status: error.status, statusCode: error.status, cause: error });
  });
