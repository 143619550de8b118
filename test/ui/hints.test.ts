import { describe, expect, test } from 'vitest'
import type { LookupInput } from '../../src/ui/model.ts'
import { absenceHint } from '../../src/ui/views/hints.ts'
import { pageView } from '../../src/ui/views/page.ts'
import { examination, model, textOf } from './samples.ts'

const input = (by: LookupInput['by'], text: string): LookupInput => ({ by, text, ask: 'all', strict: false })

describe('Where nobody has what was looked up, the page tells', () => {
  test('what a complete name looks like, and leads to names that begin so', () => {
    const hint = absenceHint(input('name', 'asdf'))
    expect(textOf(hint)).toContain('no complete name: names look like asdf .unverified.cns.')
    expect(hint.toString()).toContain('href="./?by=prefix&amp;q=asdf#answer"')
  })

  test('that the fingerprint of a party is too short', () => {
    expect(textOf(absenceHint(input('party', 'DSO::1220')))).toContain('This is no complete party')
    expect(absenceHint(input('party', `DSO::1220${'ab'.repeat(32)}`)).toString()).toBe('')
  })

  test('nothing more of a complete name', () => {
    expect(absenceHint(input('name', 'asdf.unverified.cns')).toString()).toBe('')
  })
})

describe('The tour', () => {
  const onLocalnet = {
    nodes: ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) => ({ name, faults: [] })),
    registration: { acronym: 'cns' },
    faultKinds: [],
    tour: 0,
  }
  const finding = { kind: 'examined', examination: examination({}), course: [], history: [] } as const

  test('is found again from an ordinary answer', () => {
    const page = pageView(model({ ...onLocalnet, finding })).toString()
    expect(page).toContain('<a href="./#tour">A tour in five steps</a>')
    expect(pageView(model({ finding })).toString()).not.toContain('./#tour')
  })

  test('breaks no formula across lines', () => {
    const page = pageView(model(onLocalnet)).toString()
    const tour = /<section id="tour".*?<\/section>/s.exec(page)?.[0] ?? ''
    expect(tour).toContain('2f\u00a0+\u00a01')
    expect(tour).not.toMatch(/f [+=]|[+=] \d/)
  })
})
