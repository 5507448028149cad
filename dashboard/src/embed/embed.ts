/**
 * `{origin}/embed.js`, the global `Webkiln`: shows the builder in a page of another origin. It runs in pages of others,
 * so it has no dependencies and leaves nothing behind but its frame and one listener.
 */

const answerTimeoutMs = 30_000;
const noAnswer = "The builder does not answer. Is this page's origin one of the embed client's allowed origins?";

export interface EmbedOptions {
  /** The `builder_url` of an embed session, with its token. */
  readonly url: string;
  /** The builder shows the project. */
  readonly onReady?: (event: { readonly project_id: string }) => void;
  /** A chat message was answered. */
  readonly onMessage?: (event: { readonly turn_id: string | null; readonly state: string }) => void;
  readonly onPublished?: (event: { readonly url: string }) => void;
  /** `session_ended`: embed the URL of a new session. `no_answer`: the frame stayed empty. Others are the API's. */
  readonly onError?: (event: { readonly code: string; readonly message: string }) => void;
}

export interface Embedded {
  readonly frame: HTMLIFrameElement;
  /** Takes the builder out of the page. */
  remove(): void;
}

const shown = new WeakMap<Element, Embedded>();

/** Shows the builder in the element, in place of what it holds. Throws TypeError if `url` is no http or https URL. */
export function embed(element: Element, { url, onReady, onMessage, onPublished, onError }: EmbedOptions): Embedded {
  const { origin, protocol } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new TypeError('url must be the builder_url of an embed session');
  shown.get(element)?.remove();

  const frame = document.createElement('iframe');
  frame.title = 'Website builder';
  // Tells the builder this page's origin, and no more: the only one that it sends events to.
  frame.referrerPolicy = 'origin';
  frame.allow = `clipboard-write ${origin}`;
  // An element with a minimal height alone gives no height to take a percentage of.
  frame.style.cssText = 'width:100%;height:100%;min-height:inherit;border:0;display:block';
  frame.src = url;

  let timer: ReturnType<typeof setTimeout> | undefined;
  const receivers = new Map<unknown, ((event: never) => void) | undefined>([
    ['ready', onReady],
    ['message', onMessage],
    ['published', onPublished],
    ['error', onError],
  ]);
  const receive = ({ source, origin: from, data }: MessageEvent) => {
    if (source === null || source !== frame.contentWindow || from !== origin || data?.source !== 'webkiln') return;
    clearTimeout(timer);
    frame.onload = null;
    const { source: _, type, ...event } = data;
    receivers.get(type)?.(event as never);
  };
  // A frame that the browser refuses to show loads too, and says nothing.
  frame.onload = () => {
    timer = setTimeout(() => onError?.({ code: 'no_answer', message: noAnswer }), answerTimeoutMs);
  };
  const embedded = {
    frame,
    remove() {
      removeEventListener('message', receive);
      clearTimeout(timer);
      frame.remove();
      if (shown.get(element) === embedded) shown.delete(element);
    },
  };
  addEventListener('message', receive);
  shown.set(element, embedded);
  element.replaceChildren(frame);
  return embedded;
}
