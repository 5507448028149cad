/** What the page that embeds the builder hears. Nothing secret: the embedding page is another origin. */
type HostMessage =
  | { readonly type: 'ready'; readonly project_id: string }
  | { readonly type: 'message'; readonly turn_id: string | null; readonly state: string }
  | { readonly type: 'published'; readonly url: string }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** The origin of the page around this one. Only allowed origins may frame it: the gateway's frame-ancestors. */
function hostOrigin(): string | undefined {
  if (parent === window) return undefined;
  const { ancestorOrigins } = location as Location & { ancestorOrigins?: DOMStringList };
  const around = ancestorOrigins?.[0] ?? document.referrer;
  return URL.canParse(around) ? new URL(around).origin : undefined;
}

/** Tells the embedding page, if there is one. */
export function tellHost(message: HostMessage): void {
  const origin = hostOrigin();
  if (origin !== undefined) parent.postMessage({ source: 'webkiln', ...message }, origin);
}
