import { randomBytes } from 'node:crypto'
import { initialAmuletConfig, initialAnsRules } from '../../src/automation/initial-rules.ts'
import { blobOf } from '../../src/ledger/daml/blob.ts'
import { conform } from '../../src/ledger/daml/conform.ts'
import { Amulet } from '../../src/ledger/daml/splice/amulet.ts'
import { AmuletRules } from '../../src/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound, type OpenMiningRoundArgument } from '../../src/ledger/daml/splice/round.ts'
import { SubscriptionIdleState } from '../../src/ledger/daml/splice/subscription-renewal.ts'
import type { ContractOf, Template } from '../../src/ledger/daml/template.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import type { ContractFrom } from '../../src/ledger/typed.ts'
import type { ContractId, DamlRecord, Micros, Party } from '../../src/ledger/value.ts'
import type { OpenRound, RulesInForce } from '../../src/names/cached-rules.ts'
import type { Coin } from '../../src/wallet/coins.ts'

export const dso: Party = `DSO::1220${'d'.repeat(64)}`
export const epoch: Micros = Date.UTC(2026, 0, 1) * 1000
const minute: Micros = 60_000_000
export const tick: Micros = 10 * minute

export function cid(): ContractId {
  return `00${randomBytes(32).toString('hex')}ca111220${'0'.repeat(64)}`
}

/** Makes a contract that is on no ledger. */
export function contract<A extends DamlRecord>(template: Template<A>, argument: NoInfer<A>): ContractOf<A> {
  const unsealed = {
    contractId: cid(),
    templateId: template.templateId,
    packageName: template.package.name,
    argument: conform(template.argument, argument),
    signatories: template.signatories(argument),
    observers: [],
    createdAt: epoch,
  }
  return { ...unsealed, createdEventBlob: blobOf(unsealed) }
}

const config = initialAmuletConfig('global-domain::1220')

export function round(number: number, opensAt: Micros, closesAt = opensAt + 2 * tick): OpenRound {
  const argument: OpenMiningRoundArgument = {
    dso,
    round: { number: String(number) },
    amuletPrice: '0.005',
    opensAt: timeOf(opensAt),
    targetClosesAt: timeOf(closesAt),
    issuingFor: { microseconds: String(number * tick) },
    transferConfigUsd: config.transferConfig,
    issuanceConfig: config.issuanceCurve.initialValue,
    tickDuration: config.tickDuration,
    trafficPrice: null,
  }
  return contract(OpenMiningRound, argument)
}

/** By default there are three rounds: one has just ended, one is open, and one has not opened yet. */
export function rulesWith(
  rounds: readonly OpenRound[] = [round(7, epoch - tick), round(8, epoch), round(9, epoch + tick)],
): RulesInForce {
  return {
    dso,
    ansRules: contract(AnsRules, initialAnsRules(dso, 'cns')),
    amuletRules: contract(AmuletRules, {
      dso,
      configSchedule: { initialValue: config, futureValues: [] },
      isDevNet: true,
    }),
    rounds,
  }
}

const day: Micros = 24 * 60 * minute

/**
 * Makes the idle state of a subscription that costs 1 USD for 90 days. The next payment can be made in the 30 days
 * before `dueAt`.
 */
export function idleState({
  dueAt,
  sender = `alice::1220${'a'.repeat(64)}`,
}: {
  readonly dueAt: Micros
  readonly sender?: Party
}): ContractFrom<typeof SubscriptionIdleState> {
  return contract(SubscriptionIdleState, {
    subscription: cid(),
    subscriptionData: { sender, receiver: dso, provider: dso, dso, description: '' },
    payData: {
      paymentAmount: { amount: '1.0', unit: 'USDUnit' },
      paymentInterval: { microseconds: String(90 * day) },
      paymentDuration: { microseconds: String(30 * day) },
    },
    nextPaymentDueAt: timeOf(dueAt),
    reference: cid(),
  })
}

export function coin(owner: Party, initialAmount: string): Coin {
  const amount = {
    initialAmount,
    createdAt: { number: '0' },
    ratePerRound: { rate: '0.0' },
  }
  return contract(Amulet, { dso, owner, amount })
}
