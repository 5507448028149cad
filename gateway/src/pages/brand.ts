import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';

/** An organization's name, logo and colour, as its clients see them. */
export type Brand = NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;

const timeoutMs = 5_000;

/** Throws `organization_not_found`. */
export async function brandOf(org_id: string): Promise<Brand> {
  const { brand } = await call('identity.GetBrand', {}, callerFor(servicePrincipal('gateway', org_id), { timeoutMs }));
  if (!brand) throw new AppError('organization_not_found');
  return brand;
}
