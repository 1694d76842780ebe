import { fileURLToPath } from 'node:url';

/** The clone, without a slash at the end. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/\/$/, '');
