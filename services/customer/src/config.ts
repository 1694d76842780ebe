import { type ConfigOf, serviceFields } from '@pinkas/service-kit';

/** The environment of the customer service. */
export const fields = { ...serviceFields };
export type CustomerConfig = ConfigOf<typeof fields>;
