const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** Formats a duration: `12 ms`, `3.2 s`, `45 s`, `12m`, `3h`, `5d`. */
export function showSeconds(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const unit = units.find(([, worth]) => seconds >= worth)
  return unit === undefined ? `${Math.round(seconds)} s` : `${Math.floor(seconds / unit[1])}${unit[0]}`
}
