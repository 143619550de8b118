/** Converts a decimal to units of 10^-10 coin: `200.0000000000` is 2,000,000,000,000. */
export function units(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(10, '0'))
}
