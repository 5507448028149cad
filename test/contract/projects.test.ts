import { randomUUID } from 'node:crypto';
import { type Client, Project, Template } from '@webkiln/contract';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { mailsTo } from '../harness/mails.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activationLink, clientUser } from '../harness/team.ts';
import { publishViews } from '../harness/views.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { activeClient, inviteClient, makePlan, makeProject, makeTemplate, someEmail } from './fixtures.ts';

describe('projects', () => {
  describe('projects', () => {
    let ours: Agency;
    let client: Client;
    beforeAll(async () => {
      ours = await agency(undefined, { rateLimit: 1_000_000 }); // tests poll for a state, so the quota must not stop them
      client = await activeClient(ours.api);
    });

    test('createProject: answers 201 with an empty project of the client and a builder_url', async () => {
      const { body } = (await ours.api.post('/projects', { client_email: client.email, name: 'Bakery', description: 'Bread' })).expect(201);
      expect(Object.keys(body).sort()).toEqual(['builder_url', 'project']);
      // Absent until it is set.
      const { insert_tracker, ...always } = Project.shape;
      expect([insert_tracker.isOptional(), Object.keys(body.project).sort()]).toEqual([true, Object.keys(always).sort()]);
      expect(Project.safeParse(body.project).success).toBe(true);
      expect(body.project).toMatchObject({
        name: 'Bakery',
        description: 'Bread',
        status: 'active',
        org_client_id: client.id,
        org_id: ours.organization.id,
        published_url: null,
      });
      expect(body.builder_url).toContain(`/builder/${body.project.id}`);
      expect((await ours.api.get(`/projects/${body.project.id}/files`)).expect(200).body).toEqual({ files: [] });
    });

    test('createProject: finds the client by email in any case', async () => {
      (await ours.api.post('/projects', { client_email: client.email.toUpperCase(), name: 'Upper' })).expect(201);
    });

    test('createProject: answers 400 client_not_active for a client who has not activated the account', async () => {
      const invited = await inviteClient(ours.api);
      (await ours.api.post('/projects', { client_email: invited.email, name: 'A' })).expect(400, 'client_not_active');
    });

    test('createProject: answers 404 client_not_found to an unknown client_email', async () => {
      (await ours.api.post('/projects', { client_email: 'nobody@example.test', name: 'A' })).expect(404, 'client_not_found');
    });

    test('createProject: answers 404 template_not_found to an unknown template_id, and uses no site slot', async () => {
      const plan = await makePlan(ours.api, { max_sites: 1 });
      const owner = await activeClient(ours.api, { plan_id: plan.id });
      (await ours.api.post('/projects', { client_email: owner.email, name: 'A', template_id: randomUUID() })).expect(
        404,
        'template_not_found',
      );
      (await ours.api.post('/projects', { client_email: owner.email, name: 'A' })).expect(201);
    });

    test("createProject: concurrent requests never exceed the plan's max_sites, and a delete frees a slot", async () => {
      const plan = await makePlan(ours.api, { max_sites: 2 });
      const owner = await activeClient(ours.api, { plan_id: plan.id });
      const create = (turn: number) => ours.api.post('/projects', { client_email: owner.email, name: `Site ${turn}` });
      const answers = await Promise.all(Array.from({ length: 8 }, (_, turn) => create(turn)));
      const made = answers.filter(({ status }) => status === 201);
      expect(made).toHaveLength(2);
      for (const answer of answers) if (answer.status !== 201) answer.expect(400, 'plan_limit_reached');
      (await ours.api.delete(`/projects/${made[0]?.body.project.id}`)).expect(200);
      await ours.eventually(async () => (await create(9)).expect(201));
    });

    test('createProject: a refusal names the limit, what is used, and the cheapest active plan that allows more', async () => {
      const { api } = await agency();
      const care = await makePlan(api, { name: 'Care', max_sites: 1, price: 0 });
      const owner = await activeClient(api, { plan_id: care.id });
      await makeProject(api, owner);
      const refused = async () =>
        (await api.post('/projects', { client_email: owner.email, name: 'B' })).expect(400, 'plan_limit_reached').body;
      const none = await refused();
      expect(none.error).toBe(
        "With the client's plan Care, 1 site is allowed, and 1 is used; no plan on offer allows more: make one that does, or change one.",
      );
      expect(none.details).toMatchObject([{ plan_limit: { limit: 'max_sites', allowed: 1, used: 1, plan: null } }]);
      const estate = await makePlan(api, { name: 'Estate', max_sites: 20, price: 80 });
      const studio = await makePlan(api, { name: 'Studio', max_sites: 5, price: 40 });
      expect(await refused()).toMatchObject({
        error: "With the client's plan Care, 1 site is allowed, and 1 is used; the plan Studio allows 5: give the client that one.",
        details: [{ plan_limit: { plan: { id: studio.id, name: 'Studio' } } }],
      });
      (await api.patch(`/plans/${studio.id}`, { is_active: false })).expect(200);
      expect((await refused()).details).toMatchObject([{ plan_limit: { plan: { id: estate.id } } }]);
    });

    test('getProject: answers 200 with the project', async () => {
      const project = await makeProject(ours.api, client);
      expect((await ours.api.get(`/projects/${project.id}`)).expect(200).body).toEqual({ project });
    });

    test('updateProject: changes name, description, status, tags, starred, is_public and insert_tracker, and nothing else', async () => {
      const project = await makeProject(ours.api, client);
      const flags = { starred: true, is_public: true, insert_tracker: false };
      const change = { name: 'Mill', description: null, status: 'archived', tags: ['corn', 'rye'], ...flags };
      const { body } = (await ours.api.patch(`/projects/${project.id}`, change)).expect(200);
      expect(body.project).toEqual({ ...project, ...change, updated_at: expect.any(String) });
    });

    test.each([
      ['an unknown status', { status: 'gone' }, 'status: must be one of active, archived.'],
      ['a field that cannot be changed', { user_id: randomUUID() }, 'user_id: is not a field of this request.'],
      ['too many tags', { tags: Array.from({ length: 21 }, String) }, 'tags: must have at most 20 tags.'],
    ])('updateProject: answers 400 to %s and says so', async (_case, body, error) => {
      const project = await makeProject(ours.api, client);
      expect((await ours.api.patch(`/projects/${project.id}`, body)).expect(400, 'validation_failed').body.error).toBe(error);
    });

    test('deleteProject: answers 200 {deleted, id}, and 404 when repeated', async () => {
      const { id } = await makeProject(ours.api, client);
      expect((await ours.api.delete(`/projects/${id}`)).expect(200).body).toEqual({ deleted: true, id });
      (await ours.api.delete(`/projects/${id}`)).expect(404, 'project_not_found');
      (await ours.api.get(`/projects/${id}`)).expect(404, 'project_not_found');
    });

    test('deleteProject: answers 204 with Preference-Applied to Prefer: return=minimal', async () => {
      const { id } = await makeProject(ours.api, client);
      const { headers, body } = (await ours.api.delete(`/projects/${id}`, { prefer: 'return=minimal' })).expect(204);
      expect(headers.get('preference-applied')).toBe('return=minimal');
      expect(body).toBeUndefined();
    });

    describe('listProjects', () => {
      let many: Agency;
      let owner: Client;
      let made: Project[];
      beforeAll(async () => {
        many = await agency();
        owner = await activeClient(many.api);
        made = [];
        for (const name of ['Alpha shop', 'Beta SHOP', 'Gamma (50% off)', 'Delta']) made.push(await makeProject(many.api, owner, { name }));
        await makeProject(many.api, undefined, { name: 'Elsewhere' });
        (await many.api.patch(`/projects/${made[3]?.id}`, { status: 'archived' })).expect(200);
      });
      const list = async (query: string) => (await many.api.get(`/projects${query}`)).expect(200);
      const names = async (query: string) => (await list(query)).body.projects.map(({ name }: Project) => name);

      test('a parameter that is ignored or clamped is named in a header; one that counts is not', async () => {
        const { headers, body } = await list('?limit=ten&search=ada');
        expect(headers.get('x-parameter-warnings')).toBe('limit: takes whole numbers from 1 to 100, search: not known here');
        expect(body.total).toBe(5);
        expect((await list('?limit=10&q=shop')).headers.get('x-parameter-warnings')).toBeNull();
      });

      test('lists newest first, with the total of the matches', async () => {
        const { body, headers } = await list('');
        expect(body.projects.map(({ name }: Project) => name)).toEqual([
          'Elsewhere',
          'Delta',
          'Gamma (50% off)',
          'Beta SHOP',
          'Alpha shop',
        ]);
        expect(body.total).toBe(5);
        expect(headers.get('x-total-count')).toBe('5');
      });

      test('pages have no gap and no overlap', async () => {
        const pages = [await names('?limit=2'), await names('?limit=2&offset=2'), await names('?limit=2&offset=4')];
        expect(pages.flat()).toEqual(await names(''));
      });

      test('filters by client_id', async () => {
        const { body } = await list(`?client_id=${owner.id}`);
        expect(body).toMatchObject({ total: 4 });
      });

      test('q finds a part of the name in any case, as plain text', async () => {
        expect(await names('?q=shop')).toEqual(['Beta SHOP', 'Alpha shop']);
        expect(await names('?q=(50%25')).toEqual(['Gamma (50% off)']);
        expect(await names('?q=.*')).toEqual([]);
      });

      test('filters by status', async () => {
        expect(await names('?status=archived')).toEqual(['Delta']);
      });

      test.each(['?client_id=nonsense', '?status=nonsense', '?client_id[$ne]=1&status[$ne]=x&q=%00'])(
        'answers 200 to %s',
        async (query) => {
          await list(query);
        },
      );

      test('a malformed client_id and an unknown status match nothing', async () => {
        expect((await list('?client_id=nonsense')).body).toEqual({ projects: [], total: 0 });
        expect((await list('?status=nonsense')).body).toEqual({ projects: [], total: 0 });
      });
    });

    test('createProject: copies the files of the template and names it', async () => {
      const source = await makeProject(ours.api, client);
      await ours.writeDraft(source.id, { 'index.html': '<h1>Hello</h1>', 'about/index.html': '<p>About</p>' });
      const template = await makeTemplate(ours.api, { source_project_id: source.id });
      const copy = await makeProject(ours.api, client, { template_id: template.id });
      expect(copy.template).toBe(template.id);
      const { files } = (await ours.api.get(`/projects/${copy.id}/files`)).expect(200).body;
      expect(files.map(({ path }: { path: string }) => path)).toEqual(['about/index.html', 'index.html']);
      const page = await ours.api.raw(`/projects/${copy.id}/files/index.html`);
      expect(await page.text()).toBe('<h1>Hello</h1>');
    });

    test("getProjectFile: sends a customer's file as a sandboxed attachment with nosniff", async () => {
      const project = await makeProject(ours.api, client);
      await ours.writeDraft(project.id, { 'index.html': '<script>alert(1)</script>' });
      const { headers } = await ours.api.raw(`/projects/${project.id}/files/index.html`);
      expect(headers.get('content-type')).toContain('text/html');
      expect(headers.get('content-disposition')).toBe('attachment');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    });

    test('getProjectFile: answers 404 file_not_found to an unknown path', async () => {
      const project = await makeProject(ours.api, client);
      (await ours.api.get(`/projects/${project.id}/files/no/such.css`)).expect(404, 'file_not_found');
    });
  });

  describe('templates', () => {
    let ours: Agency;
    beforeAll(async () => {
      ours = await agency();
    });

    test('createTemplate: answers 201 with exactly the contract fields and their defaults', async () => {
      const { body } = (await ours.api.post('/templates', { name: 'Starter' })).expect(201);
      expect(Object.keys(body)).toEqual(['template']);
      expect(Object.keys(body.template).sort()).toEqual(Object.keys(Template.shape).sort());
      expect(body.template).toMatchObject({
        name: 'Starter',
        description: null,
        category: 'general',
        thumbnail_url: null,
        is_public: false,
        is_featured: false,
        org_id: ours.organization.id,
      });
    });

    test('createTemplate: stores the category in lower case', async () => {
      expect((await makeTemplate(ours.api, { category: 'Food & Drink' })).category).toBe('food & drink');
    });

    test('createTemplate: answers 400 to a source_project_id that is unknown or of another organization', async () => {
      const foreign = await makeProject((await agency()).api);
      for (const source_project_id of [randomUUID(), foreign.id]) {
        (await ours.api.post('/templates', { name: 'A', source_project_id })).expect(400, 'source_project_unknown');
      }
    });

    test('createTemplate, getTemplateFile: copy the files, so later drafts of the source do not change the template', async () => {
      const source = await makeProject(ours.api);
      await ours.writeDraft(source.id, { 'index.html': 'first' });
      const template = await makeTemplate(ours.api, { source_project_id: source.id });
      await ours.writeDraft(source.id, { 'index.html': 'second' });
      expect(await (await ours.api.raw(`/templates/${template.id}/files/index.html`)).text()).toBe('first');
    });

    test('listTemplates: lists the templates of the organization, newest first', async () => {
      const { api } = await agency();
      const first = await makeTemplate(api);
      const second = await makeTemplate(api);
      const { body } = (await api.get('/templates')).expect(200);
      expect(body).toMatchObject({ templates: [{ id: second.id }, { id: first.id }], total: 2 });
    });

    test('getTemplate: answers 200 with the template', async () => {
      const template = await makeTemplate(ours.api);
      expect((await ours.api.get(`/templates/${template.id}`)).expect(200).body).toEqual({ template });
    });

    test('updateTemplate: changes only the fields in the body', async () => {
      const template = await makeTemplate(ours.api);
      const change = {
        name: 'New',
        description: 'D',
        category: 'shop',
        thumbnail_url: 'https://example.test/t.png',
        is_public: true,
        is_featured: true,
      };
      expect((await ours.api.patch(`/templates/${template.id}`, change)).expect(200).body.template).toEqual({ ...template, ...change });
    });

    test('updateTemplate: answers 400 to a thumbnail_url that is not a web address', async () => {
      const template = await makeTemplate(ours.api);
      (await ours.api.patch(`/templates/${template.id}`, { thumbnail_url: 'javascript:alert(1)' })).expect(400, 'validation_failed');
    });

    test('deleteTemplate: answers 200 {deleted, id}, then 404, and leaves projects created from it as they are', async () => {
      const source = await makeProject(ours.api);
      await ours.writeDraft(source.id, { 'index.html': 'kept' });
      const { id } = await makeTemplate(ours.api, { source_project_id: source.id });
      const copy = await makeProject(ours.api, undefined, { template_id: id });
      expect((await ours.api.delete(`/templates/${id}`)).expect(200).body).toEqual({ deleted: true, id });
      (await ours.api.delete(`/templates/${id}`)).expect(404, 'template_not_found');
      expect(await (await ours.api.raw(`/projects/${copy.id}/files/index.html`)).text()).toBe('kept');
    });
  });
});

