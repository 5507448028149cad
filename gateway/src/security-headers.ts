import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

type Directives = Readonly<Record<string, readonly string[]>>;

/** Headers that only affect documents; data responses leave them out to stay small. */
const documentOnly = {
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

/**
 * Computes helmet's headers once at start: a flat list of names and values for `writeHead`.
 * Without `directives` the headers suit data that anybody may read; with them they suit a document under that
 * Content-Security-Policy.
 */
export function securityHeaders(directives?: Directives, resourcePolicy: 'cross-origin' | 'same-origin' = 'cross-origin'): string[] {
  const headers: string[] = [];
  const collector = { setHeader: (name: string, value: string) => void headers.push(name, value), removeHeader: () => undefined };
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"], ...directives },
    },
    crossOriginResourcePolicy: { policy: resourcePolicy },
    ...(directives === undefined && documentOnly),
  });
  protect({} as IncomingMessage, collector as unknown as ServerResponse, () => undefined);
  return headers;
}
