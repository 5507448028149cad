import { createPrivateKey } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { addressSetting, callerFor, operatorPrincipal, type ServiceName } from '@webkiln/messages';
import { call, closePeers, connectPeers, type IncomingReply, type MethodName, type RequestOf } from '@webkiln/rpc';
import { operatorKey, portOf } from './development-platform.ts';
import { OperatorError } from './operator-error.ts';

type OperatorMethod = Extract<MethodName, `${'identity' | 'maintenance'}.${string}`>;

const defaultTimeoutMs = 10_000;

export const withIdentity = <T>(work: () => Promise<T>): Promise<T> => withService('identity', work);

/** Runs `work` connected to a service: at the address in the environment, or on the platform of `DATA_DIR`. */
export async function withService<T>(service: ServiceName, work: () => Promise<T>): Promise<T> {
  const address = process.env[addressSetting(service)] ?? `127.0.0.1:${portOf(service)}`;
  const signingKey = process.env.OPERATOR_SIGNING_KEY ?? operatorKey();
  assertSigningKey(signingKey);
  connectPeers({ issuer: 'operator', signingKey, transport: 'unary', addresses: { [service]: address } });
  try {
    return await work();
  } catch (error) {
    throw explained(error, service, address);
  } finally {
    await closePeers();
  }
}

function assertSigningKey(text: string): void {
  try {
    createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  } catch (error) {
    throw new OperatorError('OPERATOR_SIGNING_KEY is no Ed25519 private key in base64 PKCS8.', { cause: error });
  }
}

/** Rewords errors of the catalogue for operators. */
function explained(error: unknown, service: ServiceName, address: string): unknown {
  const name = `${service[0]?.toUpperCase()}${service.slice(1)}`;
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'unavailable')
    return new OperatorError(`${name} does not answer at ${address}: are it and its database running?`, { cause: error });
  if (code === 'internal')
    return new OperatorError(`${name} refused: its log says why. Does it trust this OPERATOR_SIGNING_KEY?`, { cause: error });
  return error;
}

/** Calls a service as an operator, for one organization if an id is given. */
export const ask = <M extends OperatorMethod>(
  method: M,
  request: RequestOf<M>,
  orgId?: string,
  timeoutMs = defaultTimeoutMs,
): Promise<IncomingReply<M>> => call(method, request, callerFor(operatorPrincipal(orgId), { timeoutMs }));

/** The id of the organization with this id or slug. */
export async function organizationId(idOrSlug: string): Promise<string> {
  const { organization } = await ask('identity.GetOrganization', { organization: idOrSlug });
  if (organization === null) throw new OperatorError(`Identity told nothing of ${idOrSlug}.`);
  return organization.id;
}
