import { describe, expect, test } from 'vitest'
import { seedLines } from '../../src/cli/seed-lines.ts'
import type { SeedState } from '../../src/core/scan/seed-outcome.ts'

function seed(host: string, outcome: SeedState['outcome'], detail = ''): SeedState {
  return { url: `https://${host}`, outcome, detail, at: null }
}

const lines = (...seeds: readonly SeedState[]) => [...seedLines(seeds, undefined)]

describe('the table of seeds without a roster', () => {
  test('names a seed that gives another list than most seeds', () => {
    const said = lines(
      seed('a.example', 'answered', '4 super validators (aaaa)'),
      seed('b.example', 'answered', '4 super validators (aaaa)'),
      seed('c.example', 'answered', '3 super validators (cccc)'),
      seed('d.example', 'timed-out'),
    )
    expect(said[3]).toBe('c.example  answered   3 super validators (cccc): another list than most seeds name')
    expect(said.filter((line) => line.includes('another list'))).toHaveLength(1)
    expect(said[6]).toMatch(/^What to do: .* The seeds name different super validators: check /)
  })
})
