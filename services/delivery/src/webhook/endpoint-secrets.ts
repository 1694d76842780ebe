import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { decryptToken, encryptToken, InjectConfig } from '@pinkas/service-kit';
import { Webhook } from 'standardwebhooks';
import type { DeliveryConfig } from '../config.js';
import type { EndpointKey, EndpointRow } from '../db/webhook.tables.js';

const secretBytes = 32;

/** The secrets of endpoints, and what they sign (Standard Webhooks). */
@Injectable()
export class EndpointSecrets {
  constructor(@InjectConfig() private readonly config: Pick<DeliveryConfig, 'webhookEncryptionKey'>) {}

  /** A new secret, and what is stored of it. */
  create(endpoint: EndpointKey): { secret: string; encrypted: Buffer } {
    const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
    return {
      secret,
      encrypted: encryptToken(this.config.webhookEncryptionKey, placeOf(endpoint), secret),
    };
  }

  /** The header of the signatures, by the secret and by the one before it while it is valid. */
  sign(
    endpoint: EndpointKey & Pick<EndpointRow, 'secret' | 'previous_secret' | 'previous_secret_until'>,
    message: { id: string; at: Date; body: string },
  ): string {
    const { secret, previous_secret: previous, previous_secret_until: until } = endpoint;
    const valid = [secret, ...(previous && until && until > message.at ? [previous] : [])];
    return valid
      .map((encrypted) =>
        new Webhook(decryptToken(this.config.webhookEncryptionKey, placeOf(endpoint), encrypted)).sign(
          message.id,
          message.at,
          message.body,
        ),
      )
      .join(' ');
  }
}

const placeOf = ({ business_id, id }: EndpointKey): string => `${business_id} ${id} webhook`;
