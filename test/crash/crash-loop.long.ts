import { test } from 'vitest'
import { expectCrashLoop } from './expect-crash-loop.ts'

test(
  'kill -9 in a loop during 10,000 registrations: nothing that was acknowledged is lost, doubled or halved',
  async ({ annotate }) =>
    annotate(await expectCrashLoop({ registrations: 10_000, people: 64, mostAnswers: 1_500 })),
  1_800_000,
)
