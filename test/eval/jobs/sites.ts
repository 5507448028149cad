import { setTimeout as pause } from 'node:timers/promises';
import { findProject, type Job, type Use } from '../job.ts';
import { page } from '../world.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function start(use: Use, client_email: string, name: string): Promise<string> {
  return (await use('create_project', { client_email, name })).project.id;
}

/** Reads a file of a draft, and writes it with `from` replaced by `to`. */
async function replaceIn(use: Use, project_id: string, path: string, from: string, to: string): Promise<void> {
  const { text } = await use('read_file', { project_id, path });
  await use('write_files', { project_id, files: [{ path, content: text.replace(from, to) }] });
}

/** Changes of websites: files, deploys and domains. */
export const sites: readonly Job[] = [
  {
    name: 'site-live-on-a-domain',
    words: ({ domain }) =>
      `Make a website "Mill Farm" of one page for our client krume@${domain}, put it live, and connect www.mill.${domain}.`,
    async script(use, { domain }) {
      const project_id = await start(use, `krume@${domain}`, 'Mill Farm');
      await use('write_files', { project_id, files: [{ path: 'index.html', content: page('Mill Farm', '<p>Flour.</p>') }] });
      await use('publish_site', { project_id });
      await use('add_domain', { project_id, domain: `www.mill.${domain}` });
      return 'It is live.';
    },
    changes: () => ({
      'project Mill Farm': /Mill Farm/,
      'project Mill Farm file index.html': /./,
      'project Mill Farm live': /1,1/,
      'project Mill Farm domain www.mill': /./,
      'project Mill Farm submissions': /0/,
    }),
  },
  {
    name: 'three-pages',
    words: ({ domain }) =>
      `Make a website "Loaf" for krume@${domain}: index.html, about.html, contact.html with a form, and a picture loaf.png. Publish it.`,
    async script(use, { domain }) {
      const project_id = await start(use, `krume@${domain}`, 'Loaf');
      const form = '<form method="post" action="/_forms/contact"><input name="text"></form>';
      await use('write_files', {
        project_id,
        files: [
          { path: 'index.html', content: page('Loaf', '<img src="/loaf.png" alt="A loaf">') },
          { path: 'about.html', content: page('About', '') },
          { path: 'contact.html', content: page('Contact', form) },
          { path: 'loaf.png', content: pixel, encoding: 'base64' },
        ],
      });
      await use('publish_site', { project_id });
      return 'It is live.';
    },
    changes: () => ({
      'project Loaf': /Loaf/,
      'project Loaf file index.html': /./,
      'project Loaf file about.html': /./,
      'project Loaf file contact.html': /./,
      'project Loaf file loaf.png': /./,
      'project Loaf live': /1,1/,
      'project Loaf submissions': /0/,
    }),
  },
  {
    name: 'change-and-publish',
    words: () => 'On the contact page of Krume Bakery, change the opening hours to "from 6 to 12", and publish.',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      await replaceIn(use, id, 'contact.html', 'from 7 to 14', 'from 6 to 12');
      await use('publish_site', { project_id: id });
      return 'Published.';
    },
    changes: () => ({ 'project Krume Bakery file contact.html': /./, 'project Krume Bakery live': /2,2/ }),
  },
  {
    name: 'change-the-draft-alone',
    words: () => 'In the draft of Krume Bakery, change the year on the about page to 1912. Do not publish it yet.',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      await replaceIn(use, id, 'about.html', '1921', '1912');
      return 'Changed.';
    },
    changes: () => ({ 'project Krume Bakery file about.html': /./ }),
  },
  {
    name: 'add-a-page',
    words: () => 'Add a page imprint.html with "Krume GmbH, Lyon" to the draft of Krume Bakery. Leave the other pages as they are.',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      await use('write_files', { project_id: id, files: [{ path: 'imprint.html', content: page('Imprint', 'Krume GmbH, Lyon') }] });
      return 'Added.';
    },
    changes: () => ({ 'project Krume Bakery file imprint.html': /./ }),
  },
  {
    name: 'delete-a-page',
    words: () => 'Delete about.html from the draft of Krume Bakery, and nothing else.',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      await use('delete_files', { project_id: id, paths: ['about.html'] });
      return 'Deleted.';
    },
    changes: () => ({ 'project Krume Bakery file about.html': null }),
  },
  {
    name: 'roll-back',
    words: () => 'The shop of Orchid is wrong since the last publish: put the version before it live again.',
    async script(use) {
      const { id } = await findProject(use, 'Orchid Shop');
      const { deploys } = await use('get_deploys', { project_id: id });
      await use('roll_back', { project_id: id, deploy_id: deploys[1].id });
      return 'Rolled back.';
    },
    changes: () => ({ 'project Orchid Shop live': /1,2/ }),
  },
  {
    name: 'connect-a-domain',
    words: ({ domain }) => `Connect www.orchid.${domain} to the shop of Orchid, and tell me the DNS records.`,
    async script(use, { domain }) {
      const { id } = await findProject(use, 'Orchid Shop');
      return JSON.stringify((await use('add_domain', { project_id: id, domain: `www.orchid.${domain}` })).domain);
    },
    answer: () => /TXT/,
    changes: () => ({ 'project Orchid Shop domain www.orchid': /./ }),
  },
  {
    name: 'check-a-domain',
    words: ({ domain }) => `Look now whether the DNS records of www.krume.${domain} are set.`,
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      const [domain] = (await use('list_domains', { project_id: id })).domains.filter(({ name }: { name: string }) =>
        name.startsWith('www.'),
      );
      return (await use('verify_domain', { project_id: id, domain_id: domain.id })).domain.status;
    },
    answer: () => /pending|not|missing/i,
  },
  {
    name: 'keep-as-template',
    words: () => 'Keep the draft of Krume Bakery as a template "Bakery with orders".',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      await use('create_template', { project_id: id, name: 'Bakery with orders' });
      return 'Kept.';
    },
    changes: () => ({ 'template Bakery with orders': /./ }),
  },
  {
    name: 'archive-a-site',
    words: () => 'Archive the project Orchid Shop; its site may stay live.',
    async script(use) {
      const { id } = await findProject(use, 'Orchid Shop');
      await use('update_project', { project_id: id, status: 'archived' });
      return 'Archived.';
    },
    changes: () => ({ 'project Orchid Shop': /archived/ }),
  },
  {
    name: 'have-it-built',
    words: ({ domain }) =>
      `Make a project "Rye" for krume@${domain} and have the builder make it a website for a bakery called Rye. Wait until it is done.`,
    async script(use, { domain }) {
      const project_id = await start(use, `krume@${domain}`, 'Rye');
      const { turn_id } = await use('build_site', { project_id, message: 'A website for the bakery Rye' });
      while ((await use('get_build', { project_id, turn_id })).state === 'running') await pause(500);
      return 'Built.';
    },
    changes: () => ({
      'project Rye': /Rye/,
      'project Rye file *': /./,
      'project Rye submissions': /0/,
    }),
  },
];
