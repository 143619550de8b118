import { TokenStandardController, ValidatorController } from '@canton-network/wallet-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'

const tokens = { getUserAccessToken: async () => 'none', getAdminAccessToken: async () => 'none' }

let stage: Stage<undefined>
let alice: string
beforeAll(async () => {
  stage = await startLiveStage({ superValidators: 13 })
  const user = stage.localnet.truth.entries('alice.', 1)[0]?.user ?? ''
  alice = user
  // Four of thirteen super validators tell one lie. Four is f, so the wallet must not notice the lie.
  await stage.fault(['sv-2', 'sv-5', 'sv-7', 'sv-11'], 'lie')
})
afterAll(() => stage[Symbol.asyncDispose]())

/**
 * Makes the SDK's controller as a wallet does, with the daemon in the place of a validator. By default, the token
 * registry is below the scan proxy.
 */
function tokenStandard(registry = '/api/validator/v0/scan-proxy', on = stage): TokenStandardController {
  const { http } = on.daemon
  const controller = new TokenStandardController(
    'alice',
    new URL(http),
    new URL(`${http}/api/validator`),
    undefined,
    tokens,
    false,
    false,
    new URL(`${http}/api/scan`),
  )
  controller.setTransferFactoryRegistryUrl(new URL(`${http}${registry}`))
  controller.setPartyId(alice as never)
  return controller.setSynchronizerId(on.localnet.world.synchronizer as never)
}

const bob = () => stage.localnet.truth.entries('bob.', 1)[0]?.user as never
const disclosed = {
  templateId: expect.any(String),
  contractId: expect.any(String),
  createdEventBlob: expect.any(String),
  synchronizerId: expect.any(String),
}

describe.each(['/api/validator/v0/scan-proxy', '/v0/scan-proxy', ''])(
  "the wallet SDK's token standard, with its registry at '%s'",
  (registry) => {
    test('reads who administers the tokens, and which there are', async () => {
      expect(await tokenStandard(registry).getInstrumentAdmin()).toBe(stage.localnet.world.dsoParty)
      expect(await tokenStandard(registry).getInstrumentById('Amulet')).toMatchObject({
        id: 'Amulet',
        decimals: 10,
      })
      expect(await tokenStandard(registry).listInstruments(10)).toMatchObject({
        instruments: [{ id: 'Amulet' }],
      })
    })

    test('makes a transfer from the context that a quorum gives', async () => {
      const instrument = { instrumentId: 'Amulet', instrumentAdmin: stage.localnet.world.dsoParty as never }
      const [command, contracts] = await tokenStandard(registry).createTransfer(
        alice as never,
        bob(),
        '1.0',
        instrument,
        ['00ab'],
      )
      expect(command).toMatchObject({
        ExerciseCommand: { choice: 'TransferFactory_Transfer', contractId: expect.any(String) },
      })
      expect(contracts).toEqual(expect.arrayContaining([disclosed]))
    })

    test.each(['Accept', 'Reject', 'Withdraw'] as const)('%ss a transfer instruction', async (choice) => {
      const { contractId = '' } = stage.localnet.world.annals.instructions[0] ?? {}
      const [command, contracts] = await tokenStandard(registry).exerciseTransferInstructionChoice(
        contractId,
        choice,
      )
      expect(command).toMatchObject({
        ExerciseCommand: { contractId, choice: `TransferInstruction_${choice}` },
      })
      expect(contracts).toEqual(expect.arrayContaining([disclosed]))
    })

    test.each(['ExecuteTransfer', 'Withdraw', 'Cancel'] as const)('%ss an allocation', async (choice) => {
      const { contractId = '' } = stage.localnet.world.annals.allocations[0] ?? {}
      const [command] = await tokenStandard(registry).exerciseAllocationChoice(contractId, choice)
      expect(command).toMatchObject({ ExerciseCommand: { contractId, choice: `Allocation_${choice}` } })
    })
  },
)

describe('the wallet SDK asks the daemon for what it asks a validator', () => {
  test('a tap: the rules of the coin and the open round', async () => {
    const instrument = { instrumentId: 'Amulet', instrumentAdmin: stage.localnet.world.dsoParty as never }
    const [command, contracts] = await tokenStandard().createTap(alice as never, '10', instrument)
    const { contract_id: rules } = stage.localnet.truth.amuletRules().contract
    expect(command).toMatchObject({
      ExerciseCommand: {
        contractId: rules,
        choice: 'AmuletRules_DevNet_Tap',
        choiceArgument: { receiver: alice, amount: '10', openRound: expect.any(String) },
      },
    })
    expect(contracts).toMatchObject([{ contractId: rules }, disclosed])
  })

  test('a tap, hours after the localnet has started', async () => {
    const threeHoursMs = 3 * 3_600_000
    const late = { ...systemClock, wall: () => systemClock.wall() - threeHoursMs }
    await using old = await startLiveStage({ overrides: { clock: late } })
    await fetch(`${old.localnet.control}/time/advance`, { method: 'POST', body: '{"duration":"3h"}' })
    const instrument = { instrumentId: 'Amulet', instrumentAdmin: old.localnet.world.dsoParty as never }
    const [command] = await tokenStandard('/v0/scan-proxy', old).createTap(alice as never, '10', instrument)
    const { usableRound } = old.localnet.world.annals
    expect(command).toMatchObject({
      ExerciseCommand: { choiceArgument: { openRound: usableRound?.contract.contract_id } },
    })
  })

  test('a preapproval, by the registry and by the validator', async () => {
    expect(await tokenStandard().getTransferPreApprovalByParty(alice as never, 'Amulet')).toMatchObject({
      receiverId: alice,
      dso: stage.localnet.world.dsoParty,
    })
    const validator = new ValidatorController('alice', new URL(`${stage.daemon.http}/api/validator`), tokens)
    expect(await validator.getTransferPreApprovalByParty(alice as never)).toMatchObject({ receiverId: alice })
  })

  test('the rules of the coin and the open rounds', async () => {
    const validator = new ValidatorController('alice', new URL(`${stage.daemon.http}/api/validator`), tokens)
    expect(await validator.getAmuletRules()).toMatchObject({
      contract_id: stage.localnet.truth.amuletRules().contract.contract_id,
    })
    const rounds = await validator.getOpenMiningRounds()
    expect(rounds.length).toBeGreaterThan(0)
    expect(rounds[0]?.template_id).toMatch(/:OpenMiningRound$/)
  })

  test('the right of a featured app, and to grant oneself one', async () => {
    expect(await tokenStandard().selfGrantFeatureAppRights()).toMatchObject([
      { ExerciseCommand: { choice: 'AmuletRules_DevNet_FeatureApp' } },
      [disclosed],
    ])
    expect(await tokenStandard().lookupFeaturedApps(1, 1)).toBeFalsy()
  })

  test('what only one node knows is refused with what to use instead', async () => {
    await expect(tokenStandard().getMemberTrafficStatus('PAR::alice::1220ab')).rejects.toMatchObject({
      error: expect.stringMatching(/ Ask your own participant for its traffic state, or one scan\.$/),
    })
  })
})
