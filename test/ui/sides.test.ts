import { describe, expect, test } from 'vitest'
import { caseView } from '../../src/ui/views/stories.ts'
import { disagreement, textOf } from './samples.ts'

describe('A disagreement in which it is unclear who is right', () => {
  test('shows sides in neutral colours where more than f contradict what was agreed', () => {
    const kept = disagreement({ dissent: { 'sv-3': 'dissent', 'sv-10': 'dissent' } })
    const view = caseView(kept, 1)
    expect(textOf(view)).toContain(
      'Agreed, but in doubt: 2 super validators contradict the answer, more than the f = 1 that may lie or fail. Nobody can tell who is right.',
    )
    expect(textOf(view)).toContain(
      'A: one side sv-3 and sv-10 B: the other side, whose answer was given sv-1 and sv-2',
    )
    expect(textOf(view)).not.toMatch(/Agreed all the same|said instead/)
    expect(view.toString()).toContain('class="difference sides"')
    expect(view.toString()).toContain('class="filings sides"')
  })

  test('says of no side that most said so where nothing was agreed', () => {
    const kept = disagreement({ outcome: 'disputed', agreed: null, dissent: {} })
    expect(textOf(caseView(kept, 1))).toMatch(/A: one side sv-3 and sv-10 B: the other side sv-1 and sv-2/)
    expect(textOf(caseView(kept, 1))).not.toContain('most')
  })
})
