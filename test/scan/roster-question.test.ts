import { expect, test } from 'vitest'
import type { Connection } from '../../src/core/scan/connections.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { ScanNode, ScanRequest, ScanResponse } from '../../src/core/scan/node.ts'
import { askForRoster } from '../../src/core/scan/roster-poll.ts'
import { samples } from '../reads/samples.ts'
import { ManualClock } from '../support/manual-clock.ts'

const options = { requestTimeoutMs: 5_000, maxResponseBytes: 1 << 25 }

function connectionTo(scans: string | Buffer, release = () => {}): Pick<Connection, 'askForDaemon' | 'node'> {
  return {
    node: { url: 'https://a.example' } as ScanNode,
    askForDaemon: async ({ path }: ScanRequest): Promise<ScanResponse> => ({
      kind: 'response',
      status: 200,
      body: bufferOf(path.endsWith('/v0/scans') ? scans : bodyOf(path)),
      release,
    }),
  }
}

function bufferOf(body: string | Buffer): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body
}

function bodyOf(path: string): string {
  const { getAmuletRules, getDsoPartyId } = samples
  return JSON.stringify((path.endsWith('/v0/amulet-rules') ? getAmuletRules : getDsoPartyId).reply)
}

test("a long answer to the daemon's own question for super validators is judged on the judge's thread", async () => {
  await using judge = new JudgeThread({ clock: new ManualClock() })
  const { signal } = new AbortController()
  const ask = (scans: string) => askForRoster(connectionTo(scans) as Connection, options, { judge, signal })
  const short = JSON.stringify(samples.listDsoScans.reply)
  const misfits = `{"scans":[${'{},'.repeat(200_000)}{}]}`

  expect((await ask(short)).membership?.members).not.toHaveLength(0)
  expect(await ask(misfits)).toEqual({
    reply: { kind: 'fault', fault: 'misshapen' },
    result: { outcome: 'not-a-scan', detail: expect.stringMatching(/^status 200: .{200}$/) },
  })

  await judge[Symbol.asyncDispose]()
  expect((await ask(short)).membership?.members).not.toHaveLength(0)
  expect(await ask(misfits)).toEqual({
    reply: { kind: 'fault', fault: 'busy' },
    result: { outcome: 'not-asked', detail: 'this daemon had no means to judge its answer' },
  })
})

test('the serving thread does not copy an answer before it is judged, however long it is', async () => {
  const judged: Buffer[] = []
  class WatchedJudge extends JudgeThread {
    override roster(...asked: Parameters<JudgeThread['roster']>): ReturnType<JudgeThread['roster']> {
      judged.push(...asked[0])
      return super.roster(...asked)
    }
  }
  await using judge = new WatchedJudge({ clock: new ManualClock() })
  const { signal } = new AbortController()
  const scans = Buffer.alloc(16 * 1024 * 1024, '0')
  await askForRoster(connectionTo(scans) as Connection, options, { judge, signal })
  expect(judged.some((body) => body === scans)).toBe(true)
})

test('the bytes of a long answer count in the limit of memory until it is judged, also if no judge is left', async () => {
  let releases = 0
  const unjudged: number[] = []
  class WatchedJudge extends JudgeThread {
    override roster(...asked: Parameters<JudgeThread['roster']>): ReturnType<JudgeThread['roster']> {
      unjudged.push(3 - releases)
      return super.roster(...asked)
    }
  }
  await using judge = new WatchedJudge({ clock: new ManualClock() })
  const { signal } = new AbortController()
  const scans = `{"scans":[${'{},'.repeat(100_000)}{}]}`
  const ask = () =>
    askForRoster(connectionTo(scans, () => releases++) as Connection, options, { judge, signal })
  await ask()
  expect([unjudged, releases]).toEqual([[1], 3])
  await judge[Symbol.asyncDispose]()
  releases = 0
  await ask()
  expect([unjudged, releases]).toEqual([[1, 1], 3])
})
