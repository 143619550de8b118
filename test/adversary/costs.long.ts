import { expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { readIds } from '../../src/reads/table.ts'
import { catalogue, climb, type Found } from './costs.ts'
import { runsOf } from './tape.ts'

/** No body within the limit of its row may cost more. */
const mostMs = 50
const mostTimes = 8
const whole = Number.POSITIVE_INFINITY
/** Below so many bytes what every read costs anyhow counts for more than the body. */
const small = 65_536

test.each(readIds)(
  'no body of the catalogue holds up %s',
  async (id) => {
    expect([...catalogue(whole, [id])].filter(isTooCostly).map(told)).toEqual([])
  },
  600_000,
)

test('a search for costly bodies finds none that costs too much', async ({ annotate }) => {
  const { numRuns, seed } = runsOf(600, 'ADVERSARY_CLIMB')
  const { slowest, hungriest } = climb(numRuns, 1 << 22, seededRandom(seed))
  await annotate(`${numRuns} bodies, seed ${seed}; slowest: ${told(slowest)}; hungriest: ${told(hungriest)}`)
  expect([slowest, hungriest].filter(isTooCostly).map(told)).toEqual([])
}, 3_600_000)

function isTooCostly({ blockedMs, allocated, bytes }: Found): boolean {
  return blockedMs > mostMs || (allocated > mostTimes && bytes >= small)
}

function told({ read, label, bytes, blockedMs, allocated, outcome }: Found): string {
  return `${read} ${label}: ${bytes} bytes, ${Math.round(blockedMs)} ms, ${allocated.toFixed(1)} times its size, ${outcome}`
}
