/*
 * Runs in previews that a page shows in a frame. It takes two messages from the builder: `reload` with the paths that
 * changed, and `highlight`, while which a click on an element sends `clicked` with its selector and text, and the path
 * of an image. Whatever else runs in the preview can send the same, so the builder trusts none of it.
 */
(() => {
  const builder = document.currentScript.dataset.builder;
  const maxText = 200;
  const outline = '2px solid #2563eb';
  let outlined;
  let isHighlighting = false;

  const isPage = (path) => {
    const here = decodeURI(location.pathname).slice(1);
    return [here, `${here}.html`, `${here}index.html`].includes(path);
  };

  /** Loads a changed style sheet beside the old one, which goes once the new one applies: no flash. */
  const swapStyle = (link) => {
    const fresh = link.cloneNode();
    const address = new URL(link.href);
    address.searchParams.set('changed', String(Date.now()));
    fresh.href = address.href;
    fresh.addEventListener('load', () => link.remove(), { once: true });
    fresh.addEventListener('error', () => fresh.remove(), { once: true });
    link.after(fresh);
  };

  const stylesOf = (path) =>
    [...document.querySelectorAll('link[rel="stylesheet"]')].filter(
      ({ href }) => new URL(href).origin === location.origin && decodeURI(new URL(href).pathname) === `/${path}`,
    );

  const reload = (paths) => {
    // A page of another name cannot have changed this one; any other file may be part of it.
    const others = paths.filter((path) => !path.endsWith('.html') || isPage(path));
    if (others.length === 0) return;
    if (!others.every((path) => path.endsWith('.css'))) location.reload();
    else others.flatMap(stylesOf).forEach(swapStyle);
  };

  const release = () => {
    if (outlined) outlined.style.outline = '';
    outlined = undefined;
  };

  const selectorOf = (element) => {
    const steps = [];
    for (let at = element; at && at !== document.documentElement && steps.length < 8; at = at.parentElement) {
      if (at.id) {
        steps.unshift(`#${CSS.escape(at.id)}`);
        break;
      }
      const alike = [...(at.parentElement?.children ?? [])].filter(({ localName }) => localName === at.localName);
      steps.unshift(alike.length > 1 ? `${at.localName}:nth-of-type(${alike.indexOf(at) + 1})` : at.localName);
    }
    return steps.join(' > ');
  };

  /** The path of the file that an image of the site shows. */
  const imageOf = (element) => {
    const address = element instanceof HTMLImageElement ? new URL(element.currentSrc || element.src) : undefined;
    return address?.origin === location.origin ? decodeURI(address.pathname) : undefined;
  };

  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== builder || source !== parent || data?.source !== 'webkiln-builder') return;
    if (data.type === 'reload' && Array.isArray(data.paths)) reload(data.paths.map(String));
    if (data.type === 'highlight') {
      isHighlighting = data.on === true;
      if (!isHighlighting) release();
    }
  });

  addEventListener('pointerover', ({ target }) => {
    release();
    if (!isHighlighting || !(target instanceof HTMLElement)) return;
    outlined = target;
    target.style.outline = outline;
  });

  addEventListener(
    'click',
    (event) => {
      if (!isHighlighting || !(event.target instanceof Element)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      release();
      const text = (event.target.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, maxText);
      const clicked = { selector: selectorOf(event.target), text, image: imageOf(event.target) };
      parent.postMessage({ source: 'webkiln-preview', type: 'clicked', ...clicked }, builder);
    },
    { capture: true },
  );
})();
