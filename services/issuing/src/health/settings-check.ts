import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import { Diagnosis, ok } from '@pinkas/service-kit/diagnosis';
import type { IssuingConfig } from '../config.js';

/** What issuing reports to `pinkas doctor`: the settings that other services have as well. */
@Injectable()
export class SettingsCheck {
  constructor(@InjectConfig() { taxAuthorityCreditNotes }: IssuingConfig, diagnosis: Diagnosis) {
    diagnosis.add('configuration', () => [
      ok('configuration', 'TAX_AUTHORITY_CREDIT_NOTES', taxAuthorityCreditNotes),
    ]);
  }
}
