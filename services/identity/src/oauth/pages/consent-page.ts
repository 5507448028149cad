import {
  type AgentScope,
  agentAbilities,
  agentAbilitiesFor,
  baseScope,
  type Language,
  needsOpening,
  type SessionRole,
} from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { pageTexts } from '../../texts.ts';
import { redirectHost } from '../clients/redirect-uri.ts';
import { notice, type Page, reachScriptPath } from './page.ts';
import { reachField } from './reach-field.ts';
import { type FormState, hidden } from './sign-in-pages.ts';

/** A membership that the person may connect the client to. */
export interface ConsentChoice {
  /** The member's or the user's id. */
  readonly id: string;
  readonly organization: string;
  readonly role: SessionRole;
  readonly organizationId: string;
}

export interface ConsentRequest {
  readonly client: string;
  readonly redirectUri: string;
  /** The host of the client's metadata document, which is proven. */
  readonly documentHost?: string;
  readonly email: string;
  readonly choices: readonly ConsentChoice[];
  /** What the client asks for besides reading, narrowest first. */
  readonly scopes: readonly AgentScope[];
  /** The id of the choice of the last time. */
  readonly chosen?: string;
  /** What the agent was limited to the last time. */
  readonly reach?: 'project' | 'client' | 'all';
}

/** What a scope lets the agent do in one of the organizations at least. */
function linesOf(scope: AgentScope, { choices }: Pick<ConsentRequest, 'choices'>, language: Language): string[] {
  const shown = new Set(choices.flatMap(({ role }) => agentAbilitiesFor(role)));
  return agentAbilities.filter((each) => each.scope === scope && shown.has(each)).map(({ id }) => pageTexts[language].lines[id]);
}

/** What the person can leave out: a box for each scope, ticked as the client asks for it. */
function scopeBoxes(request: ConsentRequest, language: Language): string {
  const boxes = request.scopes.flatMap((scope) => {
    const lines = linesOf(scope, request, language);
    if (lines.length === 0) return [];
    return `<label class="choice"><input type="checkbox" name="scope" value="${scope}" checked><span>${lines.map(escapeHtml).join('<br>')}</span></label>`;
  });
  if (boxes.length === 0) return '';
  return `<fieldset><legend>${pageTexts[language].consent.also}</legend><div class="choices all">${boxes.join('')}</div></fieldset>`;
}

/** Nothing is chosen beforehand, except what was chosen the last time, which comes first. */
const organizationField = ({ choices, chosen }: ConsentRequest, language: Language) => {
  const t = pageTexts[language];
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) {
    return `<input type="hidden" name="membership" value="${escapeHtml(only.id)}" data-organization="${escapeHtml(only.organizationId)}"><p>${t.consent.organization}: <strong>${escapeHtml(only.organization)}</strong>, ${t.roles[only.role]}</p>`;
  }
  const alphabetical = new Intl.Collator(language, { numeric: true });
  const byName = choices.toSorted((a, b) => alphabetical.compare(a.organization, b.organization));
  const ordered = [...byName.filter(({ id }) => id === chosen), ...byName.filter(({ id }) => id !== chosen)];
  const options = ordered.map(
    ({ id, organization, organizationId, role }) =>
      `<label class="choice"><input type="radio" name="membership" value="${escapeHtml(id)}" required${id === chosen ? ' checked' : ''} data-organization="${escapeHtml(organizationId)}"><span>${escapeHtml(organization)} <span class="soft">${t.roles[role]}</span></span></label>`,
  );
  return `<fieldset><legend>${t.consent.organization}</legend><div class="choices">${options.join('')}</div></fieldset>`;
};

