import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import type { Examination, Stand, VoteEvent } from '../../src/doctor/examiner.ts'
import type { ShownRoster } from '../../src/server/ui/model.ts'
import { findingView, groundsView, lookupChoices } from '../../src/server/ui/views/lookup.ts'
import { waterfallView } from '../../src/server/ui/views/waterfall.ts'
import { examination, examined, model, stand, textOf } from './samples.ts'

describe('A quorum is drawn:', () => {
  const stands = [
    stand('sv-1', { operator: 'One', seconds: 0.0042 }),
    stand('sv-2', { operator: 'One', stance: 'dissented', seconds: 0.02 }),
    stand('sv-10', { stance: 'silent', why: 'timeout' }),
    stand('sv-9', { stance: 'unasked' }),
  ]
  const events: readonly VoteEvent[] = [
    { kind: 'asked', ms: 0, voter: 0, reason: 'first' },
    { kind: 'asked', ms: 0, voter: 2, reason: 'first' },
    { kind: 'asked', ms: 5, voter: 1, reason: 'hedge' },
    { kind: 'heard', ms: 4, voter: 0, outcome: 'value', group: 0 },
    { kind: 'heard', ms: 20, voter: 1, outcome: 'value', group: 1 },
    { kind: 'settled', ms: 10, outcome: 'agreed' },
  ]
  const drawn = examination({}, { stands })

  test('a lane for every super validator, with where it stands, by name', () => {
    const lanes = textOf(waterfallView(drawn, events))
    expect(lanes).toMatch(
      /✓ sv-1 One agreed · 4.0 ms ✕ sv-2 One dissented · 20 ms · a hedge, because another was late/,
    )
    expect(lanes).toMatch(/sv-9 .*not asked .*sv-10 .*silent · timeout/)
    expect(textOf(groundsView(drawn))).toContain(
      'Decided because enough super validators gave the same value.',
    )
  })

  test('and a quorum that one lie could win warns', () => {
    expect(textOf(groundsView(examination({}, { protected: false })))).toContain('no lie would be noticed')
    expect(textOf(groundsView(examination({})))).not.toContain('no lie would be noticed')
  })
})

describe('A visitor who knows nothing about quorums', () => {
  const question = { by: 'name', text: 'nobody.cns', ask: 'all', strict: false } as const

  test('reads the meaning of the choices, in the numbers of this network', () => {
    const roster = model().roster as ShownRoster
    expect(textOf(lookupChoices(question, roster)).replaceAll('\u00a0', ' ')).toContain(
      'Of these 4 super validators f = 1 may lie or fail. The threshold is 2 equal votes; with 2f + 1 it takes 3, and 2 liars get no false answer through.',
    )
    expect(textOf(lookupChoices(question, undefined))).not.toContain('liar')
    expect(textOf(lookupChoices({ ...question, ask: undefined }, roster))).not.toContain('liar')
  })

  test('reads again the beginning that was asked for, above the names that have it', () => {
    const shown = (names: readonly string[], text: string) => {
      const entries = names.map((name) => ({ name, user: 'alice::12' }))
      const body = Buffer.from(JSON.stringify({ entries }))
      const given = examination({}, { answer: { ...(examination({}).answer as Answer), body } })
      const prefix = { ...question, by: 'prefix', text } as const
      return textOf(findingView(prefix, examined({ examination: given })))
    }
    expect(shown([], 'al')).toContain('Agreed: there is none No name begins with al 4 of 4 super validators')
    expect(shown([], 'al').match(/No name begins/g)).toHaveLength(1)
    expect(shown([], '')).toContain('Agreed: there is none There are no names')
    expect(shown(['al.cns'], 'al')).toContain('1 name begins with al .')
    expect(shown(['al.cns', 'bo.cns'], '')).toContain('2 names.')
  })
})

describe('If it is unclear who is right, the page shows sides:', () => {
  const question = { by: 'name', text: 'alice.cns', ask: 'all', strict: false } as const
  const finding = (given: Partial<Examination>) =>
    findingView(question, examined({ examination: examination({}, given) }))

  test('and speaks of sides only where there are some', () => {
    const stands = ['sv-1', 'sv-2', 'sv-3'].map((name) => stand(name, { stance: 'silent', why: 'timeout' }))
    const shown = (last: Stand) =>
      textOf(finding({ outcome: 'unreachable', answer: undefined, stands: [...stands, last] }))
    for (const last of [stand('sv-4', { stance: 'silent' }), stand('sv-4', { stance: 'voted' })]) {
      expect(shown(last)).toContain('so this vote gives no answer.')
      expect(shown(last)).not.toContain('sides')
    }
  })

  test('and does not say that too few were heard where enough answered and differ', () => {
    const voted = ['sv-1', 'sv-2'].map((name) => stand(name, { stance: 'voted' }))
    const silent = ['sv-3', 'sv-4'].map((name) => stand(name, { stance: 'silent', why: 'timeout' }))
    const shown = (stands: readonly Stand[]) =>
      textOf(finding({ outcome: 'unreachable', answer: undefined, stands }))
    expect(shown([...voted, ...silent])).toContain(
      '2 of 4 super validators answered, but they differ: 2 have to say the same.',
    )
    expect(shown([...voted.slice(1), ...silent, stand('sv-1', { stance: 'silent' })])).toContain(
      'Too few could be heard',
    )
  })

  test('and leads nowhere that only a doubtful answer names', () => {
    const url = 'https://alice.example'
    const shown = (against: number) => {
      const stands = ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name, index) =>
        stand(name, { stance: index < against ? 'dissented' : 'agreed' }),
      )
      return findingView(question, examined({ examination: examination({ url }, { stands }) }))
    }
    expect(shown(1).toString()).toContain(`href="${url}"`)
    expect(shown(2).toString()).not.toContain(`href="${url}"`)
    expect(textOf(shown(2))).toContain(url)
  })
})
