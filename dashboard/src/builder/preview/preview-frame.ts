/** An element that the user clicked in the preview. */
export interface Selected {
  readonly selector: string;
  readonly text: string;
  /** The path of the image file that it shows, if it is an image of the site. */
  readonly image?: string;
}

const maxSelector = 300;
const maxText = 200;
const imagePath = /^\/[\w./-]{1,200}$/;

/**
 * What a preview sent, if it is a click on an element. The preview may run anybody's scripts: only the frame itself, at
 * its own origin, is heard, and what it sends is short text that the user sees before it is used.
 */
export function selectedBy({ source, origin, data }: MessageEvent, frame: HTMLIFrameElement | null): Selected | undefined {
  if (frame === null || source !== frame.contentWindow || origin !== new URL(frame.src).origin) return undefined;
  if (typeof data !== 'object' || data === null || data.source !== 'webkiln-preview' || data.type !== 'clicked') return undefined;
  const { selector, text, image } = data;
  if (typeof selector !== 'string' || typeof text !== 'string') return undefined;
  const isPath = typeof image === 'string' && imagePath.test(image);
  return { selector: selector.slice(0, maxSelector), text: text.slice(0, maxText), ...(isPath && { image }) };
}

type Request = { readonly type: 'reload'; readonly paths: readonly string[] } | { readonly type: 'highlight'; readonly on: boolean };

const loaded = new WeakSet<HTMLIFrameElement>();

/** Its page has loaded, so that its script hears what it is asked. */
export const markLoaded = (frame: HTMLIFrameElement): unknown => loaded.add(frame);

/** True until the frame has its first page; before that it has another origin. */
export const isLoading = (frame: HTMLIFrameElement | null): boolean => frame !== null && !loaded.has(frame);

/** Asks the script in the preview; nobody else gets the message. */
export function askPreview(frame: HTMLIFrameElement | null, request: Request): void {
  if (frame !== null && !isLoading(frame))
    frame.contentWindow?.postMessage({ source: 'webkiln-builder', ...request }, new URL(frame.src).origin);
}
