import { describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/doctor/report.ts'
import { DoctorOnDemand } from '../../src/server/ui/doctor-on-demand.ts'
import { liveParts, pageView } from '../../src/server/ui/views/page.ts'
import { reportOn, wellSeen } from '../doctor/observations.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { model, shownDoctor, textOf } from './samples.ts'

const report = reportOn({ observations: [wellSeen, wellSeen] })

function doctorOn(shown: Parameters<typeof shownDoctor>[0]): string {
  const page = pageView(model({ place: { page: 'network' }, doctor: shownDoctor(shown) })).toString()
  return /<section id="doctor".*?<\/section>/s.exec(page)?.[0] ?? ''
}

describe('The doctor of the page', () => {
  test('says why an examination failed', () => {
    expect(textOf(doctorOn({ failure: 'no <memory>' }) as never)).toContain(
      'The examination failed: no &lt;memory&gt;',
    )
  })

  test('is not part of a page whose visitor may not examine the network', () => {
    expect(pageView(model({ place: { page: 'network' } })).toString()).not.toMatch(/id="doctor|>Doctor/)
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
