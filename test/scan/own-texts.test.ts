import { describe, expect, test } from 'vitest'
import { reads } from '../../src/reads/table.ts'
import { Ballots, type HeardResponse } from '../../src/scan/ballots.ts'
import { differInOwnTextsOnly, ownTextsIn } from '../../src/scan/own-texts.ts'
import { samples } from '../reads/samples.ts'

const members = ['me', 'mine']

function isAlike(known: string, other: string): boolean {
  const body = Buffer.from(known)
  const spans = ownTextsIn(body, members)
  if (spans === undefined) throw new Error('no such texts')
  return differInOwnTextsOnly(body, spans, Buffer.from(other))
}

describe('bodies that differ in what a node says of itself', () => {
  const known = '{"me" : "a","x":[1],"mine":"b","y":"a"}'

  test.each([
    ['nothing', known, true],
    ['other names', '{"me" : "another","x":[1],"mine":"","y":"a"}', true],
    ['anything else before them', '{ "me" : "a","x":[1],"mine":"b","y":"a"}', false],
    ['anything else between them', '{"me" : "a","x":[2],"mine":"b","y":"a"}', false],
    ['anything else after them', '{"me" : "a","x":[1],"mine":"b","y":"b"}', false],
    ['a name that ends early and goes on as JSON', '{"me" : "a","x":[1],"mine":"b","z":1,"y":"a"}', false],
    ['a name with an escape', '{"me" : "\\u0061","x":[1],"mine":"b","y":"a"}', false],
    ['a name that is no text', '{"me" : null,"x":[1],"mine":"b","y":"a"}', false],
    ['a name that is no ASCII', '{"me" : "ä","x":[1],"mine":"b","y":"a"}', false],
    ['an end that is missing', known.slice(0, -1), false],
    ['an end that goes on', `${known} `, false],
    ['nothing at all', '', false],
  ])('%s', (_what, other, alike) => {
    expect(isAlike(known, other)).toBe(alike)
  })

  test.each([
    ['that is missing', '{"me":"a"}'],
    ['that is said twice', '{"me":"a","x":[],"mine":"b","inner":{"mine":"c"}}'],
    ['that something inside has first', '{"inner":{"me":"c"},"me":"a","mine":"b"}'],
    ['that only looks like it', '{"\\"me":"a","me":"b","mine":"b"}'],
    ['that is no plain text', '{"me":1,"mine":"b"}'],
    ['that never ends', '{"mine":"b","me":"a'],
  ])('are not told from others by a name %s', (_what, body) => {
    expect(ownTextsIn(Buffer.from(body), members)).toBeUndefined()
  })
})

test('a name that stands before everything else is the outermost, whatever has it inside', () => {
  const known = '{"me":"a","mine":"b","inner":{"me":"c","mine":["mine"]}}'
  expect(isAlike(known, known.replace('"a"', '"another"'))).toBe(true)
  expect(isAlike(known, known.replace('"c"', '"another"'))).toBe(false)
})

describe('/dso', () => {
  const said = (over: object) => Buffer.from(JSON.stringify({ ...samples.getDsoInfo.reply, ...over }))

  test('has one vote from nodes that differ in their own names, and their bytes are let go at once', () => {
    const ballots = new Ballots({ read: reads.getDsoInfo, params: {} })
    const heard = ['one', 'two', 'three'].map(
      (name, voter) =>
        ballots.hear(voter, 200, said({ sv_user: name, sv_party_id: `${name}::1220ab` })) as HeardResponse,
    )
    expect(new Set(heard.map(({ reply }) => 'vote' in reply && reply.vote)).size).toBe(1)
    expect(heard.map(({ kept }) => kept)).toEqual([true, false, false])
  })

  test('has another vote where anything else differs', () => {
    const ballots = new Ballots({ read: reads.getDsoInfo, params: {} })
    const heard = [{}, { voting_threshold: 4 }, { sv_user: '', voting_threshold: 4 }].map(
      (over, voter) => ballots.hear(voter, 200, said(over)) as HeardResponse,
    )
    const votes = heard.map(({ reply }) => 'vote' in reply && reply.vote)
    expect(votes[1]).not.toBe(votes[0])
    expect(votes[2]).toBe(votes[1])
  })
})
