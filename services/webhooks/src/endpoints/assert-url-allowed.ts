import { AppError } from '@webkiln/contract';
import { type Outbound, OutboundRefusal } from '@webkiln/outbound';

/** For an address that deliveries are to go to: throws `url_not_allowed`, with the reason. */
export async function assertUrlAllowed(outbound: Pick<Outbound, 'assertAllowed'>, url: string): Promise<void> {
  try {
    await outbound.assertAllowed(url);
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error;
    throw new AppError('url_not_allowed', [{ path: 'url', message: error.message.replace(/\.$/, '') }], { cause: error });
  }
}
