import { agentAbilities, agentLinesFor, type SessionRole } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { notice, type Page } from './page.ts';
import { type FormState, hidden } from './sign-in-pages.ts';

/** A membership that the person may connect the client to. */
export interface ConsentChoice {
  /** The member's or the user's id. */
  readonly id: string;
  readonly organization: string;
  readonly role: SessionRole;
}

export interface ConsentRequest {
  readonly client: string;
  /** "claude.ai" or "this computer (localhost)". */
  readonly redirectHost: string;
  /** The host of the client's metadata document, which is proven. */
  readonly documentHost?: string;
  readonly email: string;
  readonly choices: readonly ConsentChoice[];
  /** The id of the choice of the last time. */
  readonly chosen?: string;
}

const yourRole = { owner: 'an owner', admin: 'an admin', developer: 'a developer', viewer: 'a viewer', client: 'a client' } as const;

/** What the agent may do in one of the organizations at least. */
function abilities(choices: readonly ConsentChoice[]): string[] {
  const shown = new Set(choices.flatMap(({ role }) => agentLinesFor(role)));
  const lines = agentAbilities.map(({ line }) => line).filter((line) => shown.has(line));
  return [...lines, 'Go on until you disconnect it in the dashboard, also while you are away'];
}

const alphabetical = new Intl.Collator('en', { numeric: true });

/** Nothing is chosen beforehand, except what was chosen the last time, which comes first. */
const organizationField = ({ choices, chosen }: ConsentRequest) => {
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) {
    return `${hidden('membership', only.id)}<p>Organization: <strong>${escapeHtml(only.organization)}</strong>, as ${yourRole[only.role]}</p>`;
  }
  const byName = choices.toSorted((a, b) => alphabetical.compare(a.organization, b.organization));
  const ordered = [...byName.filter(({ id }) => id === chosen), ...byName.filter(({ id }) => id !== chosen)];
  const options = ordered.map(
    ({ id, organization, role }) =>
      `<label class="choice"><input type="radio" name="membership" value="${escapeHtml(id)}" required${id === chosen ? ' checked' : ''}><span>${escapeHtml(organization)} <span class="soft">as ${yourRole[role]}</span></span></label>`,
  );
  return `<fieldset><legend>Organization</legend><div class="choices">${options.join('')}</div></fieldset>`;
};

/** Asks the person whether the client may act for it. */
export function consentPage(request: ConsentRequest, { token, message, ...answer }: FormState): Page {
  const { client, redirectHost, documentHost, email, choices } = request;
  const proven = documentHost === undefined ? '' : `<div><dt>It states its identity at</dt><dd>${escapeHtml(documentHost)}</dd></div>`;
  return {
    title: `Connect ${client}?`,
    main: `${notice(message)}
<dl class="target">
<div><dt>It calls itself</dt><dd>${escapeHtml(client)} <span class="unverified">unverified</span></dd></div>
<div><dt>Access goes to</dt><dd class="host">${escapeHtml(redirectHost)}</dd></div>
${proven}</dl>
<p class="hint">We do not check names. Allow this only if you have just started it yourself and know this address.</p>
<div><h2>It will be able to</h2><ul>${abilities(choices)
      .map((line) => `<li>${escapeHtml(line)}</li>`)
      .join('')}</ul></div>
<p class="hint">It can do only what your own role allows. It cannot see what visitors sent by forms, or manage domains, webhooks, members, API keys, credits, payments or your account.</p>
<form method="post">
${hidden('token', token)}${hidden('step', 'decide')}
${organizationField(request)}
<div class="actions"><button name="decision" value="deny" formnovalidate>Deny</button><button class="primary" name="decision" value="allow">Allow</button></div>
</form>`,
    footer: accountLine(email, token),
    ...answer,
  };
}

interface ContinueRequest extends Pick<ConsentRequest, 'client' | 'redirectHost' | 'email'> {
  /** The organization in which the person has allowed the client before. */
  readonly choice: ConsentChoice;
}

/** Asks a person who has allowed the client before, and whose agent has access, whether it has come back by itself. */
export const continuePage = ({ client, redirectHost, email, choice }: ContinueRequest, { token }: FormState): Page => ({
  title: `Continue to ${client}?`,
  main: `<dl class="target">
<div><dt>It calls itself</dt><dd>${escapeHtml(client)} <span class="unverified">unverified</span></dd></div>
<div><dt>Access goes to</dt><dd class="host">${escapeHtml(redirectHost)}</dd></div>
<div><dt>You continue as</dt><dd>${escapeHtml(email)}</dd></div>
<div><dt>Organization</dt><dd>${escapeHtml(choice.organization)}, as ${yourRole[choice.role]}</dd></div>
</dl>
<p class="hint">You have allowed this before. Continue only if you have just started it yourself, and not by a link that somebody sent you.</p>
<form method="post">
${hidden('token', token)}${hidden('step', 'decide')}${hidden('membership', choice.id)}
<div class="actions"><button name="decision" value="deny" formnovalidate>Cancel</button><button class="primary" name="decision" value="allow">Continue</button></div>
</form>`,
  footer: accountLine(email, token),
});

const accountLine = (email: string, token: string) =>
  `<form method="post"><p>Signed in as ${escapeHtml(email)}. ${hidden('token', token)}<button class="link" name="step" value="sign-out">Use another account</button></p></form>`;

/** For an account that belongs to no organization, or whose access is paused everywhere. */
export const noOrganizationPage = (client: string, email: string, { token }: FormState): Page => ({
  title: 'No organization to connect',
  text: `Your account belongs to no organization that ${client} could work in.`,
  main: `<form method="post">
${hidden('token', token)}${hidden('step', 'decide')}
<p>Open one <a href="/" target="_blank" rel="noopener">in the dashboard</a>, then reload this page.</p>
<button name="decision" value="deny">Cancel</button>
</form>`,
  footer: accountLine(email, token),
});
