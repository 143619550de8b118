import fc from 'fast-check'
import type { Command, Refusal } from '../../../src/ledger/command.ts'
import { decimal } from '../../../src/ledger/daml/decimal.ts'
import type { Interpretation } from '../../../src/ledger/daml/interpret.ts'
import {
  Amulet,
  LockedAmulet,
  LockedAmulet_OwnerExpireLockV2,
  LockedAmulet_UnlockV2,
} from '../../../src/ledger/daml/splice/amulet.ts'
import { AmuletRules_DevNet_Tap, AmuletRules_Transfer } from '../../../src/ledger/daml/splice/amulet-rules.ts'
import {
  AnsEntry,
  AnsEntry_Expire,
  AnsEntry_Renew,
  AnsEntryContext,
  AnsEntryContext_CollectEntryRenewalPayment,
  AnsEntryContext_CollectInitialEntryPayment,
  AnsEntryContext_RejectEntryInitialPayment,
  AnsEntryContext_Terminate,
  AnsRules_RequestEntry,
} from '../../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../../src/ledger/daml/splice/round.ts'
import {
  Subscription,
  Subscription_Archive,
  TerminatedSubscription,
} from '../../../src/ledger/daml/splice/subscription.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Expire,
} from '../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_CancelSubscription,
  SubscriptionIdleState_ExpireSubscription,
  SubscriptionIdleState_MakePayment,
  SubscriptionPayment,
  SubscriptionPayment_Expire,
  SubscriptionPayment_Reject,
} from '../../../src/ledger/daml/splice/subscription-renewal.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_AcceptAndMakePayment,
  SubscriptionRequest_Reject,
  SubscriptionRequest_Withdraw,
} from '../../../src/ledger/daml/splice/subscription-request.ts'
import { templates } from '../../../src/ledger/daml/splice/templates.ts'
import type { ContractOf, Template } from '../../../src/ledger/daml/template.ts'
import { microsOf, timeOf } from '../../../src/ledger/daml/time.ts'
import type { DamlShape } from '../../../src/ledger/daml/type.ts'
import type { Contract } from '../../../src/ledger/update.ts'
import type { DamlRecord, DamlValue, Party } from '../../../src/ledger/value.ts'
import { exercise } from './memory-ledger.ts'
import { alice, bob, day, dso, minute, type Network } from './network.ts'

const users = [alice, bob]
const everyone = [dso, alice, bob]
const names = ['a', 'b', 'c'].map((label) => `${label}.unverified.cns`)
const amountsTapped = ['0.0000000001', '150.5', '1000', '1000', '1000']

class Draws {
  readonly #numbers: readonly number[]
  #next = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  of<T>(things: readonly T[]): T | undefined {
    const number = this.#numbers[this.#next++ % this.#numbers.length] ?? 0
    return things[number % things.length]
  }

  one<T>(things: readonly [T, ...T[]] | readonly T[]): T {
    const thing = this.of(things)
    if (thing === undefined) throw new Error('nothing to take')
    return thing
  }
}

interface Act {
  readonly actAs: readonly Party[]
  readonly command: Command
}

type Maker = (network: Network, draws: Draws) => Act | undefined

function withOne<A extends DamlRecord>(
  template: Template<A>,
  make: (contract: ContractOf<A>, network: Network, draws: Draws) => Act | undefined,
): Maker {
  return (network, draws) => {
    const contract = draws.of(network.ledger.list(template))
    return contract && make(contract, network, draws)
  }
}

function payment(network: Network, user: Party) {
  return { inputs: network.inputsOf(user), context: network.paymentContext, walletProvider: user }
}

