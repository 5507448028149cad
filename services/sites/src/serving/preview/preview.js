/*
 * Runs in previews that a page shows in a frame. It takes four messages from the builder: `reload` with the paths that
 * changed; `highlight`, while which a click on an element sends `clicked` with its selector and text, and the path of an
 * image; `where`, which it answers with `here` and the path of the page; and `edit`, while which a text that is typed
 * over is sent as `typed`. Whatever else runs in the preview can send the same, so the builder trusts none of it.
 */
(() => {
  const builder = document.currentScript.dataset.builder;
  const maxText = 200;
  const outline = '2px solid #2563eb';
  let outlined;
  let isHighlighting = false;
  const send = (message) => parent.postMessage({ source: 'webkiln-preview', ...message }, builder);

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
      document.documentElement.style.cursor = isHighlighting ? 'crosshair' : '';
      if (!isHighlighting) release();
    }
    if (data.type === 'where') send({ type: 'here', path: location.pathname });
    if (data.type === 'edit') setEditing(data.on === true);
  });

  addEventListener('pointerover', ({ target }) => {
    release();
    const isMeant = isHighlighting || (isEditing && typing === undefined && textOf(target) !== undefined);
    if (!isMeant || !(target instanceof HTMLElement)) return;
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
      send({ type: 'clicked', selector: selectorOf(event.target), text, image: imageOf(event.target) });
    },
    { capture: true },
  );

  // Typing: one text node at a time stands in an element that can be edited, and is put back when it is done.
  const closed = 'script,style,textarea,template,noscript,iframe,select,button,svg,math,[contenteditable]';
  const maxDepth = 200;
  const maxLength = 2000;
  const maxTexts = 2000;
  let isEditing = false;
  let typing;
  let reachable = [];

  const isEditable = (node) =>
    node?.nodeType === Node.TEXT_NODE && node.data.trim() !== '' && node.data.length <= maxLength && !node.parentElement?.closest(closed);

  /** The first text directly in an element. */
  const textOf = (element) => [...(element?.childNodes ?? [])].find(isEditable);

  /** The place of a node: its index among all children, and those of its ancestors, below the root. */
  const placeOf = (node) => {
    const place = [];
    for (let at = node; at !== document.documentElement; at = at.parentNode) {
      if (!at.parentNode || place.length === maxDepth) return undefined;
      place.unshift([...at.parentNode.childNodes].indexOf(at));
    }
    return place;
  };

  /** Texts are reached by keyboard, too: their elements take the focus while editing is on. */
  const setEditing = (on) => {
    finish(true);
    isEditing = on;
    for (const element of reachable) element.removeAttribute('tabindex');
    reachable = [];
    if (!on) return release();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let count = 0; count < maxTexts && texts.nextNode(); count++) {
      const element = texts.currentNode.parentElement;
      if (!isEditable(texts.currentNode) || element.tabIndex >= 0) continue;
      element.tabIndex = 0;
      reachable.push(element);
    }
  };

  const begin = (node, offset) => {
    const at = placeOf(node);
    if (at === undefined) return;
    release();
    const field = document.createElement('span');
    field.setAttribute('contenteditable', 'plaintext-only');
    field.style.cssText = `outline: ${outline}; outline-offset: 3px; cursor: text; user-select: text;`;
    field.textContent = node.data.trim();
    typing = { node, field, at, before: node.data };
    node.replaceWith(field);
    field.addEventListener('blur', () => finish(true));
    field.focus();
    const words = field.firstChild;
    const start = node.data.length - node.data.trimStart().length;
    getSelection()?.collapse(words, Math.min(Math.max(offset - start, 0), words.length));
  };

  /** Puts the text back: as it was typed if it is to be saved and another one, else as it was. */
  const finish = (isSaved) => {
    if (typing === undefined) return;
    const { node, field, at, before } = typing;
    typing = undefined;
    const text = field.textContent.replace(/\s+/g, ' ').trim().slice(0, maxLength);
    field.replaceWith(node);
    if (!isSaved || text === '' || text === before.trim()) return;
    node.data = before.replace(before.trim(), () => text);
    send({ type: 'typed', at, before, text });
  };

  addEventListener(
    'click',
    (event) => {
      if (!isEditing) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (typing?.field.contains(event.target)) return;
      const caret = event.detail > 0 ? document.caretPositionFromPoint?.(event.clientX, event.clientY) : undefined;
      const isUnder = isEditable(caret?.offsetNode) && event.target.contains(caret.offsetNode);
      const node = isUnder ? caret.offsetNode : textOf(event.target);
      if (node !== undefined) begin(node, isUnder ? caret.offset : node.data.length);
    },
    { capture: true },
  );

  addEventListener(
    'keydown',
    (event) => {
      if (!isEditing || event.isComposing) return;
      const { key } = event;
      const node = typing === undefined && key === 'Enter' ? textOf(document.activeElement) : undefined;
      if (typing === undefined && node === undefined) return;
      // The page's own shortcuts are not meant.
      event.stopImmediatePropagation();
      if (key !== 'Enter' && key !== 'Escape') return;
      event.preventDefault();
      if (node !== undefined) begin(node, node.data.length);
      else {
        const element = typing.node.parentElement ?? typing.field.parentElement;
        finish(key === 'Enter');
        element?.focus({ preventScroll: true });
      }
    },
    { capture: true },
  );
})();
