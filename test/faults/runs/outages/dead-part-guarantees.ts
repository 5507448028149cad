import {
  allRoutes,
  type Bystander,
  createClient,
  expectEventsPublished,
  expectPassed,
  expectUnavailable,
  served,
  stranger,
} from './dead-part-checks.ts';

const quota = 100;

/** A part of the platform, and what must work while it is down and once it is back. */
interface DeadPart {
  readonly part: string;
  /** Throws if a guarantee is broken while the part is down. */
  whileDown(bystander: Bystander): Promise<void>;
  /** Throws until the platform works as before. */
  onceBack(bystander: Bystander): Promise<void>;
}

export const expectNormal = async (bystander: Bystander) => {
  await served(bystander, allRoutes);
  await createClient(bystander);
};

export const deadParts: readonly DeadPart[] = [
  {
    part: 'nats',
    async whileDown(bystander) {
      await served(bystander, allRoutes);
      bystander.unpublished.push(await createClient(bystander));
    },
    onceBack: expectEventsPublished,
  },
  { part: 'mongodb', whileDown: (bystander) => served(bystander, []), onceBack: expectNormal },
  {
    part: 'identity',
    async whileDown(bystander) {
      await expectNormal(bystander);
      expectUnavailable(await stranger(bystander).get('/plans'));
    },
    async onceBack(bystander) {
      (await stranger(bystander).get('/plans')).expect(401);
    },
  },
  {
    part: 'clients-plans',
    async whileDown(bystander) {
      await served(bystander, ['/projects', '/templates', '/webhooks']);
      expectUnavailable(await bystander.ours.api.post('/projects', { client_email: 'a@example.test', name: 'Site' }));
    },
    onceBack: expectNormal,
  },
  { part: 'projects-templates', whileDown: (bystander) => served(bystander, ['/clients', '/plans', '/webhooks']), onceBack: expectNormal },
  {
    part: 'webhooks',
    whileDown: (bystander) => served(bystander, ['/clients', '/plans', '/projects', '/templates']),
    onceBack: expectNormal,
  },
  { part: 'sites', whileDown: expectNormal, onceBack: expectNormal },
  {
    part: 'redis',
    async whileDown(bystander) {
      await expectNormal(bystander);
      const share = Math.floor(quota / bystander.gateways.length);
      await expectPassed(bystander, share * bystander.gateways.length);
    },
    onceBack: (bystander) => expectPassed(bystander, quota),
  },
];