/** The moves of honest parties. `actAs` has exactly the parties whose authority the move needs. */
const honest: Readonly<Record<string, Maker>> = {
  tap: (network, draws) => {
    const receiver = draws.one(users)
    const argument = {
      receiver,
      amount: decimal(draws.one(amountsTapped)),
      openRound: network.round.contractId,
    }
    return { actAs: [receiver], command: exercise(AmuletRules_DevNet_Tap, network.amuletRules, argument) }
  },
  request: (network, draws) => {
    const user = draws.one(users)
    const argument = { name: draws.one(names), url: '', description: '', user }
    return { actAs: [user], command: exercise(AnsRules_RequestEntry, network.ansRules, argument) }
  },
  accept: withOne(SubscriptionRequest, ({ contractId, argument }, network) => {
    const { sender } = argument.subscriptionData
    const accepted = payment(network, sender)
    return {
      actAs: [sender],
      command: exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, accepted),
    }
  }),
  rejectRequest: withOne(SubscriptionRequest, ({ contractId, argument }) => ({
    actAs: [argument.subscriptionData.sender],
    command: exercise(SubscriptionRequest_Reject, contractId, {}),
  })),
  withdrawRequest: withOne(SubscriptionRequest, ({ contractId }) => ({
    actAs: [dso],
    command: exercise(SubscriptionRequest_Withdraw, contractId, {}),
  })),
  // The DSO rejects the payment if the name is taken, as Splice's automation does.
  decidePayment: withOne(SubscriptionInitialPayment, ({ contractId, argument }, network) => {
    const context = network.ledger
      .list(AnsEntryContext)
      .find((context) => context.argument.reference === argument.reference)
    if (context === undefined) return undefined
    const decided = {
      paymentCid: contractId,
      transferContext: network.transferContext,
      ansRulesCid: network.ansRules,
    }
    const choice = isTaken(network, context.argument.name)
      ? AnsEntryContext_RejectEntryInitialPayment
      : AnsEntryContext_CollectInitialEntryPayment
    return { actAs: [dso], command: exercise(choice as never, context.contractId, decided as never) }
  }),
  expireInitialPayment: withOne(SubscriptionInitialPayment, ({ contractId, signatories }, network, draws) => {
    const actor = draws.one(signatories)
    const argument = { actor, transferContext: network.transferContext }
    return { actAs: [actor], command: exercise(SubscriptionInitialPayment_Expire, contractId, argument) }
  }),
  renew: withOne(SubscriptionIdleState, ({ contractId, argument }, network) => {
    const { sender } = argument.subscriptionData
    const renewed = payment(network, sender)
    return { actAs: [sender], command: exercise(SubscriptionIdleState_MakePayment, contractId, renewed) }
  }),
  collectRenewal: withOne(SubscriptionPayment, ({ contractId, argument }, network) => {
    const context = network.ledger
      .list(AnsEntryContext)
      .find((context) => context.argument.reference === argument.reference)
    const entry = network.ledger
      .list(AnsEntry)
      .find((entry) => entry.argument.name === context?.argument.name)
    if (context === undefined || entry === undefined) return undefined
    const collected = {
      paymentCid: contractId,
      entryCid: entry.contractId,
      transferContext: network.transferContext,
      ansRulesCid: network.ansRules,
    }
    const command = exercise(AnsEntryContext_CollectEntryRenewalPayment, context.contractId, collected)
    return { actAs: [dso], command }
  }),
  rejectRenewal: withOne(SubscriptionPayment, ({ contractId }, network) => ({
    actAs: [dso],
    command: exercise(SubscriptionPayment_Reject, contractId, { transferContext: network.transferContext }),
  })),
  expireRenewal: withOne(SubscriptionPayment, ({ contractId, signatories }, network, draws) => {
    const actor = draws.one(signatories)
    const argument = { actor, transferContext: network.transferContext }
    return { actAs: [actor], command: exercise(SubscriptionPayment_Expire, contractId, argument) }
  }),
  cancel: withOne(SubscriptionIdleState, ({ contractId, argument }) => ({
    actAs: [argument.subscriptionData.sender],
    command: exercise(SubscriptionIdleState_CancelSubscription, contractId, {}),
  })),
  expireSubscription: withOne(SubscriptionIdleState, ({ contractId, signatories }, _network, draws) => {
    const actor = draws.one(signatories)
    return {
      actAs: [actor],
      command: exercise(SubscriptionIdleState_ExpireSubscription, contractId, { actor }),
    }
  }),
  terminate: withOne(TerminatedSubscription, ({ contractId, argument }, network) => {
    const context = network.ledger
      .list(AnsEntryContext)
      .find((context) => context.argument.reference === argument.reference)
    const terminated = { actor: dso, terminatedSubscriptionCid: contractId }
    if (context === undefined) return undefined
    return { actAs: [dso], command: exercise(AnsEntryContext_Terminate, context.contractId, terminated) }
  }),
  expireEntry: withOne(AnsEntry, ({ contractId, signatories }, _network, draws) => {
    const actor = draws.one(signatories)
    return { actAs: [actor], command: exercise(AnsEntry_Expire, contractId, { actor }) }
  }),
  transfer: (network, draws) => {
    const sender = draws.one(users)
    const receiver = draws.one(users)
    const holder = draws.one(everyone)
    const expiresAt = timeOf(network.ledger.now + minute)
    const lock = draws.one([null, { holders: [holder], expiresAt, optContext: null }])
    const amount = decimal(draws.one(['0.5', '100', '149.5']))
    const outputs = [{ receiver, receiverFeeRatio: decimal('0'), amount, lock }]
    const transfer = { sender, provider: sender, inputs: network.inputsOf(sender), outputs }
    const { context } = network.paymentContext
    const command = exercise(AmuletRules_Transfer, network.amuletRules, {
      transfer,
      context,
      expectedDso: dso,
    })
    return { actAs: [sender, receiver, ...(lock?.holders ?? [])], command }
  },
  unlock: withOne(LockedAmulet, ({ contractId, argument: { amulet, lock } }) => ({
    actAs: [amulet.owner, ...lock.holders],
    command: exercise(LockedAmulet_UnlockV2, contractId, {}),
  })),
  expireLock: withOne(LockedAmulet, ({ contractId, argument: { amulet } }) => ({
    actAs: [amulet.owner],
    command: exercise(LockedAmulet_OwnerExpireLockV2, contractId, {}),
  })),
}

