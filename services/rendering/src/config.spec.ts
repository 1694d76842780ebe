import { describe, expect, it } from '@jest/globals';
import { readConfig } from '@pinkas/service-kit/config';
import { fields } from './config.js';

const least = {
  PRODUCTION: 'false',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://pinkas_rendering:secret@127.0.0.1:5432/pinkas_rendering',
  HEALTH_PORT: '0',
  GOTENBERG_URL: 'http://gotenberg:3000/',
  SIGNING_P12_FILE: '/etc/pinkas/signing/certificate.p12',
  SIGNING_P12_PASSWORD: 'secret',
  VIEW_URL_BASE: 'https://pinkas.example.com/d',
};

describe('rendering config', () => {
  it('the configuration needs only addresses and the certificate', () => {
    expect(readConfig(fields, least)).toMatchObject({
      gotenbergUrl: 'http://gotenberg:3000',
      renderConcurrency: 4,
      renderQueueMax: 64,
      renderTimeoutMs: 5_000,
      signingP12Folder: '',
      timestampAuthorityUrl: '',
      timestampRequired: false,
    });
  });

  it('ARTIFACT_STORE names a bucket with the address of its store', () => {
    const read = (ARTIFACT_STORE: string) => readConfig(fields, { ...least, ARTIFACT_STORE }).artifactStore;
    expect(read('')).toBeNull();
    expect(read('s3://documents')).toEqual({
      bucket: 'documents',
      prefix: '',
      endpoint: null,
      region: null,
      readOnly: false,
      checksums: true,
    });
    expect(
      read('s3://documents/a/b/?endpoint=http://127.0.0.1:7070&region=il-1&readonly=true&checksums=false'),
    ).toEqual({
      bucket: 'documents',
      prefix: 'a/b/',
      endpoint: 'http://127.0.0.1:7070',
      region: 'il-1',
      readOnly: true,
      checksums: false,
    });
    for (const wrong of [
      'documents',
      'https://documents',
      's3://',
      's3://a?endpoint=ftp://b',
      's3://a?path=b',
    ]) {
      expect(() => read(wrong)).toThrow('ARTIFACT_STORE is wrong: expected');
    }
  });

  it('the configuration reports every missing or wrong variable together', () => {
    const read = () =>
      readConfig(fields, {
        ...least,
        GOTENBERG_URL: 'gotenberg:3000',
        SIGNING_P12_PASSWORD: '',
        TIMESTAMP_REQUIRED: 'perhaps',
        VIEW_URL_BASE: 'pinkas.example.com',
        RENDER_CONCURRENCY: '0',
      });
    for (const name of [
      'GOTENBERG_URL',
      'SIGNING_P12_PASSWORD',
      'TIMESTAMP_REQUIRED',
      'VIEW_URL_BASE',
      'RENDER_CONCURRENCY',
    ]) {
      expect(read).toThrow(name);
    }
  });

  it('a configuration error does not contain the password', () => {
    expect(() =>
      readConfig(fields, { ...least, GOTENBERG_URL: '', SIGNING_P12_PASSWORD: 'hunter2' }),
    ).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
    expect(() =>
      readConfig(fields, { ...least, GOTENBERG_URL: 'ftp://rendering:hunter2@gotenberg' }),
    ).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });
});
