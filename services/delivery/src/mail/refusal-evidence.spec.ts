import { describe, expect, it } from '@jest/globals';
import { isUnknown, refusedDomains } from './refusal-evidence.js';

const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 9, minute));
const answers = (taken: [string, number][], refused: [string, number, true?][]) => ({
  taken: taken.map(([address, minute]) => ({ address, at: at(minute) })),
  refused: refused.map(([address, minute, concernsUs = false]) => ({ address, at: at(minute), concernsUs })),
});
const [buyer, other] = ['buyer@shop.example', 'other@shop.example'];

describe('isUnknown', () => {
  it.each([
    ['at its first refusal, whatever was taken before', null, [[other, 1]], false],
    ['where nothing was taken since', at(2), [[other, 1]], false],
    ['where only it was taken since', at(2), [[buyer, 3]], false],
    ['where another domain was taken since, which may be its own', at(2), [['a@relay.example', 3]], false],
    ['where another mailbox of its domain was taken since', at(2), [[other, 3]], true],
    [
      'where two other domains were taken since',
      at(2),
      [
        ['a@one.example', 4],
        ['a@two.example', 3],
      ],
      true,
    ],
  ] as [string, Date | null, [string, number][], boolean][])(
    'isUnknown judges an address %s',
    (_when, first, taken, unknown) => {
      expect(isUnknown(buyer, first, answers(taken, [[buyer, 5]]))).toBe(unknown);
    },
  );

  it('isUnknown is false while the server refuses several domains in a row', () => {
    const refused: [string, number][] = [
      [buyer, 6],
      ['a@one.example', 5],
    ];
    expect(isUnknown(buyer, at(2), answers([[other, 3]], refused))).toBe(false);
  });
});

describe('refusedDomains', () => {
  it.each([
    [
      'one domain refused',
      [],
      [
        [buyer, 3],
        [other, 2],
      ],
      0,
    ],
    [
      'two domains refused and none taken',
      [],
      [
        [buyer, 3],
        ['a@one.example', 2],
      ],
      2,
    ],
    [
      'two domains refused since the last was taken',
      [[other, 1]],
      [
        [buyer, 3],
        ['a@one.example', 2],
      ],
      2,
    ],
    [
      'a message taken between two refusals',
      [[other, 2]],
      [
        [buyer, 3],
        ['a@one.example', 1],
      ],
      0,
    ],
    ['one domain refused with words about us', [[other, 1]], [[buyer, 3, true]], 1],
    ['words about us before the last was taken', [[other, 4]], [[buyer, 3, true]], 0],
    [
      'three domains refused while one is taken, its own',
      [
        ['a@relay.example', 6],
        ['a@relay.example', 4],
      ],
      [
        [buyer, 7],
        ['a@one.example', 5],
        ['a@two.example', 3],
      ],
      3,
    ],
    [
      'three domains refused while two are taken',
      [
        ['a@relay.example', 6],
        ['b@far.example', 4],
      ],
      [
        [buyer, 7],
        ['a@one.example', 5],
        ['a@two.example', 3],
      ],
      0,
    ],
  ] as [string, [string, number][], [string, number, true?][], number][])(
    'refusedDomains counts %s',
    (_case, taken, refused, domains) => {
      expect(refusedDomains(answers(taken, refused))).toBe(domains);
    },
  );
});
