import type { UseCase } from '@webkiln/rpc';
import type { DeliveryParts } from './delivery-parts.ts';
import { getDelivery, listDeliveries } from './list-deliveries.ts';
import { replayDeliveries, retryDeliveries, retryDelivery } from './requeue-deliveries.ts';
import { testWebhook } from './test-webhook.ts';

export const deliveryUseCases = (parts: DeliveryParts): UseCase[] => [
  listDeliveries,
  getDelivery,
  retryDelivery(parts),
  retryDeliveries(parts),
  replayDeliveries(parts),
  testWebhook(parts),
];
