/** How many decimals the shortest decimal form of a number has: 1.005 has three, 1e-7 seven, 1.10 one. */
export function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const written = digits.split('.')[1]?.length ?? 0;
  return Math.max(0, written - Number(exponent));
}
