import { findProject, type Job, named, type Use } from '../job.ts';

const webhookAt = async (use: Use, path: string) =>
  (await use('list_webhooks')).webhooks.find(({ url }: { url: string }) => url.endsWith(path)).id;

/** Changes of the agency's records. */
export const records: readonly Job[] = [
  {
    name: 'tag-a-site',
    words: () => 'Add the tag "spring" to the project Orchid Shop.',
    async script(use) {
      const { id, tags } = await findProject(use, 'Orchid Shop');
      await use('update_project', { project_id: id, tags: [...tags, 'spring'] });
      return 'Done.';
    },
    changes: () => ({ 'project Orchid Shop': /flowers.*spring/ }),
  },
  {
    name: 'describe-a-site',
    words: () => 'Give Orchid Shop the description "Flowers by post".',
    async script(use) {
      const { id } = await findProject(use, 'Orchid Shop');
      await use('update_project', { project_id: id, description: 'Flowers by post' });
      return 'Done.';
    },
    changes: () => ({ 'project Orchid Shop': /Flowers by post/ }),
  },
  {
    name: 'star-a-site',
    words: () => 'Star the website of Krume Bakery, so that I see it first.',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      await use('update_project', { project_id: id, starred: true });
      return 'Done.';
    },
    changes: () => ({ 'project Krume Bakery': /true/ }),
  },
  {
    name: 'rename-a-site',
    words: () => 'Rename the project Old Mill to "Old Mill Inn".',
    async script(use) {
      const { id } = await findProject(use, 'Old Mill');
      await use('update_project', { project_id: id, name: 'Old Mill Inn' });
      return 'Done.';
    },
    changes: () => ({ 'project Old Mill': /Old Mill Inn/ }),
  },
  {
    name: 'invite-a-client',
    words: ({ domain }) => `Invite Lena Vogt of Vogt Optics as a client: lena@${domain}.`,
    async script(use, { domain }) {
      await use('create_client', { email: `lena@${domain}`, name: 'Lena Vogt', company: 'Vogt Optics' });
      return 'Invited.';
    },
    changes: () => ({ 'client lena': /invited.*Lena Vogt.*Vogt Optics/ }),
  },
  {
    name: 'invite-on-a-plan',
    words: ({ domain }) => `Invite paul@${domain} as a client on our plan Plus.`,
    async script(use, { domain }) {
      const { id } = named((await use('list_plans')).plans, 'Plus');
      await use('create_client', { email: `paul@${domain}`, plan_id: id });
      return 'Invited.';
    },
    changes: () => ({ 'client paul': /invited.*[\da-f]{8}-/ }),
  },
  {
    name: 'empty-project',
    words: ({ domain }) => `Start an empty project "Orchid Blog" for the client orchid@${domain}.`,
    async script(use, { domain }) {
      await use('create_project', { client_email: `orchid@${domain}`, name: 'Orchid Blog' });
      return 'Created.';
    },
    changes: () => ({ 'project Orchid Blog': /Orchid Blog/, 'project Orchid Blog submissions': /0/ }),
  },
  {
    name: 'project-of-a-template',
    words: ({ domain }) => `Start a project "Krume Café" for krume@${domain} from our template for bakeries.`,
    async script(use, { domain }) {
      const { id } = named((await use('list_templates')).templates, 'Bakery starter');
      await use('create_project', { client_email: `krume@${domain}`, name: 'Krume Café', template_id: id });
      return 'Created.';
    },
    changes: () => ({ 'project Krume Café': /true\]$/, 'project Krume Café submissions': /0/ }),
  },
  {
    name: 'new-plan',
    words: () => 'Add a plan "Premium" for 990 a year, with up to 20 websites.',
    async script(use) {
      await use('create_plan', { name: 'Premium', price: 990, interval: 'yearly', max_sites: 20 });
      return 'Added.';
    },
    changes: () => ({ 'plan Premium': /990,"yearly",20/ }),
  },
  {
    name: 'raise-a-price',
    words: () => 'Raise the price of the plan Care to 31.50.',
    async script(use) {
      const { id } = named((await use('list_plans')).plans, 'Care');
      await use('update_plan', { plan_id: id, price: 31.5 });
      return 'Raised.';
    },
    changes: () => ({ 'plan Care': /31\.5/ }),
  },
  {
    name: 'stop-a-plan',
    words: () => 'We no longer offer the plan Plus. Those who have it keep it.',
    async script(use) {
      const { id } = named((await use('list_plans')).plans, 'Plus');
      await use('update_plan', { plan_id: id, is_active: false });
      return 'Stopped.';
    },
    changes: () => ({ 'plan Plus': /false/ }),
  },
  {
    name: 'new-webhook',
    words: () => 'Tell https://127.0.0.1/inbox whenever a form is submitted.',
    async script(use) {
      await use('create_webhook', { url: 'https://127.0.0.1/inbox', events: ['form.submitted'] });
      return 'Done.';
    },
    changes: () => ({ 'webhook inbox': /form\.submitted/ }),
  },
  {
    name: 'pause-a-webhook',
    words: () => 'Pause the webhook to https://127.0.0.1/crm.',
    async script(use) {
      await use('update_webhook', { webhook_id: await webhookAt(use, '/crm'), is_active: false });
      return 'Paused.';
    },
    changes: () => ({ 'webhook crm': /false/ }),
  },
  {
    name: 'delete-a-webhook',
    words: () => 'Delete the webhook to https://127.0.0.1/old.',
    async script(use) {
      await use('delete_webhook', { webhook_id: await webhookAt(use, '/old') });
      return 'Deleted.';
    },
    changes: () => ({ 'webhook old': null }),
  },
];
