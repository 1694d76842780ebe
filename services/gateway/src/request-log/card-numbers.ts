/** Digits of any script with what people write between them, or a UUID, whose digits are no card's. */
const numbers =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\p{Nd}+(?:[^\p{L}\p{Nd}]{1,3}(?![\da-f]{8}-[\da-f]{4}-)\p{Nd}+)*/giu;
/** The expiry and the code of a card, right behind its number. */
const behindCard =
  /(?:[^\p{L}\p{Nd}]{0,4}(?:exp\w*|valid(?: thru)?|תוקף)?[^\p{L}\p{Nd}]{0,4}(?:\p{Nd}{1,2}[^\p{L}\p{Nd}]{1,3}\p{Nd}{2}(?:\p{Nd}{2})?|\p{Nd}{4})(?!\p{Nd}))?(?:[^\p{L}\p{Nd}]{0,4}(?:cvv2?|cvc2?|cid|code|קוד)?[^\p{L}\p{Nd}]{0,4}\p{Nd}{3,4}(?!\p{Nd}))?/iuy;
/** The first digits that networks of cards have (ISO/IEC 7812); those of a date, as in the ids of orders, are others. */
const ofCards = /^(?:[3-6]\d{13,18}|2[2-7]\d{14})$/;
/** The same with the lengths of each network: digits in groups may be a list of amounts or of telephones. */
const ofNetworks =
  /^(?:4\d{15}(?:\d{3})?|5[0-8]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12}|35\d{14}|6\d{15,18})$/;
const digitsMin = 14;
const digitsMax = 19;

/** A text in which a mark stands for each number of a card, with its expiry and its code. */
export function withoutCards(text: string, mark: string): string {
  let kept = '';
  let from = 0;
  for (const found of text.matchAll(numbers)) {
    for (const { start, end } of cardsIn(found[0], found.index)) {
      if (start >= from) {
        kept += text.slice(from, start) + mark;
        behindCard.lastIndex = end;
        from = behindCard.test(text) ? behindCard.lastIndex : end;
      }
    }
  }
  return kept + text.slice(from);
}

/** The cards in a run of digits and marks, from where the run begins in its text. */
function cardsIn(run: string, begin: number): { start: number; end: number }[] {
  if (run.length < digitsMin || /[a-f]/i.test(run)) {
    return [];
  }
  const digits = run.replaceAll(/[^\p{Nd}]/gu, '').replaceAll(/\P{ASCII}/gu, digitOf);
  // Where in the run each group begins and ends, by the digits before that place.
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  let before = 0;
  for (const { 0: group, index } of run.matchAll(/\p{Nd}+/gu)) {
    starts.set(before, begin + index);
    before += [...group].length;
    ends.set(before, begin + index + group.length);
  }
  const cards = [];
  for (const [first, start] of starts) {
    for (let last = first + digitsMin; last <= first + digitsMax; last += 1) {
      const end = ends.get(last);
      if (end !== undefined && isCard(digits.slice(first, last), run.slice(start - begin, end - begin))) {
        cards.push({ start, end });
        break;
      }
    }
  }
  return cards;
}

const isCard = (digits: string, written: string): boolean =>
  (/\P{Nd}/u.test(written) ? ofNetworks : ofCards).test(digits) && hasCheckDigit(digits);

/** The ASCII digit of one of another script: each script has its ten in a row, behind something else. */
function digitOf(digit: string): string {
  const [plain = ''] = digit.normalize('NFKC');
  let zero = plain.codePointAt(0) ?? 0;
  const value = zero;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) {
    zero -= 1;
  }
  return String(value - zero);
}

/** Luhn, ISO/IEC 7812-1. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const weighed = place % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
