import { raw } from 'hono/html'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import type { NameEvent } from '../../src/server/ui/model.ts'
import { findingView, recentDoubtView } from '../../src/server/ui/views/lookup.ts'
import { liveParts } from '../../src/server/ui/views/page.ts'
import { disagreement, type Examined, examination, examined, model, textOf } from './samples.ts'

const question = { by: 'name', text: 'alice.unverified.cns', ask: 'all', strict: false } as const
const now = model().machineMs

describe('The card of an answer on which all agree', () => {
  const against = (who: readonly string[], minutesAgo: number) =>
    disagreement({
      at: new Date(now - minutesAgo * 60_000).toISOString(),
      dissent: Object.fromEntries(who.map((name) => [name, 'dissent' as const])),
    })
  const shown = (cases: ReturnType<typeof against>[]) =>
    textOf(findingView(question, examined(), recentDoubtView(cases, 1, now))).replaceAll('\u00a0', ' ')

  test('warns if more than f super validators contradicted each other within the last hour', () => {
    const warning =
      'This answer may be a lie. More super validators than the f = 1 that may lie contradicted each other at 11:30 UTC .'
    expect(shown([against(['sv-2', 'sv-3'], 30)])).toContain(warning)
    expect(shown([against(['sv-2'], 30)])).not.toContain('may be a lie')
    expect(shown([against(['sv-2', 'sv-3'], 61)])).not.toContain('may be a lie')
  })

  test('gets the warning while it is open, and loses it an hour later', () => {
    const part = (minutesAgo: number) => {
      const disagreements = [against(['sv-2', 'sv-3'], minutesAgo)]
      return liveParts(model({ disagreements })).parts['live-recent-doubt']
    }
    expect(part(1)).toContain('This answer may be a lie.')
    expect(part(61)).toBe('')
  })
})

describe('The heading of the card', () => {
  const { answer } = examination({})
  const absence = {
    ...(answer as Answer),
    kind: 'absence',
    status: 404,
    body: Buffer.from('{"error":"none"}'),
  } as const
  const heading = (by: 'name' | 'party', given: Partial<Examined>) => {
    const card = findingView({ ...question, by }, examined(given)).toString()
    return {
      says: textOf(raw(/<h2.*?<\/h2>/s.exec(card)?.[0] ?? '')).trim(),
      isMissing: card.includes(' missing"'),
    }
  }

  test('says that there is no such name, and is not green', () => {
    const none = examination({}, { answer: absence })
    expect(heading('name', { examination: none })).toEqual({
      says: 'Agreed: there is none No such name: alice.unverified.cns',
      isMissing: true,
    })
    expect(heading('party', { examination: none }).says).toContain('No name of this party:')
    const partyCard = (text: string) =>
      findingView({ ...question, by: 'party', text }, examined({ examination: none })).toString()
    expect(partyCard('DSO::1220')).toContain('Is the party whole?')
    expect(partyCard(`DSO::1220${'ab'.repeat(32)}`)).not.toContain('Is the party whole?')
    expect(findingView(question, examined({ examination: none })).toString()).toContain(
      'The vote: 4/4 found none',
    )
  })

  test('says that the name has expired, and is not green', () => {
    const at = new Date(now - 1_000).toISOString()
    expect(heading('name', { history: [{ what: 'expired', at }] })).toEqual({
      says: 'Agreed: it has expired Expired: alice.unverified.cns',
      isMissing: true,
    })
  })

  test('has only the name if the name is registered, also after an earlier registration expired', () => {
    const event = (what: NameEvent['what'], minutes: number): NameEvent => ({
      what,
      at: new Date(now + minutes * 60_000).toISOString(),
    })
    const history = [event('removed', -9), event('registered', -8), event('expires', 9)]
    expect(heading('name', { history })).toEqual({ says: 'Agreed alice.unverified.cns', isMissing: false })
  })
})
