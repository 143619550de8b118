import { describe, expect, test } from 'vitest'
import { pageView } from '../../src/ui/views/page.ts'
import { model, textOf } from './samples.ts'

describe('The clock of a localnet', () => {
  const day = 86_400_000
  const shown = (ahead: number, network: 'localnet' | 'mainnet' = 'localnet') => {
    const { networkMs } = model()
    return textOf(
      pageView(
        model({
          network,
          networkMs: networkMs + ahead,
          nodes: [{ name: 'sv-1', faults: [] }],
          faultKinds: [],
        }),
      ),
    )
  }

  test('is shown in the header and in the section of the localnet when it was moved', () => {
    expect(shown(120 * day)).toContain('LocalNet clock 120 days ahead')
    expect(shown(120 * day)).toContain('The clock of this localnet is 120 days ahead.')
    expect(shown(3_600_000)).toContain('clock 1 hour ahead')
  })

  test('is not mentioned where it is that of the machine, nor on other networks', () => {
    expect(shown(1_000)).not.toContain('ahead')
    expect(shown(120 * day, 'mainnet')).not.toContain('ahead')
  })
})
