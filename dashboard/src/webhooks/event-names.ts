// biome-ignore-all format: made by scripts/contract-documents.ts
export const eventNames = [
  'client.created',
  'client.updated',
  'project.created',
  'project.published',
  'payment.received',
  'form.submitted',
] as const;
