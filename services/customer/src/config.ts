import { type ConfigOf, serviceFields } from '@pinkas/service-kit/config';

/** The environment of the customer service. */
export const fields = { ...serviceFields };
export type CustomerConfig = ConfigOf<typeof fields>;
