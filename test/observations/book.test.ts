import { describe, expect, test } from 'vitest'
import type { NotedEpoch } from '../../src/observations/noted-epoch.ts'
import { NotedHistory } from '../../src/observations/noted-history.ts'
import { ObservationBook } from '../../src/observations/observation-book.ts'
import { printNote } from '../../src/observations/signed-note.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { isSigned, readNote } from './verified.ts'

const digestOf = (text: string) => text.padEnd(43, 'A')
const said = (sv: string, subject = 'contract x', digest = 'd') => ({ sv, subject, digest: digestOf(digest) })
const epochMs = 600_000

function openBook() {
  const clock = new ManualClock()
  const key = newSigningKey()
  const closed: { noted: NotedEpoch; dropped: number }[] = []
  const book = new ObservationBook({
    clock,
    signing: () => key,
    closed: (noted, dropped) => closed.push({ noted, dropped }),
  })
  return { clock, key, closed, book, start: clock.wall() / epochMs }
}

describe('an epoch', () => {
  test('ends at its last millisecond, and the next observation belongs to the next one', () => {
    const { clock, key, closed, book, start } = openBook()
    book.add(said('sv-1'))
    clock.advance(epochMs - 1)
    book.add(said('sv-2'))
    expect(closed).toEqual([])
    clock.advance(1)
    book.add(said('sv-3'))
    expect(closed.map(({ noted }) => [noted.epoch, noted.observations.map(({ sv }) => sv)])).toEqual([
      [start, ['sv-1', 'sv-2']],
    ])
    const note = printNote(closed[0]?.noted.note as never)
    expect(readNote(note)).toMatchObject({
      size: 2,
      origin: `bft-scan-proxy/${key.keyid}/observations/${start}`,
    })
    expect(isSigned(note, key.x)).toBe(true)
    expect([book.epoch, book.size]).toEqual([start + 1, 1])
  })

  test('has each observation once, in one order, however often and in which order they came', () => {
    const texts = ['sv-3', 'sv-1', 'sv-2', 'sv-1', 'sv-3']
    const notes = [texts, texts.toReversed()].map((names) => {
      const { clock, closed, book } = openBook()
      for (const name of names) book.add(said(name))
      clock.advance(epochMs)
      book.closeEpochIfOver()
      return closed[0]?.noted.lines
    })
    expect(notes[0]).toHaveLength(3)
    expect(notes[0]).toEqual(notes[1])
  })

  test('has both stories of a super validator that tells two', () => {
    const { clock, closed, book } = openBook()
    book.add(said('sv-1', 'contract x', 'one'))
    book.add(said('sv-1', 'contract x', 'two'))
    clock.advance(epochMs)
    book.closeEpochIfOver()
    expect(closed[0]?.noted.lines).toHaveLength(2)
  })

  test('keeps 1,024 observations, and counts those that came later', () => {
    const { clock, closed, book } = openBook()
    for (let at = 0; at < 1_500; at++) book.add(said(`sv-${at}`))
    clock.advance(epochMs)
    book.closeEpochIfOver()
    expect(closed.map(({ noted, dropped }) => [noted.lines.length, dropped])).toEqual([[1_024, 476]])
  })

  test('is never opened again: a clock that is set back goes on with the present one', () => {
    const { clock, closed, book, start } = openBook()
    clock.advance(epochMs)
    book.add(said('sv-1'))
    clock.setWall(clock.wall() - 5 * epochMs)
    book.add(said('sv-2'))
    expect([book.epoch, book.size, closed.length]).toEqual([start + 1, 2, 1])
    clock.setWall(clock.wall() + 20 * epochMs)
    book.closeEpochIfOver()
    expect(closed.map(({ noted }) => noted.epoch)).toEqual([start, start + 1])
  })

  test('leaves out what no line can hold', () => {
    const { book } = openBook()
    for (const odd of [
      said(''),
      said('\ud800'),
      said('a'.repeat(300)),
      said('a', ''),
      { ...said('a'), digest: '' },
    ])
      book.add(odd)
    expect(book.size).toBe(0)
  })
})

describe('a history', () => {
  const noted = (epoch: number, names: readonly string[], digest = 'd'): NotedEpoch => {
    const observations = names.map((name) => said(name, 'contract x', digest))
    const note = { text: '', signatures: [] }
    return { epoch, key: { keyid: '', x: '' }, note, observations, lines: names }
  }

  test('keeps the latest 36 epochs, in whichever order they came', () => {
    const history = new NotedHistory()
    for (let epoch = 50; epoch > 0; epoch--) history.add(noted(epoch, ['sv-1']))
    expect([14, 15, 50].map((epoch) => history.find(epoch)?.epoch)).toEqual([undefined, 15, 50])
    expect(history.contradicting(said('sv-1', 'contract x', 'other'))).toHaveLength(36)
  })

  test('keeps 4,096 observations, and none that it has forgotten contradicts any more', () => {
    const history = new NotedHistory()
    const names = Array.from({ length: 1_000 }, (_, at) => `sv-${at}`)
    for (let epoch = 0; epoch < 10; epoch++) history.add(noted(epoch, names, `d${epoch}`))
    expect(history.find(5)).toBeUndefined()
    expect(history.find(6)).toBeDefined()
    expect(history.contradicting(said('sv-7')).map((each) => each.noted.epoch)).toEqual([6, 7, 8, 9])
    expect(history.contradicting(said('sv-7', 'contract x', 'd9'))).toHaveLength(3)
    expect(history.latest).toBe(9)
  })
})
