import { withWarning } from '@webkiln/http';
import { metadataDocuments } from '../metadata.ts';
import { passkeyScriptPath, reachScriptPath, stylePath } from './page.ts';
import { reachScript } from './reach-field.ts';

interface Asset {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Pages of other origins may read what clients ask for. */
export const openToAll = { 'Access-Control-Allow-Origin': '*' };

const asset = (type: string, text: string, more = {}): Asset => ({
  headers: {
    ...{ 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' },
    ...more,
  },
  text,
});

/** The metadata and the files of the pages by their path, for clients that reach the platform at `reached`. */
export const assets = (origin: string, reached = origin): ReadonlyMap<string, Asset> =>
  new Map([
    ...[...metadataDocuments(origin, reached)].map(([path, text]) => [path, asset('application/json', text, openToAll)] as const),
    [stylePath, asset('text/css', withWarning(origin, style))],
    [passkeyScriptPath, asset('text/javascript', passkeyScript)],
    [reachScriptPath, asset('text/javascript', reachScript)],
  ]);

/** The ids of the offer on the sign-in page, which has the script's texts, and of where it reports a refusal. */
export const passkeyIds = { offer: 'passkey', problem: 'passkey-problem' } as const;

/**
 * Offers passkeys on the sign-in page, by the routes that the dashboard uses. A browser that cannot convert their JSON
 * (WebAuthn 3 §5.1) shows no offer.
 */
const passkeyScript = `'use strict';
const offer = document.getElementById('${passkeyIds.offer}');
const problem = document.getElementById('${passkeyIds.problem}');
let isBusy = false;

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/api/auth/passkey/' + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const content = await response.json().catch(() => ({}));
  const { passkeyRefused, failed } = offer.dataset;
  if (!response.ok) throw new Error(content.code === 'passkey_refused' ? passkeyRefused : content.error || failed);
  return content;
}

async function signIn() {
  const { options } = await post('sign-in-options', {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (credential === null) throw new Error(offer.dataset.noPasskey);
  await post('sign-in', { response: credential.toJSON() });
}

offer.querySelector('button').addEventListener('click', async () => {
  if (isBusy) return;
  isBusy = true;
  problem.hidden = true;
  try {
    await signIn();
    location.replace(location.pathname);
  } catch (error) {
    problem.textContent = error instanceof TypeError ? offer.dataset.unreachable : error.message;
    problem.hidden = false;
  }
  isBusy = false;
});

if (typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function') offer.hidden = false;
`;

/**
 * The look of the dashboard's sign-in pages: colors and sizes of its `tokens.css`, `sign-in.css` and `controls.css`.
 */
const style = `:root { color-scheme: light dark; --ground: light-dark(#faf9f7, #131211); --surface: light-dark(#fff, #1a1917); --sunken: light-dark(#f3f1ed, #100f0e); --ink: light-dark(#1c1a17, #f2efe9); --soft: light-dark(#5f5a52, #b3ada3); --line: light-dark(#e6e2da, #2e2b28); --line-strong: light-dark(#b9b2a6, #57524b); --accent: light-dark(#ad401d, #f0926a); --primary: light-dark(#1c1a17, #f2efe9); --on-primary: light-dark(#fff, #1c1a17); --bad: light-dark(#ae2314, #ff9a8c); --bad-soft: light-dark(#fdebe8, #3b1a16); --warn: light-dark(#8a5300, #eab866); --warn-soft: light-dark(#fdf1dc, #36280f); }
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--ground); color: var(--ink); font: 0.9375rem / 1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif; text-size-adjust: 100%; }
body, h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
main { display: grid; grid-template-columns: minmax(0, 1fr); justify-items: center; align-content: center; gap: 24px; min-height: 100dvh; padding: 32px 16px 56px; }
.brand { display: flex; align-items: center; gap: 10px; font-size: 1.0625rem; font-weight: 640; letter-spacing: -0.012em; }
.card { display: grid; gap: 20px; grid-template-columns: minmax(0, 1fr); width: 100%; max-width: 408px; padding: 30px 28px; background: var(--surface); border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 1px 2px light-dark(#1c1a170a, #0000); overflow-wrap: anywhere; }
header { display: grid; gap: 5px; }
h1 { font-size: 1.375rem; font-weight: 640; line-height: 1.25; letter-spacing: -0.018em; }
h2 { margin-bottom: 6px; font-size: 0.875rem; font-weight: 620; }
.soft, .hint, .footer { color: var(--soft); }
.hint { font-size: 0.8125rem; }
.footer { font-size: 0.875rem; text-align: center; }
form { display: grid; gap: 16px; }
.offer { display: grid; gap: 16px; padding-top: 20px; border-top: 1px solid var(--line); }
[hidden] { display: none; }
.field { display: grid; gap: 5px; }
.field[hidden] { display: none; }
label, legend { font-size: 0.875rem; font-weight: 560; }
fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
legend { margin-bottom: 5px; padding: 0; }
.choices { display: grid; max-height: 19rem; overflow-y: auto; border: 1px solid var(--line-strong); border-radius: 8px; }
.choice { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 10px; align-items: center; min-height: 44px; padding: 8px 11px; font-weight: 450; cursor: pointer; }
.choices.all { max-height: none; }
.choices.all .choice { font-weight: 450; }
.choice + .choice { border-top: 1px solid var(--line); }
.choice:has(:checked) { background: var(--sunken); font-weight: 560; }
.choice:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: -2px; }
.choice .soft { font-weight: 450; }
form:not(:has([name=reach][value=project]:checked)) #of-project, form:not(:has([name=reach][value=client]:checked)) #of-client { display: none; }
.choice input { width: 18px; height: 18px; min-height: 0; margin: 0; accent-color: var(--accent); }
input, select { width: 100%; min-height: 38px; padding: 7px 11px; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 8px; }
button { min-height: 40px; padding: 0 13px; font: inherit; font-size: 0.875rem; font-weight: 550; color: var(--ink); background: var(--surface); border: 1px solid var(--line-strong); border-radius: 8px; cursor: pointer; }
button.primary { color: var(--on-primary); background: var(--primary); border-color: var(--primary); }
button.link { min-height: 0; padding: 0; border: 0; background: none; font-weight: inherit; }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }
.link, a { color: var(--accent); text-decoration: underline; text-underline-offset: 0.18em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.notice { padding: 11px 13px; font-size: 0.875rem; color: var(--bad); background: var(--bad-soft); border: 1px solid color-mix(in srgb, currentcolor 22%, transparent); border-radius: 8px; }
.target { display: grid; gap: 10px; padding: 13px 15px; background: var(--sunken); border-radius: 8px; }
.target dt { font-size: 0.8125rem; color: var(--soft); }
.target dd { font-weight: 600; }
.target .host { font-size: 1.125rem; }
.unverified { display: inline-block; padding: 0 7px; font-size: 0.75rem; font-weight: 560; color: var(--warn); background: var(--warn-soft); border-radius: 6px; }
ul { padding-left: 18px; }
li { margin-top: 3px; }
`;
