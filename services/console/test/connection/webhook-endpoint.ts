import { randomUUID } from 'node:crypto';
import type { WebhookEndpoint } from '@pinkas/contracts';

export const address = 'https://shop.example.com/pinkas';

export const endpointOf = (business_id: string, fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id: randomUUID(),
  business_id,
  url: address,
  types: null,
  description: null,
  enabled: true,
  disabled_reason: null,
  created_at: '2026-06-01T08:00:00.000Z',
  previous_secret_until: null,
  failing_since: null,
  last_received_at: null,
  last_failure: null,
  pending: 0,
  ...fields,
});
