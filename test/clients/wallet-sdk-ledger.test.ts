import { LedgerController } from '@canton-network/wallet-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf } from '../config/config.ts'
import { Caller } from '../support/caller.ts'
import { startEmbedded, startLiveStage } from '../support/daemon.ts'
import { FakeParticipant } from '../support/fake-participant.ts'

/** The wallet SDK supports no release of Canton later than 3.4. */
const version = '3.4.12'

interface Stage extends AsyncDisposable {
  readonly url: string
  readonly alice: string
}

async function onEmbedded(): Promise<Stage> {
  const running = await startEmbedded({ 'ledger.version': version })
  const caller = await Caller.of('alice')
  const { http: url } = running.daemon
  const { party_id: alice } = await caller.get(url, 'GET /v0/wallet/user-status')
  await caller.tap(url, '10.0')
  return { url, alice, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}

async function onParticipant(): Promise<Stage> {
  const fake = await FakeParticipant.listen()
  const config = { 'ledger.driver': 'participant', 'ledger.url': fake.url, 'ledger.version': version }
  const live = await startLiveStage({ config })
  const alice = fake.user(await tokenOf('alice'), 'alice')
  fake.allocate(alice)
  fake.grow(alice, 3)
  return {
    url: live.daemon.http,
    alice,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

async function tokenOf(user: string): Promise<string> {
  return (await mintToken(user, configOf({}))) as string
}

async function controllerOf(url: string): Promise<LedgerController> {
  const token = await tokenOf('alice')
  const provider = { getUserAccessToken: async () => token, getAdminAccessToken: async () => token }
  return new LedgerController('alice', new URL(url), undefined, false, provider)
}

test('the wallet SDK refuses a daemon whose version it does not know', async () => {
  await using running = await startEmbedded()
  const controller = await controllerOf(running.daemon.http)
  await expect(controller.awaitInit()).rejects.toThrow('Unsupported version - found 3.6.0')
})

describe.each([
  ['the embedded ledger', onEmbedded],
  ['a participant', onParticipant],
])('the wallet SDK, configured with a version that it supports, reads %s', (_what, open) => {
  let stage: Stage
  let controller: LedgerController
  beforeAll(async () => {
    stage = await open()
    controller = (await controllerOf(stage.url)).setPartyId(stage.alice as never)
    await controller.awaitInit()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('it takes the version', () => {
    expect(controller.getCurrentClientVersion()).toBe('3.4')
  })

  test('it learns where its party is hosted', async () => {
    expect(await controller.listSynchronizers()).toEqual({
      connectedSynchronizers: [
        {
          synchronizerAlias: 'global',
          synchronizerId: expect.stringMatching(/^global-domain::1220/),
          permission: 'PARTICIPANT_PERMISSION_SUBMISSION',
        },
      ],
    })
  })

  test('it reads the end, and what is active there', async () => {
    const { offset } = await controller.ledgerEnd()
    expect(offset).toBeGreaterThan(2)
    const contracts = await controller.activeContracts({
      offset: offset as number,
      parties: [stage.alice as never],
      filterByParty: true,
    })
    expect(contracts.length).toBeGreaterThan(0)
    expect(JSON.stringify(contracts)).toContain(stage.alice)
  })
})
