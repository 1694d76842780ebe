import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import { checkPublicAddresses, Diagnosis, ok, warning } from '@pinkas/service-kit/diagnosis';
import type { GatewayConfig } from '../config.js';
import { KillSwitch } from '../kill-switch/kill-switch.js';
import { RequestCounter } from './request-counter.js';

/** What the gateway reports to `pinkas doctor`: its addresses, Redis, the kill switch. */
@Injectable()
export class GatewayChecks {
  constructor(
    @InjectConfig() config: GatewayConfig,
    private readonly counter: RequestCounter,
    private readonly killSwitch: KillSwitch,
    diagnosis: Diagnosis,
  ) {
    const { production, previousApiKeyPepper } = config;
    diagnosis.add('configuration', async () => [
      ...checkPublicAddresses(production, {
        BASE_URL: config.baseUrl,
        VIEW_URL_BASE: config.viewUrlBase,
        PDF_URL_BASE: config.pdfUrlBase,
        DOCS_URL: config.docsUrl,
        PAYMENT_URL: config.paymentUrl,
      }),
      this.#checkKillSwitch(),
      await this.#checkRedis(),
      ...(previousApiKeyPepper === null
        ? []
        : [
            warning(
              'configuration',
              'API_KEY_PEPPER_PREVIOUS',
              'is set: the pepper is being replaced',
              'Complete the replacement: docs/operating/certificate-and-pepper-rotation.md',
            ),
          ]),
    ]);
  }

  #checkKillSwitch() {
    return this.killSwitch.apiEnabled
      ? ok('configuration', 'HTTP API', 'is enabled')
      : warning(
          'configuration',
          'HTTP API',
          'is disabled: every request gets api_disabled',
          'To enable it: pinkas api enable',
        );
  }

  async #checkRedis() {
    return (await this.counter.isReachable())
      ? ok('configuration', 'Redis', 'answers')
      : warning(
          'configuration',
          'Redis',
          'does not answer: each gateway counts requests on its own',
          'Start Redis, or correct REDIS_URL: docs/runbooks/server-unreachable.md',
        );
  }
}
