import { describe, expect, it } from '@jest/globals';
import { hebrewReason, reasonText } from './reason-words.js';

describe('reasonText', () => {
  it('a reason of a service is shown in Hebrew, with what a server wrote as it is', () => {
    const reason = 'The endpoint answered 500: oops';
    expect(hebrewReason(reason)).toEqual({ text: 'הכתובת השיבה', quoted: ['500', 'oops'] });
    expect(reasonText(reason, 'he').text).toMatch(/^הכתובת השיבה .*500.*oops/);
    expect(reasonText(reason, 'en').text).toContain(reason);
  });

  it('two sentences of a reason are both shown in Hebrew', () => {
    const look =
      'An attempt may have been granted all the same: look into the personal area at the tax authority, and enter the number if it is there.';
    expect(hebrewReason(`The tax authority could not be reached. ${look}`)).toEqual({
      text: 'לא הייתה תקשורת עם רשות המסים. ייתכן שהמספר ניתן בכל זאת: יש לבדוק באזור האישי באתר הרשות, ולהקליד אותו אם הוא שם.',
      quoted: [],
    });
  });

  it('a refusal keeps the words of the tax authority, and an unknown reason is shown as it is', () => {
    expect(hebrewReason('refused: 460 the number was refused')).toEqual({
      text: 'סירוב:',
      quoted: ['460 the number was refused'],
    });
    expect(hebrewReason('550 no such mailbox')).toBeNull();
    expect(reasonText('550 no such mailbox', 'he').text).toContain('550 no such mailbox');
  });
});
