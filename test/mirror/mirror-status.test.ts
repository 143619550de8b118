import { expect, test } from 'vitest'
import { momentOf } from '../../src/base/lib/clock.ts'
import { mirrorStatus } from '../../src/mirror/mirror-status.ts'
import { entryOf, mirrored, setOf, t0, take } from './mirrored.ts'

test('before the first set the status says why the last drain gave none, and not any more after it', () => {
  const { mirror, clock } = mirrored()
  const because = (lastDrainFailedBecause?: string) =>
    mirrorStatus(
      mirror,
      { nextAt: t0, receivedBytes: 0, reconciled: null, lastDrainFailedBecause },
      momentOf(clock),
    ).degradedBecause
  expect(because()).toBe('No snapshot is agreed yet.')
  expect(because('Nobody has it.')).toBe('No snapshot is agreed yet. Nobody has it.')
  take(mirror, setOf([entryOf('alice.cns')]))
  expect(because('Nobody has it.')).toBeNull()
})
