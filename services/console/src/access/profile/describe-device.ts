import type { Language } from '@pinkas/ui';

/** In this order: many browsers name others beside themselves. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const;

const unknownBrowser = { he: 'דפדפן לא מוכר', en: 'Unknown browser' } as const;
const on = { he: 'ב־', en: ' on ' } as const;

/** What a User-Agent header states, in plain words: `Chrome on Windows`. */
export function describeDevice(userAgent: string, language: Language): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  const name = browser ?? unknownBrowser[language];
  if (system === undefined) {
    return name;
  }
  return language === 'he' ? `${name} ${on.he}${system}` : `${name}${on.en}${system}`;
}