describe('hand over', () => {
  const platform = sharedPlatform();
  const origin = platform.origins[0] ?? '';

  describe('the agency as its own client', () => {
    let boss: Person;
    beforeAll(async () => {
      boss = await owner();
    });
    const clients = async () => (await boss.api.get('/clients')).expect(200).body.clients;
    const newKey = async () =>
      (await boss.api.post('/account/keys', { name: 'Agent', permissions: ['read', 'write'] })).expect(201).body.secret as string;

    test("createProject: answers 404 client_not_found to the address of another organization's member", async () => {
      (await boss.api.post('/projects', { client_email: (await owner()).email, name: 'A' })).expect(404, 'client_not_found');
    });

    test("createProject, listClients, listAudit: a member's own address makes the organization a client of its own, by two calls at once one", async () => {
      expect(await clients()).toEqual([]);
      const create = (name: string) => boss.api.post('/projects', { client_email: boss.email.toUpperCase(), name });
      const made = (await Promise.all([create('One'), create('Two')])).map((answer) => answer.expect(201).body.project);
      const studio = `Studio ${boss.email}`;
      const [client, ...more] = await clients();
      expect([client, more]).toMatchObject([{ email: boss.email, name: studio, company: studio, status: 'active', plan_id: null }, []]);
      expect(made).toMatchObject([{ org_client_id: client.id }, { org_client_id: client.id }]);
      await eventually(async () => {
        const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
        expect(entries.filter(({ action }: { action: string }) => action === 'client.created')).toMatchObject([
          { actor: { kind: 'account', email: boss.email }, target: { id: client.id } },
        ]);
      });
      expect(mailsTo(platform, boss.email).filter((mail) => activationLink.test(mail))).toEqual([]);
    });

    test('an agent with an API key makes a project for the agency itself with create_project', async () => {
      const { project } = await new Agent(await newKey()).use('create_project', { client_email: boss.email, name: 'Three' });
      expect(project).toMatchObject({ name: 'Three', org_client_id: (await clients())[0].id });
    });
  });

  describe('handOverProject', () => {
    let ours: Agency;
    beforeAll(async () => {
      ours = await agency();
    });
    const handOver = (id: string, client_email: string) => ours.api.post(`/projects/${id}/handover`, { client_email });

    test('answers 200 with the project of the new client, which keeps its address and what it has', async () => {
      const project = await makeProject(ours.api);
      const { url } = (await ours.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': '<h1>Hi</h1>' } })).expect(
        200,
      ).body;
      const next = await activeClient(ours.api);
      const { body } = (await handOver(project.id, next.email.toUpperCase())).expect(200);
      expect([Object.keys(body), Project.safeParse(body.project).success]).toEqual([['project'], true]);
      expect(body.project).toMatchObject({ id: project.id, name: project.name, org_client_id: next.id, published_url: url });
      expect((await ours.api.get(`/projects/${project.id}`)).expect(200).body).toEqual(body);
      expect((await visit(origin, url)).text).toContain('<h1>Hi</h1>');
    });

    test('answers 404 project_not_found to an unknown project', async () => {
      (await handOver(randomUUID(), (await activeClient(ours.api)).email)).expect(404, 'project_not_found');
    });

    test('answers 404 client_not_found to an unknown client_email', async () => {
      (await handOver((await makeProject(ours.api)).id, someEmail())).expect(404, 'client_not_found');
    });

    test('answers 400 client_not_active for a client who has not activated the account', async () => {
      const { email } = await inviteClient(ours.api);
      (await handOver((await makeProject(ours.api)).id, email)).expect(400, 'client_not_active');
    });

    test("answers 400 plan_limit_reached where the new client's plan has no site left, and names the limit", async () => {
      const care = await makePlan(ours.api, { name: 'Care', max_sites: 1, price: 0 });
      const full = await activeClient(ours.api, { plan_id: care.id });
      await makeProject(ours.api, full);
      const refused = (await handOver((await makeProject(ours.api)).id, full.email)).expect(400, 'plan_limit_reached').body;
      expect(refused.details).toMatchObject([{ plan_limit: { limit: 'max_sites', allowed: 1, used: 1 } }]);
    });

    test('answers 400 validation_failed to a body without client_email', async () => {
      const { id } = await makeProject(ours.api);
      (await ours.api.post(`/projects/${id}/handover`, {})).expect(400, 'validation_failed');
    });

    test('answers the same to a repeated Idempotency-Key, and 422 if its body differs', async () => {
      const { id } = await makeProject(ours.api);
      const [next, other] = [await activeClient(ours.api), await activeClient(ours.api)];
      const keyed = (client_email: string) =>
        ours.api.post(`/projects/${id}/handover`, { client_email }, { 'idempotency-key': `handover ${id}` });
      const first = (await keyed(next.email)).expect(200).body;
      expect((await keyed(next.email)).expect(200).body).toEqual(first);
      (await keyed(other.email)).expect(422, 'idempotency_key_reused');
    });
  });

  test('listProjects, listSubmissions, getFormSettings, getAnalytics: after a handover the new client sees all of the site, and the other nothing', async () => {
    const boss = await owner();
    const [before, after] = [await clientUser(boss), await clientUser(boss)];
    const { id } = await makeProject(boss.api, before.client);
    const { url } = (await boss.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': '<h1>Hi</h1>' } })).expect(200).body;
    expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Ada' })).status).toBe(303);
    (await before.person.api.patch(`/projects/${id}/forms/settings`, { notify: false })).expect(200);
    const [name = ''] = new URL(url).hostname.split('.');
    await publishViews(platform.urls.NATS_URL, [makeView(name, {}), makeView(name, {})]);
    const views = async ({ api }: Person) => (await api.get('/analytics')).expect(200).body.analytics.totalViews;
    await eventually(async () => expect(await views(before.person)).toBe(2));

    (await boss.api.post(`/projects/${id}/handover`, { client_email: after.client.email })).expect(200);
    await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
      const handedOver = { action: 'project.handed_over', actor: { email: boss.email }, target: { kind: 'project', id } };
      expect(entries.filter(({ action }: { action: string }) => action === handedOver.action)).toMatchObject([handedOver]);
    });
    expect((await before.person.api.get('/projects')).expect(200).body.total).toBe(0);
    for (const path of ['', '/forms/submissions', '/forms/settings']) (await before.person.api.get(`/projects/${id}${path}`)).expect(404);
    const { api } = after.person;
    expect((await api.get('/projects')).expect(200).body).toMatchObject({ total: 1, projects: [{ id, published_url: url }] });
    await eventually(async () => {
      expect((await api.get(`/projects/${id}/forms/submissions`)).expect(200).body.total).toBe(1);
      expect((await api.get(`/projects/${id}/forms/settings`)).expect(200).body.settings.notify).toBe(false);
      expect([await views(before.person), await views(after.person)]).toEqual([0, 2]);
    });

    // What is sent from then on is the new client's too.
    (await api.patch(`/projects/${id}/forms/settings`, { notify: true })).expect(200);
    expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Grace' })).status).toBe(303);
    await eventually(() => expect(mailsTo(platform, after.client.email).filter((mail) => mail.includes('Grace'))).toHaveLength(1));
    expect(mailsTo(platform, before.client.email).filter((mail) => mail.includes('Grace'))).toEqual([]);
    await publishViews(platform.urls.NATS_URL, [makeView(name, {})]);
    await eventually(async () => expect([await views(before.person), await views(after.person)]).toEqual([0, 3]));
  });
});
