import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tolerated } from '../../src/base/lib/threshold.ts'
import { differenceOf, readEarlierReport } from '../../src/doctor/difference.ts'
import type { Observation } from '../../src/doctor/observation.ts'
import { steps } from '../../src/doctor/report.ts'
import { anyNetwork, anyObservation, now, reportOn, said, upTo, wellSeen } from './observations.ts'

test('every word fits its column, every failure has a sentence, and nothing foreign breaks a line', () => {
  fc.assert(
    fc.property(anyNetwork, (network) => {
      const report = reportOn(network)
      for (const { steps: findings } of report.superValidators)
        for (const step of steps) {
          const { outcome, word, detail } = findings[step]
          expect(word).toMatch(/^\P{C}{1,7}$/u)
          expect(detail).toMatch(/^\P{C}*$/u)
          if (outcome === 'failed') expect(detail).toMatch(/\.$/)
        }
      for (const { text, subject } of report.letters) {
        expect(text).toMatch(/^[\P{C}\n]*$/u)
        expect(subject).toMatch(/^\P{C}*$/u)
      }
    }),
  )
})

test('a super validator that gets better never makes a threshold fail', () => {
  fc.assert(
    fc.property(fc.array(anyObservation, { minLength: 3, maxLength: 10 }), fc.nat(), (seen, pick) => {
      // Half of the super validators are healthy in both reports, so that the majority is the same in both reports.
      const mostly = [...seen.map(() => wellSeen), ...seen]
      const better = mostly.with(seen.length + (pick % seen.length), wellSeen)
      const [before, after] = [reportOn({ observations: mostly }), reportOn({ observations: better })]
      for (const [index, { holds }] of before.thresholds.entries())
        if (holds) expect(after.thresholds[index]?.holds).toBe(true)
    }),
  )
})

test('f scans that lie about their progress do not make one that is up to date look late', () => {
  const lie = fc.record({
    head: fc.integer({ min: -1e12, max: 1e12 }),
    snapshot: fc.integer({ min: -1e12, max: 1e12 }),
    begins: fc.integer({ min: -1e12, max: 1e12 }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 16 }), fc.array(lie, { minLength: 5, maxLength: 5 }), (n, lies) => {
      const liars: readonly Observation[] = lies.slice(0, tolerated(n)).map(({ head, snapshot, begins }) => ({
        ...wellSeen,
        progress: said({ beginsAt: now + begins, headAt: now + head, heardAt: now }),
        snapshot: said(now + snapshot),
      }))
      const honest = Array.from({ length: n - liars.length }, () => wellSeen)
      const { superValidators } = reportOn({ observations: [...honest, ...liars] })
      const honestOnes = superValidators.filter(({ names }) => Number(names[0]?.slice(3)) < honest.length)
      for (const { steps: found } of honestOnes)
        expect([found.head, found.snapshot, found.history].map(({ outcome }) => outcome)).toEqual(
          Array(3).fill('ok'),
        )
    }),
  )
})

test('neither a quiet ledger nor a late examination makes a scan late', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 14_000 }), { minLength: 4, maxLength: 10 }),
      fc.boolean(),
      (heard, isQuiet) => {
        const observations = heard.map((after) => ({
          ...wellSeen,
          progress: said({ ...upTo(0), headAt: isQuiet ? now - 600_000 : now + after, heardAt: now + after }),
        }))
        const { superValidators } = reportOn({ observations })
        expect(superValidators.map(({ behindMs }) => behindMs)).toEqual(heard.map(() => 0))
      },
    ),
  )
})

test('a report does not differ from itself', () => {
  fc.assert(
    fc.property(anyNetwork, (network) => {
      const report = reportOn(network)
      const read = readEarlierReport(JSON.stringify(report))
      if ('why' in read) throw new Error(read.why)
      expect(differenceOf(read.report, report)).toEqual({
        since: report.at,
        better: [],
        worse: [],
        joined: [],
        left: [],
      })
    }),
  )
})

test('with two reports exchanged, improvements become deteriorations', () => {
  fc.assert(
    fc.property(anyNetwork, anyNetwork, (one, other) => {
      const [a, b] = [reportOn(one), reportOn(other)]
      const [there, back] = [differenceOf(a, b), differenceOf(b, a)]
      const turned = back.worse.map((change) => ({ ...change, was: change.is, is: change.was }))
      expect(sorted(there.better)).toEqual(sorted(turned))
      expect(sorted(there.joined)).toEqual(sorted(back.left))
    }),
  )
})

function sorted(list: readonly unknown[]): readonly string[] {
  return list.map((each) => JSON.stringify(each)).sort()
}

test('no file is taken for a report that cannot be compared with', () => {
  const { report } = readEarlierReport(JSON.stringify(reportOn({ observations: [wellSeen] }))) as never
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const read = readEarlierReport(JSON.stringify(json))
      if ('why' in read) expect(read.why).toMatch(/^it is /)
      else differenceOf(read.report, report)
    }),
  )
})
