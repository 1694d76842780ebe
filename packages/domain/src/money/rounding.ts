/**
 * `numerator` / `denominator` to the nearest whole number, a half away from zero: 5/2 is 3, -5/2 is -3.
 *
 * This is the only rounding in the system. No Israeli rule fixes how amounts inside an invoice are rounded; half away
 * from zero is what a reader with a pocket calculator expects, and a credit then mirrors its invoice to the agora.
 *
 * @param denominator above zero.
 */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const half = numerator < 0n ? -denominator : denominator;
  // BigInt division cuts towards zero, so moving away from zero by a half first makes the cut a rounding.
  return (2n * numerator + half) / (2n * denominator);
}
