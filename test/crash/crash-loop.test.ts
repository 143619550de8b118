import { test } from 'vitest'
import { expectCrashLoop } from './expect-crash-loop.ts'

test(
  'nothing that was acknowledged is lost, doubled or halved when the daemon is killed again and again',
  async ({ annotate }) =>
    annotate(await expectCrashLoop({ registrations: 100, people: 16, mostAnswers: 250 })),
  60_000,
)
