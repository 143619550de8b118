import { describe, expect, onTestFinished, test } from 'vitest'
import type { ReleaseName } from '../../src/localnet/releases.ts'
import type { Stage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import {
  endMixture,
  everyReadIsAnswered,
  everySuperValidatorIsDiscovered,
  type Mixture,
  mixtureIsServed,
  nobodyHonestIsBlamed,
  startMixture,
  theMirrorFollows,
} from './mixture.ts'

/** `npm run test:faults` tries every mixture of four scans, and `every-read.test.ts` tries the newest release alone. */
mixtureIsServed(['0.7.5', '0.8', '0.9', '0.9'])

describe('a scan among others of its release', () => {
  async function started(mixture: Mixture, config = {}): Promise<Stage<undefined>> {
    const stage = await startMixture(mixture, { liars: 0 }, config)
    onTestFinished(() => endMixture(stage))
    return stage
  }

  test.each([
    ['does not know any path', { kind: 'unknown-path' }],
    ['names a release that nobody has heard of', { kind: 'odd-version' }],
    ['answers garbage when asked for its release', { kind: 'odd-version', body: 'soon' }],
  ] as const)('that %s changes no answer, and is not blamed', async (_title, fault) => {
    const mixture: Mixture = ['0.8', '0.8', '0.9', '0.9']
    const stage = await started(mixture)
    await stage.fault(['sv-3'], fault)
    await everyReadIsAnswered({ stage, mixture, absent: fault.kind === 'unknown-path' ? ['sv-3'] : [] })
    await nobodyHonestIsBlamed({ stage, liars: 0 })
  })

  test.each([
    ['upgraded', '0.8', '0.9'],
    ['set back', '0.9', '0.7.5'],
  ] as const)('that is %s between two reads is asked as its release wants it', async (_title, from, to) => {
    const stage = await started([from, from, '0.8', '0.8'])
    for (const mixture of [
      [from, from, '0.8', '0.8'],
      [to, from, '0.8', '0.8'],
    ] satisfies Mixture[]) {
      for (const [at, name] of stage.names.entries()) stage.localnet.setRelease(name, mixture[at] ?? '0.8')
      await everyReadIsAnswered({ stage, mixture })
      await everySuperValidatorIsDiscovered({ stage })
    }
    await nobodyHonestIsBlamed({ stage, liars: 0 })
  })

  test.each([
    ['upgraded', '0.7.5', '0.9'],
    ['set back', '0.9', '0.7.5'],
  ] as const)(
    'that is %s between two pages of a snapshot does not stop the mirror',
    async (_title, from, to: ReleaseName) => {
      const stage = await started([from, from, from, from], { 'mirror.level': 'bindings' })
      const mirror = async () => (await stage.report('/status')).mirror
      await eventually(async () => (await mirror()).level === 'bindings')
      for (let number = 0; number < 1_100; number++) {
        const name = `name-${number}.unverified.cns`
        stage.localnet.world.put({ name, user: `user-${number}::1220ab`, expiresAt: Date.now() + 86_400_000 })
      }
      const changed: string[] = []
      const change = (name: string) => {
        stage.localnet.setRelease(name, to)
        changed.push(name)
      }
      for (const name of stage.names)
        stage.localnet.nextRequest(name, 'acs').then(
          () => change(name),
          () => {},
        )
      await theMirrorFollows(stage, 'bindings')
      await eventually(async () => (await mirror()).entries > 1_100)
      expect(changed.length).toBeGreaterThanOrEqual(2)
      await nobodyHonestIsBlamed({ stage, liars: 0 })
    },
  )
})
