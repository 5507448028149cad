import type { Language } from '@webkiln/contract';
import { pageTexts } from '../../texts.ts';

/** The id of the field for the one project, and of the script's choice in its place. */
const ids = { field: 'one-project', choice: 'project-choice' } as const;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The project that a person named by its id or by the address of its page; undefined for anything else. */
export const projectNamed = (text: string): string | undefined => uuid.exec(text)?.[0].toLowerCase();

/** How far the agent reaches, narrowest first. `isOfOne` is what was allowed the last time. */
export function projectField(isOfOne: boolean, language: Language): string {
  const t = pageTexts[language].projects;
  const choice = (value: string, label: string, isChecked: boolean) =>
    `<label class="choice"><input type="radio" name="reach" value="${value}"${isChecked ? ' checked' : ''}><span>${label}</span></label>`;
  return `<fieldset><legend>${t.title}</legend><div class="choices">${choice('project', t.one, isOfOne)}${choice('all', t.all, !isOfOne)}</div></fieldset>
<div class="field one-project" id="${ids.field}" data-label="${t.project}" data-other="${t.other}"><label for="project">${t.address}</label><input id="project" name="project" autocomplete="off" spellcheck="false"><p class="hint">${t.hint}</p></div>`;
}

/**
 * Offers the person's projects by name where they can be read: those of the organization that its session is in. They
 * come from the API and not from us: identity calls no other service.
 */
export const projectScript = `'use strict';
const field = document.getElementById('${ids.field}');
const form = field.closest('form');
const chosen = () => form.querySelector('[name=membership]:checked, [name=membership][type=hidden]');

async function read(path) {
  const response = await fetch('/api/v1' + path);
  if (!response.ok) throw new Error(path + ' answers ' + response.status);
  return response.json();
}

function choiceOf(projects) {
  const choice = document.createElement('div');
  choice.className = 'field one-project';
  const label = document.createElement('label');
  label.htmlFor = '${ids.choice}';
  label.textContent = field.dataset.label;
  const select = document.createElement('select');
  select.id = label.htmlFor;
  for (const { id, name } of projects) select.add(new Option(name, id));
  select.add(new Option(field.dataset.other, ''));
  choice.append(label, select);
  return choice;
}

async function offer() {
  const { organization } = await read('/account/session');
  if (form.querySelector('[data-organization="' + organization?.id + '"]') === null) return;
  const { projects } = await read('/projects?limit=100&status=active');
  if (projects.length === 0) return;
  const choice = choiceOf(projects);
  const select = choice.querySelector('select');
  field.before(choice);
  const input = field.querySelector('input');
  const show = () => {
    const isOwn = chosen()?.dataset.organization === organization.id;
    choice.hidden = !isOwn;
    field.hidden = isOwn && select.value !== '';
    select.name = field.hidden ? input.name : '';
    input.disabled = field.hidden;
  };
  form.addEventListener('change', show);
  show();
}

offer().catch(() => {});
`;
