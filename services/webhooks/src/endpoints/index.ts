import type { UseCase } from '@webkiln/rpc';
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import type { EndpointParts } from './endpoint-parts.ts';
import { getWebhook, listWebhookSecrets, listWebhooks } from './read-webhooks.ts';

export const endpointUseCases = (parts: EndpointParts): UseCase[] => [
  listWebhooks,
  listWebhookSecrets,
  createWebhook(parts),
  getWebhook,
  updateWebhook(parts),
  deleteWebhook,
  rotateWebhookSecret(parts),
];
