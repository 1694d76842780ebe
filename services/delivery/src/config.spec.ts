import { describe, expect, it } from '@jest/globals';
import { readConfig } from '@pinkas/service-kit/config';
import { deliveryConfig, fields } from './config.js';
import { isAllowedAddress } from './public-address.js';

const least = {
  PRODUCTION: 'false',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://delivery@127.0.0.1/delivery',
  HEALTH_PORT: '0',
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'documents@example.com',
  VIEW_URL_BASE: 'https://pinkas.example.com/d',
  PDF_URL_BASE: 'https://pinkas.example.com/pdf',
  WEBHOOK_ENCRYPTION_KEY: '0'.repeat(64),
};
const whatsapp = {
  WHATSAPP_URL: 'https://graph.example.com/v23.0',
  WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
  WHATSAPP_TOKEN: 'secret',
  WHATSAPP_TEMPLATE: 'document_ready',
  WHATSAPP_FOLLOW_UP_TEMPLATE: 'document_allocated',
};
const read = (env: Record<string, string>) => deliveryConfig(readConfig(fields, env));

describe('deliveryConfig', () => {
  it('deliveryConfig disables WhatsApp and requires TLS for email by default', () => {
    expect(read(least)).toMatchObject({ whatsapp: null, smtpTls: 'required', smtpCaFile: null });
  });

  it('deliveryConfig combines the five variables of WhatsApp', () => {
    expect(read({ ...least, ...whatsapp, WHATSAPP_LANGUAGE_EN: 'en_US' }).whatsapp).toEqual({
      url: 'https://graph.example.com/v23.0',
      phoneNumberId: '106540352242922',
      token: 'secret',
      template: 'document_ready',
      followUpTemplate: 'document_allocated',
      languages: { he: 'he', en: 'en_US' },
      timeoutMs: 15_000,
    });
  });

  it.each(Object.keys(whatsapp))('deliveryConfig names the missing %s and shows no secret', (name) => {
    const { [name as keyof typeof whatsapp]: _left, ...rest } = whatsapp;
    expect(() => read({ ...least, ...rest })).toThrow(`${name}: WhatsApp needs`);
    expect(() => read({ ...least, ...rest })).not.toThrow('secret');
  });

  it('deliveryConfig rejects an unknown TLS mode and a phone number id with letters', () => {
    expect(() => read({ ...least, ...whatsapp, SMTP_TLS: 'yes', WHATSAPP_PHONE_NUMBER_ID: '05x' })).toThrow(
      /SMTP_TLS is wrong[\s\S]*WHATSAPP_PHONE_NUMBER_ID is wrong/,
    );
  });

  it('the mailbox for the messages of test books is on the same machine, or delivery does not start', () => {
    const withMailbox = (url: string) => () => read({ ...least, TEST_MAILBOX_URL: url });
    expect(withMailbox('smtp://127.0.0.1:2525')).not.toThrow();
    expect(withMailbox('smtp://mail.example.com:25')).toThrow('no test message leaves');
  });

  it('deliveryConfig allows webhooks to public addresses and to the networks of WEBHOOK_ALLOW', () => {
    expect(read(least).webhookAllow).toEqual([]);
    const { webhookAllow } = read({ ...least, WEBHOOK_ALLOW: '10.20.0.0/16, fd00:1234::/48' });
    const judged = [
      '10.20.1.2',
      '::ffff:10.20.1.2',
      '10.21.1.2',
      'fd00:1234::1',
      'fd00:1235::1',
      '8.8.8.8',
      'none',
    ];
    expect(judged.map((address) => isAllowedAddress(address, webhookAllow))).toEqual([
      ...[true, true, false, true, false, true, false],
    ]);
    expect(() => read({ ...least, WEBHOOK_ALLOW: '10.20.0.0' })).toThrow(
      'WEBHOOK_ALLOW is wrong: expected CIDR ranges',
    );
  });
});
