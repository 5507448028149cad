import { findProject, type Job, named } from '../job.ts';

/** Questions: nothing may be different after one. */
export const reading: readonly Job[] = [
  {
    name: 'spam-of-clients',
    words: () => "Which client's form got spam this month?",
    async script(use) {
      const { clients } = await use('list_clients');
      const spammed: string[] = [];
      for (const { id, org_client_id, published_url } of (await use('list_projects')).projects) {
        if (published_url === null) continue;
        const { forms } = await use('list_forms', { project_id: id });
        if (forms.some(({ spam }: { spam: number }) => spam > 0)) {
          spammed.push(clients.find((client: { id: string }) => client.id === org_client_id).company);
        }
      }
      return spammed.join(', ');
    },
    answer: () => /^(?!.*Krume).*Orchid/s,
  },
  {
    name: 'invited-clients',
    words: () => 'Which clients have not accepted their invitation yet?',
    async script(use) {
      const { clients } = await use('list_clients');
      return clients
        .filter(({ status }: { status: string }) => status === 'invited')
        .map(({ company }: { company: string }) => company)
        .join();
    },
    answer: () => /^(?!.*Krume).*Fenn/s,
  },
  {
    name: 'sites-of-a-client',
    words: () => 'List the websites that we have for the client Orchid Flowers.',
    async script(use) {
      const { clients } = await use('list_clients');
      const { id } = clients.find(({ company }: { company: string }) => company === 'Orchid Flowers');
      return (await use('list_projects', { client_id: id })).projects.map(({ name }: { name: string }) => name).join();
    },
    answer: () => /^(?!.*Krume).*Orchid Shop/s,
  },
  {
    name: 'cheapest-plan',
    words: () => 'What is our cheapest plan, and what does it cost?',
    async script(use) {
      const [cheapest] = (await use('list_plans')).plans.toSorted((a: { price: number }, b: { price: number }) => a.price - b.price);
      return `${cheapest.name}: ${cheapest.price}`;
    },
    answer: () => /Care.*29/s,
  },
  {
    name: 'not-live',
    words: () => 'Which of our websites are not live?',
    async script(use) {
      const { projects } = await use('list_projects');
      return projects
        .filter(({ published_url }: { published_url: string | null }) => published_url === null)
        .map(({ name }: { name: string }) => name)
        .join();
    },
    answer: () => /^(?!.*Orchid Shop).*Old Mill/s,
  },
  {
    name: 'orders',
    words: () => "What was ordered through the form of Krume Bakery's website?",
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      return JSON.stringify((await use('list_submissions', { project_id: id })).submissions);
    },
    answer: () => /rye/,
  },
  {
    name: 'opening-hours',
    words: () => 'Which opening hours stand on the contact page of Krume Bakery?',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      return (await use('read_file', { project_id: id, path: 'contact.html' })).text;
    },
    answer: () => /\b0?7\b.*\b14\b/s,
  },
  {
    name: 'preview-link',
    words: () => 'Give me a link by which I can look at the draft of Old Mill.',
    async script(use) {
      const { id } = await findProject(use, 'Old Mill');
      return (await use('get_preview_links', { project_id: id })).preview_url;
    },
    answer: () => /https?:\/\/\S+/,
  },
  {
    name: 'live-address',
    words: () => 'At which address is the website of Krume Bakery live?',
    script: async (use) => (await findProject(use, 'Krume Bakery')).published_url,
    answer: () => /https?:\/\/krume-bakery\S*/,
  },
  {
    name: 'visits',
    words: () => 'How many views did the website of Krume Bakery have in the last 7 days? Answer with the number.',
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      return JSON.stringify(await use('get_analytics', { project_id: id, days: 7 }));
    },
    answer: () => /\d/,
  },
  {
    name: 'versions',
    words: () => 'How often was the shop of Orchid published?',
    async script(use) {
      const { id } = await findProject(use, 'Orchid Shop');
      return `${(await use('get_deploys', { project_id: id })).deploys.length} times`;
    },
    answer: () => /\b2\b|twice|two/i,
  },
  {
    name: 'webhooks',
    words: () => 'Which addresses of ours learn of new clients by webhooks?',
    script: async (use) => JSON.stringify((await use('list_webhooks')).webhooks),
    answer: () => /\/crm/,
  },
  {
    name: 'shared-templates',
    words: () => 'Which template can our clients start from?',
    script: async (use) => named((await use('list_templates')).templates, 'Bakery starter').name,
    answer: () => /Bakery starter/,
  },
  {
    name: 'dns-records',
    words: ({ domain }) => `What is missing so that www.krume.${domain} shows the website of Krume Bakery?`,
    async script(use) {
      const { id } = await findProject(use, 'Krume Bakery');
      return JSON.stringify((await use('list_domains', { project_id: id })).domains);
    },
    answer: () => /TXT/,
  },
];
