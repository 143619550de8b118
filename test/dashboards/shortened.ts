const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
const factor = 60

/** Divides all windows and all durations of `for` by 60, so that an hour becomes a minute. */
export function shortened(rules: object): object {
  return JSON.parse(JSON.stringify(rules), (key, value) => {
    if (key === 'for') return shorter(value)
    if (key !== 'expr') return value
    return value.replaceAll(/\[(\w+)\]/g, (_: string, window: string) => `[${shorter(window)}]`)
  })
}

function shorter(duration: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(duration) ?? []
  if (unit === undefined) throw new Error(`not a duration: ${duration}`)
  return `${(Number(count) * seconds[unit as keyof typeof seconds] * 1000) / factor}ms`
}
