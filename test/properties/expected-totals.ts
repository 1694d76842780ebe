/**
 * The totals of a request, calculated apart from the system: fractions of whole numbers, rounded only where the HTTP API
 * rounds.
 */

/** What the totals of a request follow from; the numbers as they are in its JSON. */
export interface Priced {
  /** Percent. */
  rate: number;
  gross: boolean;
  items: readonly { quantity: number; unit_price: number }[];
  discount?: { type: 'percent' | 'amount'; value: number } | undefined;
}

/** Whole agorot. */
export interface ExpectedTotals {
  lines: bigint[];
  subtotal: bigint;
  discount: bigint;
  vat: bigint;
  total: bigint;
}

/** 999,999,999,999.99 ILS: the tax authority writes twelve whole digits. */
const agorotMax = 99_999_999_999_999n;

/** A number as the fraction that its shortest decimal form says. */
interface Fraction {
  over: bigint;
  under: bigint;
}

/** The shortest decimal form of a number, exactly. */
export function fractionOf(value: number): Fraction {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) {
    throw new Error(`${value} is no number of JSON`);
  }
  const [, sign, whole = '', decimals = '', exponent = '0'] = match;
  const places = decimals.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${decimals}`);
  return places >= 0
    ? { over: digits, under: 10n ** BigInt(places) }
    : { over: digits * 10n ** BigInt(-places), under: 1n };
}

/** How many decimals a number has in its shortest form. */
export function decimalsIn(value: number): number {
  const { over, under } = fractionOf(value);
  let places = 0;
  while ((over * 10n ** BigInt(places)) % under !== 0n) {
    places += 1;
  }
  return places;
}

/** `over / under`, both not negative, to the nearest whole number, a half upwards. */
const rounded = (over: bigint, under: bigint): bigint => (2n * over + under) / (2n * under);

/** An amount in shekels as whole agorot, rounded. */
export function agorotOf(shekels: number): bigint {
  const { over, under } = fractionOf(shekels);
  return rounded(over * 100n, under);
}

/** Whole agorot as the JSON number of shekels. */
export function shekelsOf(agorot: bigint): number {
  return Number(`${agorot / 100n}.${String(agorot % 100n).padStart(2, '0')}`);
}

/**
 * The totals of a request.
 * @returns the pointer of the fault where no document can have them.
 */
export function expectedTotals({ rate, gross, items, discount }: Priced): ExpectedTotals | { fault: string } {
  const lines = items.map((item) => {
    const quantity = fractionOf(item.quantity);
    const price = fractionOf(item.unit_price);
    return rounded(100n * quantity.over * price.over, quantity.under * price.under);
  });
  const listed = lines.reduce((sum, line) => sum + line, 0n);
  let deducted = 0n;
  if (discount?.type === 'amount') {
    deducted = agorotOf(discount.value);
  }
  if (discount?.type === 'percent') {
    const percent = fractionOf(discount.value);
    if (percent.over > 100n * percent.under) {
      return { fault: '/discount/value' };
    }
    deducted = rounded(listed * percent.over, 100n * percent.under);
  }
  if (deducted > listed) {
    return { fault: '/discount/value' };
  }
  const { over, under } = fractionOf(rate);
  const rest = listed - deducted;
  const whole = 100n * under + over;
  const vat = gross ? rounded(rest * over, whole) : rounded(rest * over, 100n * under);
  const total = gross ? rest : rest + vat;
  const netDiscount = gross ? rounded(deducted * 100n * under, whole) : deducted;
  const subtotal = gross ? total - vat + netDiscount : listed;
  if ([total, subtotal, ...lines].some((amount) => amount > agorotMax)) {
    return { fault: '/items' };
  }
  return { lines, subtotal, discount: netDiscount, vat, total };
}
