import { askEarly } from './api/early-answers.ts';
import type { Project } from './api/records.ts';
import type { Session } from './api/session.ts';
import { pictureOf } from './projects/picture-of.ts';

// A script of its own, which runs while the code of the page loads, and asks what that code asks first.

const [, area = '', id] = location.pathname.split('/');

/** The picture is the largest thing on the page. */
function loadPicture(project: Project | undefined): void {
  const picture = project && pictureOf(project);
  if (picture !== undefined) Object.assign(new Image(), { fetchPriority: 'high', src: picture });
}

async function askForHome({ role }: Session): Promise<void> {
  if (role !== 'client') return;
  const list = (await askEarly('/projects?limit=12')) as { projects: Project[] } | undefined;
  loadPicture(list?.projects[0]);
}

async function askForProject(parts: readonly string[]): Promise<void> {
  for (const part of parts) void askEarly(`/projects/${id}/${part}`);
  const answer = (await askEarly(`/projects/${id}`)) as { project: Project } | undefined;
  if (area === 'projects') loadPicture(answer?.project);
}

async function askForPage(): Promise<void> {
  if (!['', 'builder', 'projects'].includes(area)) return;
  const session = (await askEarly('/account/session')) as Session | undefined;
  if (session?.account == null) return;
  if (area === '') await askForHome(session);
  else if (area === 'builder') await askForProject(['files', 'chat/messages', 'preview']);
  else if (id !== undefined) await askForProject(['files', 'draft']);
}

// The person who is signed in here may be another one than that of an embedded builder.
if (!/[?&]e=|[#&]token=/.test(`${location.search}${location.hash}`)) void askForPage();
