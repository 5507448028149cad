import { createPrivateKey } from 'node:crypto';
import { userInfo } from 'node:os';
import { AppError } from '@webkiln/contract';
import { addressSetting, callerFor, operatorPrincipal, type RpcServiceName } from '@webkiln/messages';
import { call, closePeers, connectPeers, type IncomingReply, type OperatorMethod, type RequestOf } from '@webkiln/rpc';
import { ConfigError, readConfig, startTls, tlsConfig } from '@webkiln/runtime';
import * as z from 'zod';
import { operatorKey, portOf } from './development/development-platform.ts';
import { OperatorError } from './operator-error.ts';

const defaultTimeoutMs = 10_000;

export const withIdentity = <T>(work: () => Promise<T>): Promise<T> => withService('identity', work);

/** Runs `work` connected to one service. */
export const withService = <T>(service: RpcServiceName, work: () => Promise<T>): Promise<T> => withServices([service], work);

/** Runs `work` connected to services: at the addresses in the environment, or on the platform of `DATA_DIR`. */
export async function withServices<T>(services: readonly RpcServiceName[], work: () => Promise<T>): Promise<T> {
  const addresses = Object.fromEntries(
    services.map((service) => [service, process.env[addressSetting(service)] ?? `127.0.0.1:${portOf(service)}`]),
  );
  const signingKey = process.env.OPERATOR_SIGNING_KEY ?? operatorKey();
  assertSigningKey(signingKey);
  useTls();
  connectPeers({ issuer: 'operator', signingKey, transport: 'unary', addresses });
  try {
    return await work();
  } catch (error) {
    throw explained(error, addresses);
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

/** With TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE, as on a platform whose processes have them. */
function useTls(): void {
  try {
    startTls(readConfig(z.object(tlsConfig)));
  } catch (error) {
    throw error instanceof ConfigError ? new OperatorError(error.message, { cause: error }) : error;
  }
}

/** Rewords errors of the catalogue for operators. */
function explained(error: unknown, addresses: Readonly<Record<string, string>>): unknown {
  const names = Object.keys(addresses).map((service) => `${service[0]?.toUpperCase()}${service.slice(1)}`);
  const [name, at] = [names.join(' or '), Object.values(addresses).join(', ')];
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'unavailable')
    return new OperatorError(`${name} does not answer at ${at}: are it and its database running?`, { cause: error });
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
): Promise<IncomingReply<M>> => call(method, request, callerFor(operatorPrincipal(orgId, operatorName()), { timeoutMs }));

const maxNameLength = 64;

/** Who runs the command, as audit logs name the operator: WEBKILN_OPERATOR, or the user of the operating system. */
function operatorName(): string {
  const name = process.env.WEBKILN_OPERATOR ?? userName();
  return (
    name
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, maxNameLength) || 'operator'
  );
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id without a name.
    return '';
  }
}

/** The id of the organization with this id or slug. */
export async function organizationId(idOrSlug: string): Promise<string> {
  const { organization } = await ask('identity.GetOrganization', { organization: idOrSlug });
  if (organization === null) throw new OperatorError(`Identity told nothing of ${idOrSlug}.`);
  return organization.id;
}
