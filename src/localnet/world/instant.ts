/** Microseconds since 1970 UTC: the resolution of a ledger's times, still exact in a double. */
export type Micros = number

export function microsOf(wallMs: number): Micros {
  return Math.floor(wallMs * 1000)
}

/** As Java prints an `Instant`: no fraction, three or six digits of it, and `Z`. */
export function isoTime(micros: Micros): string {
  const seconds = Math.floor(micros / 1_000_000)
  const fraction = micros - seconds * 1_000_000
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  if (fraction === 0) return `${whole}Z`
  const digits = String(fraction).padStart(6, '0')
  return `${whole}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`
}
