/** Ten-thousand-millionths of a coin: `200.0000000000` is 2,000,000,000,000. */
export function units(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(10, '0'))
}
