/** An element that the user clicked in the preview. */
export interface Selected {
  readonly selector: string;
  readonly text: string;
  /** The path of the image file that it shows, if it is an image of the site. */
  readonly image?: string;
}

/** A line before the message that names what was pointed at: engines then read the message as it was written. */
export const partOf = ({ selector, text, image }: Selected) =>
  `[${selector}${text === '' ? '' : ` “${text}”`}${image === undefined ? '' : ` ${image}`}]`;

/** A text of the page that the user has typed over: where it is, and what it was. */
export interface TypedText {
  readonly at: readonly number[];
  readonly before: string;
  readonly text: string;
}

const maxSelector = 300;
const maxText = 200;
const imagePath = /^\/[\w./-]{1,200}$/;
const maxTyped = 2000;
const maxDepth = 200;

/**
 * What a preview sent as `type`. The preview may run anybody's scripts: only the frame itself, at its own origin, is
 * heard, and what it sends is short text that the user sees.
 */
function sentBy(
  { source, origin, data }: MessageEvent,
  frame: HTMLIFrameElement | null,
  type: string,
): Record<string, unknown> | undefined {
  if (frame === null || source !== frame.contentWindow || origin !== new URL(frame.src).origin) return undefined;
  if (typeof data !== 'object' || data === null || data.source !== 'webkiln-preview' || data.type !== type) return undefined;
  return data;
}

/** The element that was clicked, seen before it is used. */
export function selectedBy(event: MessageEvent, frame: HTMLIFrameElement | null): Selected | undefined {
  const { selector, text, image } = sentBy(event, frame, 'clicked') ?? {};
  if (typeof selector !== 'string' || typeof text !== 'string') return undefined;
  const isPath = typeof image === 'string' && imagePath.test(image);
  return { selector: selector.slice(0, maxSelector), text: text.slice(0, maxText), ...(isPath && { image }) };
}

/** The text that was typed. It is none without a click or key of the user a moment ago, wherever in the page. */
export function typedIn(event: MessageEvent, frame: HTMLIFrameElement | null): TypedText | undefined {
  const { at, before, text } = sentBy(event, frame, 'typed') ?? {};
  if (navigator.userActivation?.isActive === false || !Array.isArray(at) || at.length > maxDepth || !at.every(Number.isInteger))
    return undefined;
  if (typeof before !== 'string' || typeof text !== 'string' || before.length > maxTyped || text.length > maxTyped) return undefined;
  return { at, before, text };
}

/** The path of the page that the preview says it shows. */
export function shownBy(event: MessageEvent, frame: HTMLIFrameElement | null): string | undefined {
  const { path } = sentBy(event, frame, 'here') ?? {};
  return typeof path === 'string' ? path : undefined;
}

type Request =
  | { readonly type: 'reload'; readonly paths: readonly string[] }
  | { readonly type: 'highlight' | 'edit'; readonly on: boolean }
  | { readonly type: 'where' };

const loaded = new WeakSet<HTMLIFrameElement>();

/** Its page has loaded, so that its script hears what it is asked. True for its first page. */
export function markLoaded(frame: HTMLIFrameElement): boolean {
  const isFirst = !loaded.has(frame);
  loaded.add(frame);
  return isFirst;
}

/** True until the frame has its first page; before that it has another origin. */
export const isLoading = (frame: HTMLIFrameElement | null): boolean => frame !== null && !loaded.has(frame);

/** Asks the script in the preview; nobody else gets the message. */
export function askPreview(frame: HTMLIFrameElement | null, request: Request): void {
  if (frame !== null && !isLoading(frame))
    frame.contentWindow?.postMessage({ source: 'webkiln-builder', ...request }, new URL(frame.src).origin);
}
