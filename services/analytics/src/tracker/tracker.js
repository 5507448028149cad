/**
 * Counts the views of a page, one for each navigation, including those by `history.pushState`. Sets no cookies,
 * stores nothing, and sends nothing for visitors who ask not to be tracked.
 */
(() => {
  const { document, navigator, location, history } = window;
  if (navigator.doNotTrack === '1' || window.doNotTrack === '1' || navigator.globalPrivacyControl) return;
  // A page that embeds parts of another page may load the script twice.
  if (window.webkilnCounts) return;
  window.webkilnCounts = true;

  const url = '/api/collect';
  /** The server ignores repeats within ten minutes, so older views are not sent again. */
  const keptMs = 500000;
  const longestWaitMs = 60000;
  /** Views that the server has not accepted yet. */
  let waiting = [];
  let sending = false;
  let waitMs = 1000;
  let shownPath;

  const body = (events) => JSON.stringify({ events });

  /** The oldest that go into one request: browsers refuse `keepalive` above 64 KB in all, and so does the server. */
  const oldest = () => {
    let count = waiting.length;
    while (count > 1 && body(waiting.slice(0, count)).length > 20000) count >>= 1;
    return waiting.slice(0, count);
  };

  const send = () => {
    waiting = waiting.filter(({ at }) => Date.now() - at < keptMs);
    const batch = oldest();
    if (sending || batch.length === 0) return;
    sending = true;
    const done = (taken) => {
      sending = false;
      if (taken) waiting = waiting.filter((event) => !batch.includes(event));
      waitMs = taken ? 1000 : Math.min(waitMs * 2, longestWaitMs);
      if (waiting.length > 0) setTimeout(send, taken ? 0 : waitMs);
    };
    // Client errors are permanent: do not send again.
    fetch(url, { method: 'POST', body: body(batch), keepalive: true, credentials: 'omit' }).then(
      ({ status }) => done(status < 500 && status !== 429),
      () => done(false),
    );
  };

  /** The campaign that led to the page, by the parameters of its address. */
  const campaign = () => {
    const parameters = new URLSearchParams(location.search);
    const of = (name) => parameters.get(name) || undefined;
    return { source: of('utm_source'), medium: of('utm_medium'), campaign: of('utm_campaign') };
  };

  const view = (referrer, cause) => {
    shownPath = location.pathname;
    const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
    waiting = [...waiting, { id, path: shownPath, referrer, at: Date.now(), ...cause }].slice(-50);
    send();
  };

  /** A changed fragment or query alone is not a new page. */
  const moved = () => {
    if (location.pathname !== shownPath) view('');
  };

  const start = () => {
    view(document.referrer, campaign());
    for (const name of ['pushState', 'replaceState']) {
      const original = history[name];
      history[name] = function (...given) {
        original.apply(this, given);
        moved();
      };
    }
    addEventListener('popstate', moved);
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) view('');
    });
    addEventListener('pagehide', () => {
      // With `keepalive`, a request in flight outlives the page.
      if (waiting.length > 0 && !(sending && 'keepalive' in Request.prototype) && navigator.sendBeacon(url, body(oldest()))) waiting = [];
    });
  };

  if (document.prerendering) document.addEventListener('prerenderingchange', start, { once: true });
  else start();
})();
