import { expect, test } from 'vitest'
import type { Connection } from '../../src/scan/connections.ts'
import type { InquiryOptions } from '../../src/scan/inquiry.ts'
import { JudgeThread } from '../../src/scan/judge-thread.ts'
import type { ScanNode, ScanRequest, ScanResponse } from '../../src/scan/node.ts'
import { askForRoster } from '../../src/scan/roster-ask.ts'
import { samples } from '../reads/samples.ts'
import { ManualClock } from '../support/manual-clock.ts'

const options: InquiryOptions = {
  fanout: 'economical',
  requestTimeoutMs: 5_000,
  deadlineMs: 15_000,
  auditShare: 0,
  maxResponseBytes: 1 << 25,
  absentTexts: {},
}

class CountingJudge extends JudgeThread {
  readonly judged: string[] = []

  override judge(...body: Parameters<JudgeThread['judge']>): ReturnType<JudgeThread['judge']> {
    this.judged.push(body[2])
    return super.judge(...body)
  }
}

function connectionTo(scans: string): Pick<Connection, 'askForDaemon' | 'node'> {
  return {
    node: { url: 'https://a.example' } as ScanNode,
    askForDaemon: async ({ path }: ScanRequest): Promise<ScanResponse> => ({
      kind: 'response',
      status: 200,
      body: Buffer.from(path.endsWith('/v0/scans') ? scans : bodyOf(path)),
      release: () => {},
    }),
  }
}

function bodyOf(path: string): string {
  const { getAmuletRules, getDsoPartyId } = samples
  return JSON.stringify((path.endsWith('/v0/amulet-rules') ? getAmuletRules : getDsoPartyId).reply)
}

test("a long answer to the daemon's own question for super validators is judged on the judge's thread", async () => {
  await using judge = new CountingJudge({ clock: new ManualClock() })
  const { signal } = new AbortController()
  const ask = (scans: string) => askForRoster(connectionTo(scans) as Connection, options, { judge, signal })

  expect((await ask(JSON.stringify(samples.listDsoScans.reply))).kind).toBe('set')
  expect(judge.judged).toEqual([])

  const misfits = `{"scans":[${'{},'.repeat(200_000)}{}]}`
  expect(await ask(misfits)).toMatchObject({
    kind: 'silent',
    reply: { kind: 'fault', fault: 'misshapen' },
    result: { outcome: 'not-a-scan', detail: expect.stringMatching(/^status 200: .{200}$/) },
  })
  expect(judge.judged).toEqual(['https://a.example'])

  await judge[Symbol.asyncDispose]()
  expect(await ask(misfits)).toEqual({
    kind: 'silent',
    reply: { kind: 'fault', fault: 'busy' },
    result: { outcome: 'not-asked', detail: 'this daemon had no means to judge its answer' },
  })
})
