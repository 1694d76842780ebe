import { describe, expect, it } from '@jest/globals';
import { describeDevice } from './describe-device.js';

describe('describeDevice', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['<script>alert(1)</script>', 'Unknown browser'],
    ['', 'Unknown browser'],
  ])('the browser %j is described as %j', (userAgent, described) => {
    expect(describeDevice(userAgent, 'en')).toBe(described);
  });

  it('a description in Hebrew joins browser and system', () => {
    expect(describeDevice('Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Safari/605.1.15', 'he')).toBe(
      'Safari ב־Mac',
    );
  });
});
