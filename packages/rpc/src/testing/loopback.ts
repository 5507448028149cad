/** Services and callers for tests, on the loopback interface: real gRPC, in this process or in child processes. */
import * as grpc from '@grpc/grpc-js';
import { type Caller, callerFor, type Issuer, operatorPrincipal, type Principal, type ServiceName } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { closePeers, connectPeers, type PeersOptions } from '../client/peers.ts';
import { type IncomingReply, type MethodName, methodNamed, methodsOf, type RequestOf } from '../methods.ts';
import { createVerifier, generateSigningKey, Signer } from '../principal/principal.ts';
import { handle, type UseCase } from '../server/dispatch.ts';
import { type ServeOptions, type Serving, serve } from '../server/serve.ts';

export const transports = ['carried', 'unary'] as const;
export const service = 'projects-templates';
export const keys = generateSigningKey();

/** Implementations of some methods of a service; the others fail. */
export type Runs = { readonly [M in MethodName]?: UseCase<M>['run'] };

export const useCasesOf = (name: ServiceName, runs: Runs): UseCase[] =>
  methodsOf(name).map(({ name: method }) =>
    handle(method, (runs[method] as UseCase['run'] | undefined) ?? (() => Promise.reject(new Error(`${method} is not part of this test`)))),
  );

/** Lets these issuers state every principal, so that a test plays all callers of a service. */
export const trustingVerifier = (name: ServiceName, publicKey: string, issuers: readonly string[] = ['test']) =>
  createVerifier({
    service: name,
    trustedKeys: Object.fromEntries(issuers.map((issuer) => [issuer, publicKey])),
    ruleOf: () => () => true,
  });

/** Makes one unary call as an issuer, on a connection of its own. */
export async function callAs<M extends MethodName>(
  { issuer, signingKey, address }: { issuer: Issuer; signingKey: string; address: string },
  name: M,
  request: RequestOf<M>,
  principal: Principal,
): Promise<IncomingReply<M>> {
  const method = methodNamed(name);
  if (method === undefined) throw new Error(`no method ${name}`);
  const client = new grpc.Client(address, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  metadata.set('principal', await new Signer(issuer, signingKey).for(method.service).token(principal));
  try {
    return await new Promise((resolve, reject) =>
      client.makeUnaryRequest(method.path, method.encodeRequest, method.decodeReply, request as object, metadata, (error, reply) =>
        error === null ? resolve(reply as IncomingReply<M>) : reject(error),
      ),
    );
  } finally {
    client.close();
  }
}

/** A replica of projects-templates in this process; `await using` drains it. */
export async function startReplica(runs: Runs, options: Partial<ServeOptions> = {}): Promise<Serving & AsyncDisposable> {
  const verifier = trustingVerifier(service, keys.publicKey);
  const serving = await serve({ service, useCases: useCasesOf(service, runs), verifier, bind: '127.0.0.1', port: 0, ...options });
  return { ...serving, [Symbol.asyncDispose]: serving.drain };
}

/** Connects this process to the replicas at these ports; `await using` closes the connections. */
export function connectTo(
  transport: PeersOptions['transport'],
  ports: readonly number[],
  options: Partial<PeersOptions> = {},
): AsyncDisposable {
  const addresses = { [service]: ports.map((port) => `127.0.0.1:${port}`).join(',') };
  connectPeers({ issuer: 'test', signingKey: keys.privateKey, transport, addresses, ...options });
  return { [Symbol.asyncDispose]: closePeers };
}

/** A caller with an API key of the organization `org` and a deadline that no machine is too slow for. */
export const callerOf = (overrides: Partial<Caller> = {}): Caller => ({
  ...callerFor({ kind: 'api_key', org_id: 'org', credential_id: 'key', permissions: ['read', 'write'] }, { timeoutMs: 120_000 }),
  ...overrides,
});

/** The caller for RPCs that operators alone may call. */
export const operatorOf = (): Caller => callerOf({ principal: operatorPrincipal('org') });

// The tests provoke refusals on purpose; an error is a defect, or says why a test failed.
logger.level = 'error';

/** Waits for a state; the deadline only bounds how long a failure takes. */
export async function until(holds: () => boolean, timeoutMs = 120_000): Promise<void> {
  const deadlineAt = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > deadlineAt) throw new Error(`not so within ${timeoutMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
