/** The six services, in the order in which people think of them. */
export const serviceNames = [
  'gateway',
  'issuing',
  'customer',
  'rendering',
  'allocation',
  'delivery',
] as const;

/** One of the six. */
export type ServiceName = (typeof serviceNames)[number];
