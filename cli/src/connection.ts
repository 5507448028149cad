import { createPrivateKey } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call, closePeers, connectPeers, type IncomingReply, type MethodName, type RequestOf } from '@webkiln/rpc';
import { operatorKey, portOf } from './development-platform.ts';
import { OperatorError } from './operator-error.ts';

type IdentityMethod = Extract<MethodName, `identity.${string}`>;

const timeoutMs = 10_000;

/** Runs `work` connected to identity: at the address in the environment, or on the platform of `DATA_DIR`. */
export async function withIdentity<T>(work: () => Promise<T>): Promise<T> {
  const address = process.env.IDENTITY_ADDRESS ?? `127.0.0.1:${portOf('identity')}`;
  const signingKey = process.env.OPERATOR_SIGNING_KEY ?? operatorKey();
  assertSigningKey(signingKey);
  connectPeers({ issuer: 'operator', signingKey, transport: 'unary', addresses: { identity: address } });
  try {
    return await work();
  } catch (error) {
    throw explained(error, address);
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
function explained(error: unknown, address: string): unknown {
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'unavailable')
    return new OperatorError(`Identity does not answer at ${address}: are it and its database running?`, { cause: error });
  if (code === 'internal')
    return new OperatorError('Identity refused: its log says why. Does it trust this OPERATOR_SIGNING_KEY?', { cause: error });
  return error;
}

/** Calls identity as an operator, for one organization if an id is given. */
export const ask = <M extends IdentityMethod>(method: M, request: RequestOf<M>, orgId?: string): Promise<IncomingReply<M>> =>
  call(method, request, callerFor(operatorPrincipal(orgId), { timeoutMs }));

/** The id of the organization with this id or slug. */
export async function organizationId(idOrSlug: string): Promise<string> {
  const { organization } = await ask('identity.GetOrganization', { organization: idOrSlug });
  if (organization === null) throw new OperatorError(`Identity told nothing of ${idOrSlug}.`);
  return organization.id;
}
