import * as z from 'zod';
import { text } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

const maxModels = 1_000;
const ModelId = text(200);

export const ChatModel = z
  .object({
    id: z.string().describe('What `model` of a chat message takes'),
    name: z.string().describe('As people see it where a model is chosen'),
    takes_images: z.boolean().describe('True if messages to it may have attachments'),
    is_allowed: z.boolean().describe('True if chat messages of the organization may use it'),
  })
  .meta({ id: 'ChatModel', description: 'A model that can build sites, as the operators of the platform have configured it' });
export type ChatModel = z.infer<typeof ChatModel>;

const output = z.object({
  models: z.array(ChatModel).describe('Empty if the platform has none: then the composer builds sites'),
  default_model: z.string().nullable().describe('The model of messages that name none; null if none is allowed'),
});

export const getModels = defineOperation({
  method: 'GET',
  path: '/models',
  tag: 'Projects',
  summary: 'The models that chat messages may use; whoever cannot change that sees the allowed ones',
  description: 'What the operators of the platform have configured. Members who may change the choice see all models, with `is_allowed`.',
  permission: 'read',
  credential: 'person',
  roles: clientsToo.read,
  embed: true,
  rpc: 'models.GetModels',
  output,
  success: 200,
  etag: false,
  errors: [],
});

export const updateModels = defineOperation({
  method: 'PATCH',
  path: '/account/models',
  tag: 'Organization',
  summary: 'Choose the default model of the organization, and which models it allows',
  description: 'For messages from now on; a turn that runs goes on with its model.',
  permission: 'write',
  area: 'organization',
  roles: ['owner', 'admin'],
  rpc: 'models.UpdateModels',
  input: z
    .strictObject({
      default_model: ModelId.nullable().describe("null: the platform's default"),
      allowed_models: z
        .array(ModelId, { error: 'must be a list of ids of models' })
        .max(maxModels, `must have at most ${maxModels} ids`)
        .describe('An empty list allows all models, later ones too'),
    })
    .partial(),
  output,
  success: 200,
  etag: false,
  errors: [],
});

const modelFindingCodes = [
  'works',
  'not-streamed',
  'no-tool-call',
  'unreachable',
  'key-refused',
  'unknown-model',
  'used-up',
  'silent',
  'broken-off',
  'request-refused',
  'provider-fault',
  'fewer-tokens',
  'max-completion-tokens',
  'no-stream-options',
  'plain-schemas',
  'no-empty-tools',
  'no-null-content',
  'no-system-role',
  'no-streaming',
  'no-finish-reason',
  'no-stream',
] as const;
export type ModelFindingCode = (typeof modelFindingCodes)[number];

const ModelFinding = z
  .object({
    code: z.enum(modelFindingCodes).meta({ id: 'ModelFindingCode', description: 'The finding, for programs; `text` says it' }),
    text: z.string().describe('The finding in English, for those who run the platform'),
  })
  .meta({ id: 'ModelFinding', description: 'What a test found out about a model, or what its provider wants otherwise than others' });

const ModelTestResult = z
  .object({
    model: z.string().describe('The model that was tested'),
    passed: z.boolean().describe('True if the model can build sites'),
    findings: z.array(ModelFinding).describe('What works, or what is wrong; then what is remembered of its provider'),
    milliseconds: z.int().describe('How long the test took'),
  })
  .meta({ id: 'ModelTestResult', description: 'What came of a test of a model' });

export const testModel = defineOperation({
  method: 'POST',
  path: '/account/models/test',
  tag: 'Organization',
  summary: 'Ask a model to call a tool and to answer, as turns do; the answer says what came of it',
  description: 'Costs the organization nothing, and can be done 20 times a day.',
  permission: 'write',
  area: 'organization',
  roles: ['owner', 'admin'],
  rpc: 'models.TestModel',
  isSlow: true,
  input: z.strictObject({ model: ModelId.describe('A model from GET /models') }),
  output: z.object({ model_test: ModelTestResult }),
  success: 200,
  etag: false,
  errors: ['model_tests_reached'],
});
