import { expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { readIds } from '../../src/reads/endpoints.ts'
import { catalogue, climb, type Found } from './costs.ts'
import { runsOf } from './tape.ts'

/** Bodies of up to this many bytes are judged in the thread that serves callers. */
const servedBytes = 65_536
const mostMs = 50
/** The maximum number of bytes that judging one body may allocate, short-lived values included. */
const mostAllocated = 16_000_000
/** The judge thread ends a job after twice this time. */
const mostMsElsewhere = 5_000

test.each(readIds)(
  'no body of the catalogue holds up the thread that serves %s',
  (id) => {
    expect([...catalogue(servedBytes, [id])].filter(isTooCostly).map(told)).toEqual([])
  },
  600_000,
)

test('a search for costly bodies finds none that holds up the judge thread for seconds', async ({
  annotate,
}) => {
  const { numRuns, seed } = runsOf(300, 'ADVERSARY_CLIMB')
  const { slowest, hungriest } = climb(numRuns, 1 << 22, seededRandom(seed))
  await annotate(`${numRuns} bodies, seed ${seed}; slowest: ${told(slowest)}; hungriest: ${told(hungriest)}`)
  expect(slowest.blockedMs).toBeLessThan(mostMsElsewhere)
}, 3_600_000)

function isTooCostly({ blockedMs, allocated, bytes }: Found): boolean {
  return blockedMs > mostMs || allocated * bytes > mostAllocated
}

function told({ read, label, bytes, blockedMs, allocated, outcome }: Found): string {
  return `${read} ${label}: ${bytes} bytes, ${Math.round(blockedMs)} ms, ${allocated.toFixed(1)} times its size, ${outcome}`
}
