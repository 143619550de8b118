import { describe, expect, test } from 'vitest'
import { unasked } from '../../src/doctor/observation.ts'
import type { DoctorReport } from '../../src/doctor/report.ts'
import { DoctorOnDemand } from '../../src/ui/doctor-on-demand.ts'
import { liveParts, pageView } from '../../src/ui/views/page.ts'
import { connected, reportOn, wellSeen } from '../doctor/observations.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { model, shownDoctor, textOf } from './samples.ts'

const noAnswer = { kind: 'failed', problem: 'timeout', detail: 'no answer within 3 s' } as const
const dropped = {
  ...unasked('', null),
  connection: { ...connected, tcp: noAnswer, tls: { kind: 'skipped' } },
} as const
const silentHistory = { ...wellSeen, complete: { kind: 'status', status: 404, text: '' } } as const

const report = reportOn({
  observations: [wellSeen, dropped, wellSeen, silentHistory],
  egressAddresses: ['203.0.113.7'],
})

function doctorOn(shown: Parameters<typeof shownDoctor>[0]): string {
  const page = pageView(model({ doctor: shownDoctor(shown) })).toString()
  return /<section id="doctor".*?<\/section>/s.exec(page)?.[0] ?? ''
}

describe('The doctor of the page', () => {
  test('says that the examination runs, and keeps the earlier report below it', () => {
    expect(textOf(doctorOn({ running: { done: 0, total: 0 } }) as never)).toContain('The examination runs.')
    const section = textOf(doctorOn({ running: { done: 1, total: 4 }, report }) as never)
    expect(section).toContain('The examination runs: 1 of 4 scans done. Examined 2026-03-01 12:00:00 UTC')
  })

  test('gives the verdict as a sentence, and the reason beside the super validator that failed', () => {
    const section = doctorOn({ report })
    expect(textOf(section as never)).toContain(
      '! Every threshold holds, but something is wrong at some super validators.',
    )
    const rows = section
      .split('<tbody>')
      .slice(1)
      .map((row) => textOf(row as never))
    expect(rows).toHaveLength(4)
    expect(rows[1]).toMatch(
      /^ sv-1 scan-1\.example\.org ✓ ok ✕ dropped (?:not tried, or does not exist here ){7}/,
    )
    expect(rows[1]).toContain(' TCP scan-1.example.org (203.0.113.20) drops connections silently: no answer')
    expect(rows[0]).toMatch(/^ sv-0 scan-0\.example\.org (?:✓ ok ){3}✓ 0\.7\.5 (?:✓ ok ){5}$/)
  })

  test('has a text to copy for each super validator that does not let this machine in', () => {
    const [letter] = report.letters
    expect(letter?.superValidators).toEqual(['sv-1'])
    const section = doctorOn({ report })
    const copied = /data-copy="([^"]*)" data-what="the text for sv-1"/.exec(section)?.[1]
    expect(copied?.replaceAll('&quot;', '"').replaceAll('&#39;', "'")).toBe(letter?.text)
    expect(section.match(/data-copy=/g)).toHaveLength(1)
  })

  test('says why an examination failed', () => {
    expect(textOf(doctorOn({ failure: 'no <memory>' }) as never)).toContain(
      'The examination failed: no &lt;memory&gt;',
    )
  })

  test('updates open pages, and reloads pages without scripts while it runs', () => {
    const running = shownDoctor({ running: { done: 1, total: 4 } })
    expect(liveParts(model({ doctor: running })).parts['live-doctor-state']).toContain('1 of 4 scans')
    expect(liveParts(model({ doctor: shownDoctor({ report }) })).parts['live-doctor']).toContain('<table')
    const refresh = '<noscript><meta http-equiv="refresh"'
    expect(pageView(model({ doctor: running })).toString()).toContain(refresh)
    expect(pageView(model({ doctor: shownDoctor({ report }) })).toString()).not.toContain(refresh)
  })

  test('is not part of a page whose visitor may not examine the network', () => {
    expect(pageView(model()).toString()).not.toMatch(/doctor/i)
    expect(Object.keys(liveParts(model()).parts).join()).not.toContain('doctor')
  })
})

/** The test's clock begins at this time. `report.at` is another time, which shows whose time the doctor gives. */
const begunAt = '2026-01-01T00:00:00.000Z'

class Examinations {
  readonly clock = new ManualClock()
  readonly begun: PromiseWithResolvers<DoctorReport>[] = []
  readonly signals: AbortSignal[] = []
  readonly doctor = new DoctorOnDemand({
    clock: this.clock,
    examine: (progress, signal) => {
      const examination = Promise.withResolvers<DoctorReport>()
      this.begun.push(examination)
      this.signals.push(signal)
      progress(1, 4)
      return examination.promise
    },
  })

  async end(index: number): Promise<void> {
    this.begun[index]?.resolve(report)
    await this.begun[index]?.promise
  }
}

describe('An examination from the page', () => {
  test('is dated by the clock of the machine, although that of the network may be months ahead', async () => {
    const examinations = new Examinations()
    examinations.doctor.begin()
    await examinations.end(0)
    expect(report.at).not.toBe(begunAt)
    expect(examinations.doctor.shown.report?.at).toBe(begunAt)
  })

  test('that fails says why, and keeps the report of an earlier one', async () => {
    const examinations = new Examinations()
    const { doctor, begun, clock } = examinations
    doctor.begin()
    await examinations.end(0)
    clock.advance(30_000)
    doctor.begin()
    begun[1]?.reject(new Error('out of sockets'))
    await begun[1]?.promise.catch(() => {})
    expect(doctor.shown).toEqual(
      shownDoctor({ report: { ...report, at: begunAt }, failure: 'out of sockets' }),
    )
  })

  test('is cut short when the daemon stops', () => {
    const { doctor, signals } = new Examinations()
    doctor.begin()
    doctor[Symbol.dispose]()
    expect(signals[0]?.aborted).toBe(true)
  })
})
