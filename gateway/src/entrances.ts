import type { RequestListener } from 'node:http';
import { Api } from './api/api.ts';
import { Routes } from './api/routes.ts';
import { RunOperation } from './api/run-operation.ts';
import { createApp } from './app.ts';
import { TurnReplies } from './chat/turn-replies.ts';
import type { GatewayConfig } from './config.ts';
import type { GatewayContext } from './context.ts';
import { showBuildLink, showBuildOrganization } from './embed/build-links.ts';
import { EmbedClientAdmission } from './embed/embed-client-admission.ts';
import { SessionEntrance } from './embed/session-entrance.ts';
import { streamSlots, uploadsOf } from './in-flight/limits.ts';
import { McpEntrance } from './mcp/mcp-entrance.ts';
import { Dashboard } from './pages/dashboard.ts';
import { Docs } from './pages/docs.ts';
import { Logos } from './pages/logos.ts';
import { pages } from './pages/pages.ts';
import type { HttpProxy } from './proxy/http-proxy.ts';
import { addressQuotas } from './rate-limit/address-quota.ts';

/** Limit of the activation form per window and client address. */
const submissionsPerWindow = 20;

interface Entrances {
  /** Everything on the platform's own host but agents. */
  readonly origin: RequestListener;
  /** Agents' messages. */
  readonly mcp: RequestListener;
  /** Ends the streams of turns, for a gateway that stops. */
  closeStreams(): void;
}

/** The entrances on the platform's own host. Those to sites are proxies only. */
export function createEntrances(config: GatewayConfig, context: GatewayContext, identity: HttpProxy): Entrances {
  const { admission, limiter, slowedRefusals, requestLog, clientAddress, responses, slots, writePace } = context;
  const { ORIGIN: origin, RATE_LIMIT: quota, REQUEST_TIMEOUT_MS: timeoutMs } = config;
  const turns = new TurnReplies(responses, streamSlots(config));
  const own = { origin, timeoutMs, clientAddress, responses, requestLog };
  const agents = new McpEntrance({ ...own, admission, slots, writePace });
  const perAddress = addressQuotas(limiter, slowedRefusals, clientAddress);
  const app = createApp({
    api: createApi(config, context, turns),
    identity,
    countSignIn: perAddress('sign-in', quota),
    countOauth: perAddress('oauth', quota),
    pages: pages({
      logos: new Logos(perAddress('logo', quota)),
      countSubmission: perAddress('activate', submissionsPerWindow),
      countAnswer: perAddress('form-mails', quota),
    }),
    embedSession: new SessionEntrance({
      ...own,
      admission: new EmbedClientAdmission({
        ...{ admission, limiter, slowedRefusals, clientAddress },
        ...{ quota, organizationQuota: config.QUOTA_REQUESTS },
      }),
      responses: context.serverResponses,
    }).handle,
    buildLink: showBuildLink(perAddress('build-link', quota), timeoutMs),
    buildOrganization: showBuildOrganization(perAddress('build-organization', quota), timeoutMs),
    dashboard: new Dashboard({ folder: config.DASHBOARD_DIR, sitesOrigin: config.SITES_ORIGIN, previewOrigin: config.PREVIEW_ORIGIN }),
  });
  return { origin: app, mcp: agents.handle, closeStreams: () => turns.close() };
}

function createApi(config: GatewayConfig, context: GatewayContext, turns: TurnReplies): Api {
  const { responses, admission, sessions, requestLog, slots, writePace } = context;
  const baseUrl = `${config.ORIGIN}/api/v1`;
  return new Api({
    routes: new Routes(),
    ...{ responses, admission, sessions, requestLog, slots, writePace },
    docs: new Docs(responses, baseUrl),
    run: new RunOperation({ responses, timeoutMs: config.REQUEST_TIMEOUT_MS, baseUrl, turns, uploads: uploadsOf(config) }),
  });
}
