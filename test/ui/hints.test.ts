import { describe, expect, test } from 'vitest'
import { questionIn } from '../../src/server/ui/lookup.ts'
import { toldOf } from '../../src/server/ui/tour.ts'
import { findingView, lookupView } from '../../src/server/ui/views/lookup.ts'
import { examination, examined, model, textOf } from './samples.ts'

test.each([
  ['al', 'prefix'],
  ['alice.unverified.cns', 'name'],
  ['alice::1220', 'party'],
  ['Hello World', 'name'],
  ['', 'name'],
])('"%s" is looked up by %s if the visitor chose nothing', (q, by) => {
  expect(questionIn(new URLSearchParams({ q }), true)).toMatchObject({ by, text: q })
})

test.each([
  [undefined, 'Newest names need the mirror ( MIRROR_LEVEL=bindings ).'],
  ['No snapshot is agreed yet.', 'The mirror lists no newest names yet. No snapshot is agreed yet.'],
])('The first screen of operators says why it has no newest names: %s', (newest, says) => {
  expect(textOf(lookupView(model({ newest })))).toContain(says)
  expect(textOf(lookupView(model({ newest, publicPort: undefined })))).not.toContain('ewest names')
})

test('A fresh localnet has newest names once one is registered and its clock is moved', () => {
  const newest = 'No snapshot is agreed yet.'
  expect(textOf(lookupView(model({ newest, network: 'localnet' })))).toContain(
    `${newest} On a localnet, register a name and move the clock by a day.`,
  )
})

test('A command that asks again is not offered for a vote of 2f + 1, which programs cannot ask for', () => {
  const shown = (strict: boolean) => {
    const question = {
      by: 'name',
      text: 'bob.unverified.cns',
      ask: 'all',
      strict,
      fromMirror: false,
    } as const
    return String(findingView(question, examined()))
  }
  expect(shown(false)).toContain('data-copies="as curl"')
  expect(shown(true)).not.toContain('data-copies="as curl"')
})

test('A list that the mirror does not have says that the super validators were asked, and is headed by its question', () => {
  const body = Buffer.from('{"entries":[]}')
  const { answer } = examination({})
  const none = examination({}, { answer: { ...answer, body } as typeof answer })
  const question = { by: 'prefix', text: 'd', ask: 'all', strict: false, fromMirror: true } as const
  const said = textOf(findingView(question, examined({ examination: none })))
  expect(said).toContain('Agreed: there is none No name begins with d')
  expect(said).toContain('The mirror does not answer this, so the super validators were asked.')
  expect(said).toContain('4/4 found none')
})

describe('The tour', () => {
  const onLocalnet = {
    nodes: ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) => ({ name, faults: [] })),
    registration: { acronym: 'cns' },
    faultKinds: [],
    tourStepsDone: 0,
  }
  const told = (reached: number, faults: Readonly<Record<string, string>>) => {
    const superValidators = onLocalnet.nodes.map(({ name }) => name)
    const nodes = superValidators.map((name) => ({ name, faults: [faults[name] ?? []].flat() }))
    return toldOf({ superValidators, f: 1, acronym: 'cns' }, reached, { nodes, finding: examined() })
  }

  test.each([
    [1, {}, undefined],
    [1, { 'sv-3': 'lie' }, undefined],
    [1, { 'sv-2': 'lie' }, 'sv-2 lies from now on.'],
    [2, {}, undefined],
    [3, { 'sv-2': 'lie' }, undefined],
    [4, { 'sv-3': 'hang', 'sv-4': 'hang' }, undefined],
    [5, { 'sv-2': 'lie' }, undefined],
    [6, { 'sv-3': 'hang' }, undefined],
    [5, {}, expect.stringContaining('Press "30 days later" again to see it renewed.')],
    [6, {}, expect.stringContaining('This was the tour.')],
  ])('says nothing after step %i if other faults are set now than it left: %o', (reached, faults, says) => {
    expect(told(reached, faults)).toEqual(says)
  })

  test('does not ask for a renewal that has happened', () => {
    const nodes = onLocalnet.nodes
    const renewed = examined({ history: [{ what: 'renewed', at: '2026-01-01T12:00:00.000Z' }] })
    const ground = { superValidators: nodes.map(({ name }) => name), f: 1, acronym: 'cns' }
    expect(toldOf(ground, 5, { nodes, finding: renewed })).toMatch(/The wallet has renewed it\.$/)
  })
})
