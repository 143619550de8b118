/** Microseconds since 1970 UTC: the resolution of a ledger's times, still exact in a double. */
export type Micros = number

export function microsOf(wallMs: number): Micros {
  return Math.floor(wallMs * 1000)
}

/** Of a UTC time as Splice and its callers print it. NaN for what is none. */
export function microsIn(text: unknown): Micros {
  const [, whole = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(String(text)) ?? []
  return Date.parse(`${whole}Z`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
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