/** Unusual moves, which Daml permits if all signatories agree. */
const irregular: Readonly<Record<string, Maker>> = {
  endSubscription: withOne(Subscription, ({ contractId, signatories }) => ({
    actAs: signatories,
    command: exercise(Subscription_Archive, contractId, {}),
  })),
  extendEntry: withOne(AnsEntry, ({ contractId, signatories }) => ({
    actAs: signatories,
    command: exercise(AnsEntry_Renew, contractId, { extension: { microseconds: String(day) } }),
  })),
  createAgain: (network, draws) => {
    const contract = draws.of([...network.ledger.active.values()].filter(isOfUsers))
    if (contract === undefined) return undefined
    const template = contract.templateId.slice(65)
    return { actAs: contract.signatories, command: { kind: 'create', template, argument: contract.argument } }
  },
  archive: (network, draws) => {
    const coins = [...network.ledger.list(Amulet), ...network.ledger.list(LockedAmulet)]
    const contract = draws.of([...network.ledger.list(AnsEntryContext), ...coins])
    if (contract === undefined) return undefined
    const { contractId, signatories, templateId } = contract
    const template = templateId.slice(65)
    return {
      actAs: signatories,
      command: { kind: 'exercise', template, contractId, choice: 'Archive', argument: {} },
    }
  },
  anything: (network, draws) => {
    const { template, choices } = draws.one([...templates.values()])
    const choice = draws.one([...choices.values()])
    const contract = draws.of(network.ledger.list(template))
    // The network cannot go on without its rules and rounds, which only the DSO signs. So contracts that only the DSO
    // signs are not archived.
    if (choice.name === 'Archive' && !(contract && isOfUsers(contract))) return undefined
    const argument = draw(choice.argument, network, draws)
    const contractId = contract?.contractId ?? network.ansRules
    return {
      actAs: everyone,
      command: { kind: 'exercise', template: template.name, contractId, choice: choice.name, argument },
    }
  },
}

