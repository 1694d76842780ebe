import { describe, expect, it } from '@jest/globals';
import { acceptsGzip } from './accepts-gzip.js';

describe('acceptsGzip', () => {
  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8', 'deflate,GZIP;q=1'])(
    'the header %s accepts gzip',
    (header) => {
      expect(acceptsGzip(header)).toBe(true);
    },
  );

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.0', 'x-gzip'])(
    'the header %s does not accept gzip',
    (header) => {
      expect(acceptsGzip(header)).toBe(false);
    },
  );
});
