import type { GatewayConfig } from '../config.js';
import { developersGuide } from './developers-guide.js';

/** The guide for developers with the addresses of this system. */
export const guideFor = ({ baseUrl }: Pick<GatewayConfig, 'baseUrl'>): string =>
  developersGuide.replaceAll('$BASE_URL', baseUrl).replaceAll('$ORIGIN', new URL(baseUrl).origin);