function isOfUsers({ signatories }: Contract): boolean {
  return signatories.some((party) => party !== dso)
}

function draw(shape: DamlShape, network: Network, draws: Draws): DamlValue {
  switch (shape.kind) {
    case 'text':
      return draws.one(names)
    case 'party':
      return draws.one(everyone)
    case 'contractId':
      return draws.one([...network.ledger.active.keys()])
    case 'int64':
      return draws.one(['0', '1', '-1', String(day), '9223372036854775807'])
    case 'decimal':
      return decimal(draws.one(['0', '1', '-1', '200', '9999999999999999999999999999.9999999999']))
    case 'time':
      return timeOf(network.ledger.now + draws.one([-day, 0, day]))
    case 'bool':
      return draws.one([true, false])
    case 'optional':
      return draws.one([null, draw(shape.of, network, draws)])
    case 'list':
      return [draw(shape.of, network, draws)]
    case 'map':
      return []
    case 'enum':
      return draws.one(shape.constructors)
    case 'variant': {
      const [tag, of] = draws.one(Object.entries(shape.cases))
      return { tag, value: draw(of, network, draws) }
    }
    case 'record':
      return Object.fromEntries(
        Object.entries(shape.fields).map(([name, field]) => [name, draw(field, network, draws)]),
      )
  }
}

export interface Move {
  /** Selects one of the acts that are possible at the time of the move, or lets time pass. */
  readonly pick: number
  readonly draws: readonly number[]
  /** The submitting parties. If null, the parties whose authority the act needs submit it. */
  readonly actAs: readonly Party[] | null
  readonly discloses: boolean
}

const steps = [minute, 11 * minute, day, 20 * day, 61 * day]
const usual = ['tap', 'request', 'accept', 'decidePayment', 'renew', 'rejectRenewal', 'collectRenewal']
const number = fc.nat({ max: 9999 })

function moves(
  actAs: fc.Arbitrary<Move['actAs']>,
  discloses: fc.Arbitrary<boolean>,
): fc.Arbitrary<readonly Move[]> {
  const draws = fc.array(number, { minLength: 5, maxLength: 5 })
  const move = fc.record({ pick: number, draws, actAs, discloses })
  return fc.array(move, { minLength: 1, maxLength: 80, size: 'max' })
}

export const honestMoves = moves(fc.constant(null), fc.constant(true))

export const anyMoves = moves(
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.subarray(everyone) }),
  fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
)

export function makeHonest(network: Network, move: Move): Interpretation | Refusal | undefined {
  return make(network, move, honest)
}

export function makeAny(network: Network, move: Move): Interpretation | Refusal | undefined {
  return make(network, move, { ...honest, ...irregular })
}

function make(network: Network, move: Move, makers: Readonly<Record<string, Maker>>) {
  const names = [...usual, ...usual, ...Object.keys(makers)]
  const acts = names.flatMap((name) => makers[name]?.(network, new Draws(move.draws)) ?? [])
  const act = acts[move.pick % (acts.length + 5)]
  if (act !== undefined) {
    const disclosed = move.discloses ? network.reference : []
    return network.ledger.submit({ actAs: move.actAs ?? act.actAs, disclosed }, act.command)
  }
  network.advance(new Draws(move.draws).one(steps))
  if (isTickOver(network)) network.nextRound()
  return undefined
}

function isTickOver(network: Network): boolean {
  const rounds = network.ledger.list(OpenMiningRound)
  const passed = (at: string | undefined) => microsOf(at ?? '') <= network.ledger.now
  return (
    rounds.length === 3 && passed(rounds[0]?.argument.targetClosesAt) && passed(rounds[2]?.argument.opensAt)
  )
}

function isTaken(network: Network, name: string): boolean {
  return ownersOf(network, name).length > 0
}

export function ownersOf(network: Network, name: string): readonly Party[] {
  return network.ledger
    .list(AnsEntry)
    .filter(({ argument }) => argument.name === name && microsOf(argument.expiresAt) >= network.ledger.now)
    .map(({ argument }) => argument.user)
}

export const contestedNames = names
