import { tmpdir } from 'node:os';
import { wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';

const mb = 1_048_576;

/** Settings of what is in flight: each caller and network can use up its own share, never another's. */
export const inFlightConfig = {
  CREDENTIAL_CONCURRENCY: wholeNumber(1, 100_000).default(16).describe('API requests of one credential at once; more wait'),
  CREDENTIAL_STREAMS: wholeNumber(1, 100_000).default(32).describe('Open streams of turns of one credential at once'),
  NETWORK_CONCURRENCY: wholeNumber(1, 100_000)
    .default(64)
    .describe('Proxied requests of one client network at once, for each service; more wait'),
  PROXY_CONNECTIONS: wholeNumber(1, 10_000).default(256).describe('Connections to each replica of a proxied service'),
  QUEUE_TIMEOUT_MS: wholeNumber(1, 60_000).default(5000).describe('How long a request may wait for its turn'),
  CREDENTIAL_UNSENT_MB: wholeNumber(1, 10_000)
    .default(25)
    .transform((size) => size * mb),
  NETWORK_UNSENT_MB: wholeNumber(1, 10_000)
    .default(100)
    .transform((size) => size * mb),
  CONNECTIONS_MAX: wholeNumber(1, 1_000_000).default(10_000).describe('Open connections of clients'),
  NETWORK_CONNECTIONS_MAX: wholeNumber(1, 1_000_000).default(512).describe('Open connections of one client network'),
  STALL_TIMEOUT_MS: wholeNumber(100, 600_000).default(20_000).describe('How long a client may send or read too little'),
  UPLOAD_MIN_BYTES_PER_S: wholeNumber(0, 1_000_000_000).default(1000).describe('The slowest body that is still read'),
  UPLOAD_TIMEOUT_MS: wholeNumber(1000, 3_600_000).default(300_000).describe('How long a whole request may take to arrive'),
  UPLOADS_DIR: z.string().min(1).default(tmpdir()).describe('The folder of bodies of more than 1 MB while they arrive'),
  UPLOADS_MB: wholeNumber(160, 1_000_000)
    .default(1024)
    .transform((size) => size * mb),
};
