import type { DeliveryConfig } from '../config.js';

/** The domain of our Message-IDs: that of the platform's address. */
export const messageIdDomain = ({ mailFrom }: Pick<DeliveryConfig, 'mailFrom'>): string =>
  mailFrom.slice(mailFrom.lastIndexOf('@') + 1);
