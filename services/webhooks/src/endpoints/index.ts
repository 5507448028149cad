import { getWebhook } from './get-webhook.ts';
import { listWebhooks } from './list-webhooks.ts';

export const endpointUseCases = [listWebhooks, getWebhook];
