import type { UseCase } from '@webkiln/rpc';
import type { DeliveryParts } from './delivery-parts.ts';
import { listDeliveries } from './list-deliveries.ts';
import { replayDeliveries, retryDelivery } from './requeue-deliveries.ts';
import { testWebhook } from './test-webhook.ts';

export const deliveryUseCases = (parts: DeliveryParts): UseCase[] => [
  listDeliveries,
  retryDelivery(parts),
  replayDeliveries(parts),
  testWebhook(parts),
];
