import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import { networkPrefixOf } from '@webkiln/http';
import { joinedShareOf } from '@webkiln/messages';
import type { Exchange } from '../api/exchange.ts';
import { type Authenticator, assertAllowedOrigin, type CredentialUse } from './authenticate.ts';
import { holdSlot, type RequestSlots, type WritePace } from './bounds.ts';
import type { Credential } from './credential-cache.ts';
import type { Quotas } from './quotas.ts';

/** The steps that admit a request, in the one order of all handlers. */
export const admissionSteps = [
  /** The request names our own address: `foreign_address`. */
  'host',
  /** The credential is valid, else the request counts against its address: 401, `rate_limited`. */
  'credential',
  /** RATE_LIMIT or SESSION_RATE_LIMIT of the credential, `requests` of its organization, RATE_LIMIT of an address. */
  'quota',
  /** The credential may come from this page and address: `browser_key`, `foreign_page`, `address_not_allowed`. */
  'origin',
  /** CREDENTIAL_CONCURRENCY of the credential or, without one, the network: `too_many_in_flight`, `overloaded`. */
  'slot',
  /** There is such an operation: `route_not_found`, `method_not_allowed`. */
  'route',
  /** The principal may run the operation, and its organization lets agents do so: 403. */
  'role',
  /** The organization lets its people in as they are: `organization_suspended`, `second_factor_required`. */
  'suspension',
  /** The body is JSON: 415. A handler whose next steps depend on it reads it here. */
  'body',
  /** A thirtieth of `requests` a second, for the writes of an organization: `too_many_in_flight`. */
  'pace',
  /** CREDENTIAL_STREAMS of the credential: `too_many_in_flight`. */
  'stream',
] as const;

export type AdmissionStep = (typeof admissionSteps)[number];

type Step<E extends Exchange> = (exchange: E) => void | Promise<void>;

/** Says why the requests of a handler have no such step. */
interface NotApplicable {
  readonly notApplicable: string;
}

/** A handler's own part of the steps: how its requests are read and checked, and why a step does not apply to them. */
interface OwnSteps<E extends Exchange> {
  readonly host: Step<E> | NotApplicable;
  /** Reads the credential and verifies it; undefined for a request that may go without one. */
  readonly authenticate: (exchange: E) => Promise<Credential> | undefined;
  readonly route: Step<E> | NotApplicable;
  readonly role: Step<E> | NotApplicable;
  /** The operation needs no organization, and is open to who may do nothing else in its own. */
  readonly needsNoOrganization: (exchange: E) => boolean;
  readonly body: Step<E> | NotApplicable;
  readonly isWrite: (exchange: E) => boolean;
  /** The response is a stream of a turn. */
  readonly isStream: ((exchange: E) => boolean) | NotApplicable;
}

interface Parts {
  readonly authenticator: Authenticator;
  readonly quotas: Quotas;
  readonly credentialUse: CredentialUse;
  /** Requests in flight, by credential or client network. */
  readonly slots: RequestSlots;
  readonly writePace: WritePace;
  /** Open streams of turns, by credential. */
  readonly streamSlots: RequestSlots;
  readonly origin: string;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly clientIp: (request: IncomingMessage) => string | undefined;
}

/** Admits a request, or throws the first refusal. */
export type Admit<E extends Exchange> = (exchange: E) => Promise<void>;

/** The steps that all handlers share, so that each bound counts over all of them. */
export class Admission {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get authenticator(): Authenticator {
    return this.#parts.authenticator;
  }

  get quotas(): Quotas {
    return this.#parts.quotas;
  }

  /** Builds the ladder of one handler, once. It sets `network`, `credential` and `releaseSlot` of an exchange. */
  ladder<E extends Exchange>(own: OwnSteps<E>): Admit<E> {
    const all: Readonly<Record<AdmissionStep, Step<E> | NotApplicable>> = {
      host: own.host,
      credential: (exchange) => this.#authenticate(exchange, own),
      quota: (exchange) => this.#consumeQuota(exchange),
      origin: (exchange) => this.#checkOrigin(exchange),
      slot: (exchange) => this.#holdSlot(exchange),
      route: own.route,
      role: own.role,
      suspension(exchange) {
        const { isSuspended, needsSecondFactor } = exchange.credential ?? {};
        if (!(isSuspended || needsSecondFactor) || own.needsNoOrganization(exchange)) return;
        throw new AppError(isSuspended ? 'organization_suspended' : 'second_factor_required');
      },
      body: own.body,
      pace: (exchange) => (own.isWrite(exchange) ? this.#waitForPace(exchange) : undefined),
      stream: this.#streamStep(own.isStream),
    };
    const steps = admissionSteps.map((name) => all[name]).filter((step) => typeof step === 'function');
    return async (exchange) => {
      exchange.network = networkPrefixOf(this.#parts.clientAddress(exchange.request));
      for (const step of steps) {
        const pending = step(exchange);
        if (pending !== undefined) await pending;
      }
    };
  }

  async #authenticate<E extends Exchange>(exchange: E, { authenticate }: OwnSteps<E>): Promise<void> {
    try {
      exchange.credential = await authenticate(exchange);
    } catch (error) {
      await this.#parts.quotas.consumeAddress(exchange);
      throw error;
    }
  }

  async #consumeQuota(exchange: Exchange): Promise<void> {
    const { quotas, credentialUse } = this.#parts;
    const { credential } = exchange;
    if (credential === undefined) return quotas.consumeAddress(exchange);
    await quotas.consume(exchange, credential);
    credentialUse.record(credential);
  }

  #checkOrigin({ request, credential }: Exchange): void {
    if (credential === undefined) return;
    assertAllowedOrigin(request, credential, this.#parts.origin);
    const { mayComeFrom } = credential;
    if (mayComeFrom === undefined) return;
    const ip = this.#parts.clientIp(request) ?? 'unknown';
    if (!mayComeFrom(ip)) throw new AppError('address_not_allowed', [{ path: '', message: `the request came from ${ip}` }]);
  }

  #holdSlot(exchange: Exchange): Promise<void> | undefined {
    const { slots, clientAddress } = this.#parts;
    const key = exchange.credential?.principal.credential_id ?? clientAddress(exchange.request);
    const { granted, release } = holdSlot(slots, key, exchange.response);
    exchange.releaseSlot = release;
    return granted;
  }

  #waitForPace({ credential }: Exchange): Promise<void> | undefined {
    const { writePace, quotas } = this.#parts;
    if (credential === undefined || credential.principal.org_id === '') return undefined;
    const { org_id } = credential.principal;
    const limit = quotas.organizationLimit(credential);
    // Clients who joined by a link hold up nobody but each other.
    return credential.joinedByLink ? writePace.wait(`joined:${org_id}`, joinedShareOf(limit)) : writePace.wait(org_id, limit);
  }

  #streamStep<E extends Exchange>(isStream: OwnSteps<E>['isStream']): Step<E> | NotApplicable {
    if (typeof isStream !== 'function') return isStream;
    const { streamSlots } = this.#parts;
    return (exchange) => {
      if (!isStream(exchange)) return undefined;
      return holdSlot(streamSlots, exchange.credential?.principal.credential_id ?? '', exchange.response).granted;
    };
  }
}
