/**
 * Whether digits are a valid Israeli identity or VAT number: padded to nine digits, weighed 1, 2, 1, 2, …, products above 9
 * less 9, the sum divisible by 10. The same rule holds for persons and companies.
 */
export function isValidIsraeliId(digits: string): boolean {
  if (!/^\d{1,9}$/.test(digits) || Number(digits) === 0) {
    return false;
  }
  const sum = [...digits.padStart(9, '0')].reduce((total, digit, index) => {
    const product = Number(digit) * ((index % 2) + 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return sum % 10 === 0;
}
