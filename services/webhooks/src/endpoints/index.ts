import type { UseCase } from '@webkiln/rpc';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import type { EndpointParts } from './endpoint-parts.ts';
import { getWebhook } from './get-webhook.ts';
import { listWebhooks } from './list-webhooks.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { updateWebhook } from './update-webhook.ts';

export const endpointUseCases = (parts: EndpointParts): UseCase[] => [
  listWebhooks,
  createWebhook(parts),
  getWebhook,
  updateWebhook(parts),
  deleteWebhook,
  rotateWebhookSecret(parts),
];
