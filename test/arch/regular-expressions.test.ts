import { expect, test } from 'vitest'
import { expressionsOf, longRunsOf } from './regular-expressions.ts'
import { sources } from './sources.ts'

const mostMs = 5
const long = 65_536

test('no regular expression takes longer than 5 ms for 64 KiB of its own characters, alone or in pairs', () => {
  const expressions = sources.flatMap(expressionsOf)
  expect(expressions.length).toBeGreaterThan(250)
  // Without a repetition that has no end, the work at each place of a text is bounded.
  const repeating = expressions.filter(({ regex }) => /[*+]|\{\d+,\}/.test(regex.source))
  const slow = repeating.filter(({ regex }) => isSlow(regex)).map(({ where }) => where)
  expect(slow).toEqual([])
}, 300_000)

function isSlow(regex: RegExp): boolean {
  return longRunsOf(regex).some((make) => {
    // A quadratic expression that needs 5 ms for the whole text needs a 16th of that for a quarter, any other one more.
    const [quarter, whole] = [mostMs / 16, mostMs]
    return takes(regex, make(long / 4), quarter) && takes(regex, make(long), whole)
  })
}

/** Whether the fastest of several tries takes longer than this. Time of the processor counts, so that other programs do not. */
function takes(regex: RegExp, text: string, ms: number): boolean {
  const everywhere = new RegExp(regex, [...new Set(`${regex.flags}g`)].join(''))
  let tries = 0
  let took: number
  do {
    const before = process.threadCpuUsage()
    text.replace(everywhere, '')
    took = process.threadCpuUsage(before).user / 1000
  } while (took > ms && took < 20 * ms && ++tries < 5)
  return took > ms
}