/** Asks the person whether the client may act for it. */
export function consentPage(request: ConsentRequest, { token, message, ...answer }: FormState): Page {
  const { client, redirectUri, documentHost, email } = request;
  const { language } = answer;
  const t = pageTexts[language].consent;
  const proven = documentHost === undefined ? '' : `<div><dt>${t.statesIdentity}</dt><dd>${escapeHtml(documentHost)}</dd></div>`;
  return {
    title: t.title({ client }),
    main: `${notice(message)}
<dl class="target">
${target(client, redirectUri, language)}
${proven}</dl>
<p class="hint">${t.warning}</p>
<div><h2>${t.abilities}</h2><ul>${[...linesOf(baseScope, request, language), t.goesOn]
      .map((line) => `<li>${escapeHtml(line)}</li>`)
      .join('')}</ul></div>
<form method="post">
${hidden('token', token)}${hidden('step', 'decide')}
${scopeBoxes(request, language)}
<p class="hint">${request.scopes.some(needsOpening) ? t.boundsOpened : t.bounds}</p>
${organizationField(request, language)}
${reachField(
  request.reach ?? 'all',
  request.choices.some(({ role }) => role !== 'client'),
  language,
)}
<div class="actions"><button name="decision" value="deny" formnovalidate>${t.deny}</button><button class="primary" name="decision" value="allow">${t.allow}</button></div>
</form>`,
    footer: accountLine(email, token, language),
    script: reachScriptPath,
    ...answer,
  };
}

/** Who asks, and where the access goes. */
function target(client: string, redirectUri: string, language: Language): string {
  const t = pageTexts[language].consent;
  return `<div><dt>${t.callsItself}</dt><dd>${escapeHtml(client)} <span class="unverified">${t.unverified}</span></dd></div>
<div><dt>${t.accessGoesTo}</dt><dd class="host">${escapeHtml(redirectHost(redirectUri, t))}</dd></div>`;
}

interface ContinueRequest extends Pick<ConsentRequest, 'client' | 'redirectUri' | 'email' | 'scopes'> {
  /** The organization in which the person has allowed the client before. */
  readonly choice: ConsentChoice;
}

/** Asks a person who has allowed the client before, and whose agent has access, whether it has come back by itself. */
export function continuePage({ client, redirectUri, email, choice, scopes }: ContinueRequest, { token, language }: FormState): Page {
  const t = pageTexts[language];
  return {
    language,
    title: t.continue.title({ client }),
    main: `<dl class="target">
${target(client, redirectUri, language)}
<div><dt>${t.continue.as}</dt><dd>${escapeHtml(email)}</dd></div>
<div><dt>${t.consent.organization}</dt><dd>${escapeHtml(choice.organization)}, ${t.roles[choice.role]}</dd></div>
</dl>
<p class="hint">${t.continue.warning}</p>
<form method="post">
${hidden('token', token)}${hidden('step', 'decide')}${hidden('membership', choice.id)}${scopes.map((scope) => hidden('scope', scope)).join('')}
<div class="actions"><button name="decision" value="deny" formnovalidate>${t.continue.cancel}</button><button class="primary" name="decision" value="allow">${t.continue.submit}</button></div>
</form>`,
    footer: accountLine(email, token, language),
  };
}

function accountLine(email: string, token: string, language: Language): string {
  const t = pageTexts[language].account;
  return `<form method="post"><p>${escapeHtml(t.signedIn({ email }))} ${hidden('token', token)}<button class="link" name="step" value="sign-out">${t.other}</button></p></form>`;
}

/** For an account that belongs to no organization, or whose access is paused everywhere. */
export function noOrganizationPage(client: string, email: string, { token, language }: FormState): Page {
  const t = pageTexts[language].noOrganization;
  return {
    language,
    title: t.title,
    text: t.text({ client }),
    main: `<form method="post">
${hidden('token', token)}${hidden('step', 'decide')}
<p><a href="/" target="_blank" rel="noopener">${t.toDashboard}</a>. ${t.thenReload}</p>
<button name="decision" value="deny">${pageTexts[language].continue.cancel}</button>
</form>`,
    footer: accountLine(email, token, language),
  };
}
