import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Addresses } from '../platform/process-table.ts';
import type { Secrets } from '../platform/secrets.ts';
import { writeAtomically } from '../platform/write-atomically.ts';
import { AgencyApi } from './agency-api.ts';

const Demo = z.object({
  origin: z.string(),
  base_url: z.string(),
  member: z.object({ email: z.string(), password: z.string() }),
  api_key: z.string(),
  read_only_key: z.string(),
  write_only_key: z.string(),
  client_email: z.string(),
  project_id: z.string(),
  /** The address of the live site; absent in a demo that predates publishing. */
  site_url: z.string().optional(),
  template_id: z.string(),
  plan_id: z.string(),
  invited_client_email: z.string(),
  /** What the example page opens the builder with. */
  embed: z.object({ client_id: z.string(), client_secret: z.string(), allowed_origin: z.string() }),
  other_org: z.object({ api_key: z.string(), client_id: z.string(), project_id: z.string() }),
});

export type Demo = z.output<typeof Demo>;

/** A file that predates the builder has no embed client. */
const StoredDemo = Demo.partial({ embed: true });

interface Environment {
  readonly dataFolder: string;
  readonly origin: string;
  /** The gateway's own address: that of a proxy before it may not be up yet, or have a certificate of its own. */
  readonly loopback?: string;
  /** The parent address of all published sites. */
  readonly sitesOrigin: string;
  readonly addresses: Addresses;
  readonly secrets: Secrets;
  /** Origin of the page that shows the builder in a frame: `http://127.0.0.1:3000`. */
  readonly exampleOrigin: string;
}

/**
 * The demo of a data folder, `demo.json`: two sample organizations, created at the first start. Each step is
 * idempotent, so the next start completes an interrupted one.
 */
export async function ensureDemo({
  dataFolder,
  origin,
  loopback = origin,
  sitesOrigin,
  addresses,
  secrets,
  exampleOrigin,
}: Environment): Promise<Demo> {
  const file = path.join(dataFolder, 'demo.json');
  const place = { origin, base_url: `${origin}/api/v1` };
  const known = existsSync(file) ? StoredDemo.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  const paired = known?.embed?.allowed_origin === exampleOrigin ? known.embed : undefined;
  if (known?.origin === origin && paired !== undefined) return { ...known, embed: paired };
  const { createDemo } = await import('./create-demo.ts'); // slow to load, and rarely needed
  const made = known ?? (await createDemo(`${loopback}/api/v1`, addresses, secrets));
  const embed = paired ?? (await (await AgencyApi.signedIn(loopback, origin, made.member)).exampleEmbedClient(exampleOrigin));
  const demo = { ...place, ...made, ...place, embed, site_url: made.site_url && atOrigin(sitesOrigin, made.site_url) };
  writeAtomically(file, demo, 0o600);
  return demo;
}

/** The site's address below another origin, for example on another port, with the same name. */
function atOrigin(sitesOrigin: string, siteUrl: string): string {
  const { protocol, host } = new URL(sitesOrigin);
  const [name] = new URL(siteUrl).host.split('.');
  return `${protocol}//${name}.${host}`;
}
