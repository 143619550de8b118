/** The digits after the point of a Daml `Decimal`. */
const places = 10
const wholeDigits = 28
const canonical = /^(?:0|-?[1-9]\d{0,27}|-0(?=\.0{0,9}[1-9]))\.\d{10}$/
const written = /^([+-]?)(\d{1,38})(?:\.(\d{1,38}))?(?:[eE]([+-]?\d{1,2}))?$/

/**
 * Returns the one text of a decimal that is voted on and served: with all ten decimal places, as
 * Splice encodes amounts. A text that no `Decimal` has stays as it is.
 */
export function decimalText(text: string): string {
  if (canonical.test(text)) return text
  const [, sign, whole, fraction = '', exponent = '0'] = written.exec(text) ?? []
  if (whole === undefined) return text
  const shift = places - fraction.length + Number(exponent)
  const digits = BigInt(whole + fraction)
  const unit = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % unit !== 0n) return text
  const shown = String(shift < 0 ? digits / unit : digits * unit).padStart(places + 1, '0')
  if (shown.length > wholeDigits + places) return text
  const isNegative = sign === '-' && digits !== 0n
  return `${isNegative ? '-' : ''}${shown.slice(0, -places)}.${shown.slice(-places)}`
}
