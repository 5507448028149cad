import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import {
  CallCredentials,
  ChannelCredentials,
  Metadata,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import { certificateNames, logger, type TlsIdentity } from '@webkiln/runtime';
import type { Headers } from './wire.ts';

const maxMessageBytes = 48 * 1024 * 1024;
export const maxReconnectMs = 500;

export const clientOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  // With HTTP/2's default of 64 KB the sender of a few lists waits, again and again, until the receiver has read.
  'grpc-node.flow_control_window': 1024 * 1024,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': maxReconnectMs,
  // A process that hangs or a host that is gone is detected within 10 s.
  'grpc.keepalive_time_ms': 5000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.enable_channelz': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};

export const serverOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  // A caller that hangs or whose host is gone is detected within 20 s, and its calls are cancelled.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.enable_channelz': 0,
};

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Proves this process to the replicas of a service, and they prove to be that service. Without `tls` neither does. */
export const channelCredentials = (tls: TlsIdentity | undefined, service: string): ChannelCredentials =>
  tls === undefined ? ChannelCredentials.createInsecure() : new MutualTlsChannel(tls, service);

/** Takes the files of the moment for each connection; gRPC's own credentials keep those of their start. */
class MutualTlsChannel extends ChannelCredentials {
  readonly #tls: TlsIdentity;
  readonly #service: string;
  #hasFailed = false;

  constructor(tls: TlsIdentity, service: string) {
    super();
    this.#tls = tls;
    this.#service = service;
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(_target: unknown, _options: unknown, credentials = CallCredentials.createEmpty()): Connector {
    return {
      connect: (socket) => this.#connect(socket),
      waitForReady: async () => undefined,
      getCallCredentials: () => credentials,
      destroy: () => undefined,
    };
  }

  /** The certificate has the service's name, because replicas are called at their IP addresses. */
  #connect(socket: Socket): ReturnType<Connector['connect']> {
    const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; secure: boolean }>();
    const secured = connect({ socket, secureContext: this.#tls.context, servername: this.#service, ALPNProtocols: ['h2'] }, () => {
      this.#hasFailed = false;
      resolve({ socket: secured, secure: true });
    });
    secured.on('error', (err) => {
      if (!secured.authorized) this.#report(err);
      reject(err);
    });
    secured.on('close', () => reject(new Error('the connection was closed during the TLS handshake')));
    return promise;
  }

  /** Once until a connection succeeds, because gRPC tries again several times a second. */
  #report(err: Error): void {
    if (!this.#hasFailed) logger.warn({ err, service: this.#service }, 'TLS to a replica failed; connecting again');
    this.#hasFailed = true;
  }
}

/** Callers must prove themselves by a certificate of our authorities. Without `tls` they need none. */
export const serverCredentials = (tls: TlsIdentity | undefined): ServerCredentials =>
  tls === undefined ? ServerCredentials.createInsecure() : new MutualTlsServer(tls);

class MutualTlsServer extends ServerCredentials {
  constructor(tls: TlsIdentity) {
    super({ requestCert: true, rejectUnauthorized: true }, tls.material);
    tls.on('change', () => this.updateSecureContextOptions(tls.material));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Refuses every call, health checks included, of a process whose certificate has none of the names. */
export const onlyCallers =
  (names: readonly string[]): ServerInterceptor =>
  (_method, call) => {
    const { sslPeerCertificate: certificate } = call.getAuthContext();
    const stated = certificate === undefined ? [] : certificateNames(certificate);
    if (stated.some((name) => names.includes(name))) return new ServerInterceptingCall(call);
    logger.warn({ stated, expected: names }, 'call refused: the certificate is not that of a caller of this service');
    return new ServerInterceptingCall(call, {
      start: () => call.sendStatus({ code: status.PERMISSION_DENIED, details: 'this certificate may not call this service' }),
    });
  };

/** Values beyond printable ASCII need gRPC's binary form, which the suffix of the name marks. */
const printable = /^[ -~]*$/;
const binary = '-bin';

/** Converts headers to the metadata of a plain gRPC call. */
export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    if (printable.test(value)) metadata.set(name, value);
    else metadata.set(`${name}${binary}`, Buffer.from(value));
  }
  return metadata;
}

/** The reverse of `metadataOf`. The last value of a repeated header counts. */
export function headersIn(metadata: Metadata): Headers {
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') headers[name] = value;
    else headers[name.slice(0, -binary.length)] = value.toString();
  }
  return headers;
}
