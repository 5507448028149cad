import type { Language } from '@webkiln/contract';
import { pageTexts } from '../../texts.ts';

/** What an agent is limited to in its organization; all null: to nothing. */
export interface Reach {
  readonly project_id: string | null;
  readonly limited_client_id: string | null;
}

/** The kinds of limits, narrowest first: the values of the radio buttons, and the names of their fields. */
const kinds = ['project', 'client'] as const;
type Kind = (typeof kinds)[number];

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** What a form chose, by the id or the address of a page; undefined if it names nothing. */
export function reachIn(form: URLSearchParams): Reach | undefined {
  const chosen = kinds.find((kind) => kind === form.get('reach'));
  const id = uuid.exec(form.get(chosen ?? '') ?? '')?.[0].toLowerCase() ?? null;
  if (chosen !== undefined && id === null) return undefined;
  return { project_id: chosen === 'project' ? id : null, limited_client_id: chosen === 'client' ? id : null };
}

/** How far the agent reaches, narrowest first; `chosen` is what was allowed the last time. */
export function reachField(chosen: Kind | 'all', isForClients: boolean, language: Language): string {
  const t = pageTexts[language].reach;
  const offered = isForClients ? kinds : kinds.filter((kind) => kind !== 'client');
  const choice = (value: Kind | 'all') =>
    `<label class="choice"><input type="radio" name="reach" value="${value}"${value === chosen ? ' checked' : ''}><span>${t.choices[value]}</span></label>`;
  const field = (kind: Kind) =>
    `<div class="field of-one" id="of-${kind}" data-label="${t.labels[kind]}" data-other="${t.other}"><label for="${kind}">${t.addresses[kind]}</label><input id="${kind}" name="${kind}" autocomplete="off" spellcheck="false"><p class="hint">${t.hint}</p></div>`;
  return `<fieldset><legend>${t.title}</legend><div class="choices">${[...offered, 'all' as const].map(choice).join('')}</div></fieldset>
${offered.map(field).join('\n')}`;
}

/**
 * Offers projects and clients by name where they can be read: those of the organization that the person's session is
 * in. They come from the API and not from us: identity calls no other service.
 */
export const reachScript = `'use strict';
const form = document.querySelector('form:has(.of-one)');
const lists = { project: '/projects?limit=100&status=active', client: '/clients?limit=100' };
const nameOf = ({ company, name, email }) => company || name || email;

async function read(path) {
  const response = await fetch('/api/v1' + path);
  if (!response.ok) throw new Error(path + ' answers ' + response.status);
  return response.json();
}

function choiceOf(field, kind, records) {
  const choice = document.createElement('div');
  choice.className = 'field of-one';
  const label = document.createElement('label');
  label.htmlFor = kind + '-choice';
  label.textContent = field.dataset.label;
  const select = document.createElement('select');
  select.id = label.htmlFor;
  for (const record of records) select.add(new Option(nameOf(record), record.id));
  select.add(new Option(field.dataset.other, ''));
  choice.append(label, select);
  return choice;
}

async function offer(kind, organizationId) {
  const field = document.getElementById('of-' + kind);
  if (field === null) return;
  const records = (await read(lists[kind]))[kind + 's'];
  if (records.length === 0) return;
  const choice = choiceOf(field, kind, records);
  field.before(choice);
  const [select, input] = [choice.querySelector('select'), field.querySelector('input')];
  const show = () => {
    const [reach, chosen] = [form.querySelector('[name=reach]:checked'), form.querySelector('[name=membership]:checked, [name=membership][type=hidden]')];
    const isOwn = chosen?.dataset.organization === organizationId;
    choice.hidden = reach?.value !== kind || !isOwn;
    field.hidden = reach?.value !== kind || (isOwn && select.value !== '');
    select.name = choice.hidden || select.value === '' ? '' : kind;
    input.disabled = select.name !== '';
  };
  form.addEventListener('change', show);
  show();
}

async function start() {
  const { organization } = await read('/account/session');
  if (form.querySelector('[data-organization="' + organization?.id + '"]') === null) return;
  for (const kind of Object.keys(lists)) await offer(kind, organization.id);
}

start().catch(() => {});
`;
