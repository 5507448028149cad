import { exampleIds, openApiDocument } from '@webkiln/contract/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Api, Json } from '../harness/api.ts';

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: object; example?: unknown }>> }>>;
}

interface Step extends Documented {
  readonly method: string;
  readonly path: string;
}

export const ids = exampleIds;

const document = openApiDocument('http://localhost/api/v1');
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, logger: false }));
ajv.addSchema({ $id: 'document', components: document.components });

/** Every operation of the document, by its name. */
export const documented: ReadonlyMap<string, Step> = new Map(
  Object.entries(document.paths as unknown as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [operation.operationId, { ...operation, method: method.toUpperCase(), path }]),
  ),
);

const storyId = /0199a3c4-5e00-7000-8000-\d{12}|emb_0199a3c45e00\w{20}/g;

/**
 * Sends the examples of the API document to a platform. Records of the story have ids of their own there: wherever an
 * answer has an id where its example has one of the story, it stands for that one from then on.
 */
export class Story {
  /** The ids on the platform, by those of the story. */
  readonly ids = new Map<string, string>();

  /** Sends an operation's example; returns what the answer has beside what the document says, empty if nothing. */
  async send(api: Api, name: string): Promise<string> {
    const { method, path, parameters = [], requestBody, responses } = documented.get(name) as Step;
    const example = requestBody?.content['application/json']?.example;
    const values = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each.example ?? '']));
    const url = this.#onPlatform(path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => values.get(parameter) ?? ''));
    const answer = await api.raw(url, {
      method,
      ...(example !== undefined && { body: this.#onPlatform(JSON.stringify(example)), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    const response = responses[answer.status];
    if (!answer.ok || response === undefined) return `${method} ${url} answered ${answer.status} ${text.slice(0, 300)}`;
    const content = response.content?.['application/json'];
    if (content === undefined) return '';
    const body = JSON.parse(text) as Json;
    this.#learn(content.example, body);
    const isValid = ajv.compile(JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"document#/')));
    return isValid(body) ? '' : `${name}: ${ajv.errorsText(isValid.errors)} in ${text.slice(0, 1000)}`;
  }

  /** The first page of a list, of one record: `total`, `next_cursor`, and the cursor of the Link to the next page. */
  async firstPage(api: Api, name: string) {
    const { path, parameters = [] } = documented.get(name) as Step;
    const values = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each.example ?? '']));
    const url = this.#onPlatform(path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => values.get(parameter) ?? ''));
    const { body, headers } = (await api.get(`${url}?limit=1`)).expect(200);
    const [, linked] = /cursor=([^&>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    return { total: body.total as number, next: body.next_cursor as string | undefined, linked: linked && decodeURIComponent(linked) };
  }

  #onPlatform(text: string): string {
    return text.replaceAll(storyId, (id) => this.ids.get(id) ?? id);
  }

  #learn(example: Json, body: Json): void {
    if (typeof example === 'string' && typeof body === 'string' && example.match(storyId)?.[0] === example) {
      if (!this.ids.has(example)) this.ids.set(example, body);
    } else if (typeof example === 'object' && example !== null && typeof body === 'object' && body !== null) {
      for (const [name, value] of Object.entries(example)) this.#learn(value, body[name]);
    }
  }
}

/** Writes in an order in which an owner can make them. What reads show is there after the first ones. */
export const makes = [
  ...['updateOrganization', 'updateAccount', 'updatePaymentSettings', 'updateAgentAccess', 'createPlan', 'updatePlan', 'createWebhook'],
  ...['createClient', 'resendInvitation', 'openSubscription', 'updateClient', 'updateBillingDetails'],
  ...['createProject', 'updateProject', 'writeDraft', 'writeProjectFile', 'editText', 'publishProject'],
  ...['uploadPicture', 'updatePicture', 'updateFormSettings', 'addDomain', 'createTemplate', 'updateTemplate'],
  ...['createKey', 'updateKey', 'createEmbedClient', 'updateEmbedClient', 'createBuildLink', 'updateBuildLink', 'inviteMember'],
  ...['resendMemberInvitation', 'changeMember', 'updateWebhook', 'testWebhook', 'rotateWebhookSecret', 'switchOrganization'],
] as const;

/** Writes that need what the reads have found, or end what others need. */
export const ends = [
  ...['updateOrder', 'changeSubscriptionPlan', 'cancelSubscription', 'resumeSubscription', 'pauseSubscription', 'handOverProject'],
  ...['retryDelivery', 'retryDeliveries', 'replayDeliveries', 'updateSubmission', 'deleteSubmission', 'deletePicture', 'restoreRevision'],
  ...['rollBackDeploy', 'stopChat', 'verifyDomain', 'deleteDomain', 'deleteProjectFile', 'startBuild', 'deleteTemplate', 'rotateKey'],
  ...['revokeKey', 'rotateEmbedClient', 'revokeEmbedSession', 'deleteEmbedClient', 'deleteBuildLink', 'withdrawInvitation', 'removeMember'],
  ...['deleteWebhook', 'deleteProject'],
] as const;

/** Operations whose example needs more than an agency has, with the suite that calls them. */
export const elsewhere: Readonly<Record<string, string>> = {
  removeClient: 'a client who joined by a link: clients.test.ts',
  joinOrganization: 'another person, and its link: clients.test.ts',
  resendFormConfirmation: 'an address that waits for confirmation: forms.test.ts',
  sendChatMessage: 'its answer is a stream: building.test.ts',
  resumeChat: 'a turn that runs: building.test.ts',
  getEmbedSession: 'an embed token: embedding.test.ts',
  acceptInvitation: 'the token of a mail: account.test.ts',
  openOrganization: 'a person without an organization: account.test.ts',
  endSession: 'a second browser: account.test.ts',
  renamePasskey: 'an authenticator: sign-in.test.ts',
  disconnectAgent: 'an agent: oauth.test.ts',
  answerAgentQuestion: 'an agent that asks: agent-jobs.test.ts',
  undoAgentSession: 'an agent that builds: mcp-building.test.ts',
  getOwnBilling: 'a user of a client: billing.test.ts',
  cancelOwnSubscription: 'a user of a client: billing.test.ts',
  changeOwnCard: 'a card: billing.test.ts',
  getReportMails: 'a user of a client: account.test.ts',
  updateReportMails: 'a user of a client: account.test.ts',
  connectStripe: 'a payment provider: billing.test.ts',
  disconnectStripe: 'a payment provider: billing.test.ts',
  updateModels: 'a model: services/embed',
  testModel: 'a model: services/embed',
};
