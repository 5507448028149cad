import { publicEvents, type WebhookEvent } from '@webkiln/contract';

/** A test event: like a real one, but with sample data and `test: true`. */
export const sampleEvent = (type: WebhookEvent, { id, org_id, timestamp }: { id: string; org_id: string; timestamp: string }) => ({
  id,
  type,
  timestamp,
  org_id,
  api_version: 'v1' as const,
  data: publicEvents[type].sample({ org_id, at: timestamp }),
  test: true as const,
});
