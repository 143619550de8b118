const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** Formats a duration with its two largest units: `3.2s`, `12m`, `1h 5m`. */
export function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 10) return `${Math.round(ms / 100) / 10}s`
  const first = units.findIndex(([, length]) => seconds >= length)
  const [[name, length], next] = [units[first] as (typeof units)[number], units[first + 1]]
  const rest = next === undefined ? 0 : Math.floor((seconds % length) / next[1])
  const whole = `${Math.floor(seconds / length)}${name}`
  return rest === 0 || next === undefined ? whole : `${whole} ${rest}${next[0]}`
}
