import type { Contract, Node } from '../../../src/ledger/update.ts'
import type { ContractId, DamlRecord, DamlValue, Party } from '../../../src/ledger/value.ts'
import type { MemoryLedger, Recorded } from './memory-ledger.ts'

type Exercise = Extract<Node, { kind: 'exercise' }>

// The audit shares no code with the interpreter. Its two tables are written from the documentation of Splice's models.
// All else is computed from the tree of nodes.

const bySubscription = ['subscriptionData.sender', 'subscriptionData.receiver', 'subscriptionData.provider']

/** The signatories of each template, as paths in the argument of a contract. */
const signatories: Readonly<Record<string, readonly string[]>> = {
  'Splice.Round:OpenMiningRound': ['dso'],
  'Splice.AmuletRules:AmuletRules': ['dso'],
  'Splice.Amulet:Amulet': ['dso', 'owner'],
  'Splice.Amulet:LockedAmulet': ['amulet.dso', 'amulet.owner', 'lock.holders'],
  'Splice.Ans:AnsRules': ['dso'],
  'Splice.Ans:AnsEntryContext': ['dso', 'user'],
  'Splice.Ans:AnsEntry': ['dso', 'user'],
  'Splice.Wallet.Subscriptions:SubscriptionRequest': bySubscription,
  'Splice.Wallet.Subscriptions:SubscriptionInitialPayment': bySubscription,
  'Splice.Wallet.Subscriptions:Subscription': bySubscription,
  'Splice.Wallet.Subscriptions:SubscriptionIdleState': bySubscription,
  'Splice.Wallet.Subscriptions:SubscriptionPayment': bySubscription,
  'Splice.Wallet.Subscriptions:TerminatedSubscription': bySubscription,
}

type Controllers = readonly string[] | 'signatories'

/**
 * The controllers of each choice, as paths of parties. A path that begins with a dot leads into the argument of the
 * choice. Any other path leads into the argument of the contract.
 */
const controllers: Readonly<Record<string, Controllers>> = {
  Archive: 'signatories',
  OpenMiningRound_Fetch: ['.p'],
  AmuletRules_DevNet_Tap: ['.receiver'],
  AmuletRules_Mint: ['dso', '.receiver'],
  AmuletRules_Transfer: [
    '.transfer.sender',
    '.transfer.provider',
    '.transfer.outputs.receiver',
    '.transfer.outputs.lock.holders',
  ],
  LockedAmulet_UnlockV2: ['amulet.owner', 'lock.holders'],
  LockedAmulet_OwnerExpireLockV2: ['amulet.owner'],
  AnsRules_RequestEntry: ['.user'],
  AnsRules_CollectInitialEntryPayment: ['dso', '.user'],
  AnsRules_CollectEntryRenewalPayment: ['dso', '.user'],
  AnsRules_RejectEntryInitialPayment: ['dso'],
  AnsEntryContext_Terminate: ['.actor'],
  AnsEntryContext_CollectInitialEntryPayment: ['dso'],
  AnsEntryContext_CollectEntryRenewalPayment: ['dso'],
  AnsEntryContext_RejectEntryInitialPayment: ['dso'],
  AnsEntry_Expire: ['.actor'],
  AnsEntry_Renew: ['user', 'dso'],
  SubscriptionRequest_AcceptAndMakePayment: ['subscriptionData.sender', '.walletProvider'],
  SubscriptionRequest_Withdraw: ['subscriptionData.receiver'],
  SubscriptionRequest_Reject: ['subscriptionData.sender'],
  SubscriptionInitialPayment_Collect: 'signatories',
  SubscriptionInitialPayment_Reject: ['subscriptionData.receiver'],
  SubscriptionInitialPayment_Expire: ['.actor'],
  Subscription_Archive: 'signatories',
  SubscriptionIdleState_MakePayment: ['subscriptionData.sender', '.walletProvider'],
  SubscriptionIdleState_ExpireSubscription: ['.actor'],
  SubscriptionIdleState_CancelSubscription: ['subscriptionData.sender'],
  SubscriptionPayment_Collect: 'signatories',
  SubscriptionPayment_Reject: ['subscriptionData.receiver'],
  SubscriptionPayment_Expire: ['.actor'],
}

const nonconsuming = /^(OpenMiningRound_Fetch|AmuletRules_.*|AnsRules_.*|AnsEntryContext_(Collect|Reject).*)$/

export const choiceNames = Object.keys(controllers)

export function problemsOf(ledger: MemoryLedger): readonly string[] {
  const problems: string[] = []
  const contracts = new Map<ContractId, Contract>()
  const active = new Set<ContractId>()
  for (const transaction of ledger.history) {
    problems.push(...problemsOfTree(transaction, contracts, active))
  }
  if (!sameParties([...active], [...ledger.active.keys()]))
    problems.push('the active contracts are not those of the nodes')
  return problems
}

interface Open {
  readonly last: number
  readonly authority: readonly Party[]
  readonly witnesses: readonly Party[]
}

function problemsOfTree(
  { actAs, nodes, now }: Recorded,
  contracts: Map<ContractId, Contract>,
  active: Set<ContractId>,
): readonly string[] {
  const problems: string[] = []
  const open: Open[] = [{ last: nodes.length - 1, authority: actAs, witnesses: [] }]
  for (const [position, node] of nodes.entries()) {
    const say = (what: string) => problems.push(`node ${position}, ${labelOf(node)}: ${what}`)
    while ((open.at(-1)?.last ?? 0) < position) open.pop()
    const above = open.at(-1)
    if (above === undefined) return [...problems, 'the tree is not one']
    if (node.nodeId !== position) say('has another number')

    if (node.kind === 'create') {
      const { contract } = node
      const needed = partiesAt(signatories[nameOf(contract.templateId)] ?? [], contract.argument)
      if (contracts.has(contract.contractId)) say('its contract id was used before')
      if (!sameParties(contract.signatories, needed)) say('has other signatories')
      if (!covers(above.authority, needed)) say('is not authorized')
      if (!sameParties(node.witnesses, [...above.witnesses, ...needed])) say('has other witnesses')
      if (contract.createdAt !== now) say('has another time')
      contracts.set(contract.contractId, contract)
      active.add(contract.contractId)
      continue
    }
    const contract = contracts.get(node.contractId)
    if (contract === undefined || !active.has(node.contractId)) {
      say('its contract is not active')
      continue
    }
    const needed = controllersOf(node, contract)
    const consuming = !nonconsuming.test(node.choice)
    if (!sameParties(node.actingParties, needed)) say('has other controllers')
    if (!covers(above.authority, needed)) say('is not authorized')
    if (node.consuming !== consuming) say('consumes or not')
    const witnesses = [...above.witnesses, ...contract.signatories, ...needed]
    if (!sameParties(node.witnesses, witnesses)) say('has other witnesses')
    if (consuming) active.delete(node.contractId)
    if (node.lastDescendantNodeId > above.last) say('reaches beyond its parent')
    open.push({
      last: node.lastDescendantNodeId,
      authority: [...contract.signatories, ...needed],
      witnesses,
    })
  }
  return problems
}

function controllersOf(node: Exercise, contract: Contract): readonly Party[] {
  const paths = controllers[node.choice]
  if (paths === undefined) throw new Error(`no controllers are known for ${node.choice}`)
  if (paths === 'signatories') return contract.signatories
  return paths.flatMap((path) =>
    path.startsWith('.') ? partiesAt([path.slice(1)], node.argument) : partiesAt([path], contract.argument),
  )
}

function partiesAt(paths: readonly string[], value: DamlValue): readonly Party[] {
  return paths.flatMap((path) => textsAt(path.split('.'), value))
}

function textsAt(path: readonly string[], value: DamlValue | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return (value as readonly DamlValue[]).flatMap((item) => textsAt(path, item))
  const [member, ...rest] = path
  if (member === undefined) return typeof value === 'string' ? [value] : []
  return textsAt(rest, (value as DamlRecord)[member])
}

function labelOf(node: Node): string {
  return node.kind === 'create' ? `create of ${nameOf(node.contract.templateId)}` : node.choice
}

function nameOf(templateId: string): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}

function covers(authority: readonly Party[], needed: readonly Party[]): boolean {
  return needed.every((party) => authority.includes(party))
}

function sameParties(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [new Set(a), new Set(b)]
  return left.size === right.size && [...left].every((party) => right.has(party))
}

const scale = 10 ** 10

/** Converts a decimal to units of 10^-10 coin, without the interpreter's arithmetic, which the audit checks. */
function units(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole) * BigInt(scale) + BigInt(fraction) * (whole.startsWith('-') ? -1n : 1n)
}

function coinIn({ templateId, argument }: Contract): bigint {
  const amulet = (
    nameOf(templateId) === 'Splice.Amulet:LockedAmulet' ? argument['amulet'] : argument
  ) as DamlRecord
  return units((amulet['amount'] as DamlRecord)['initialAmount'] as string)
}

function isCoin({ templateId }: Pick<Contract, 'templateId'>): boolean {
  return nameOf(templateId).startsWith('Splice.Amulet:')
}

/**
 * Returns two amounts that must be equal. `there` is the coin on the ledger. `due` is the coin that commands have
 * minted, less the coin that they have burned.
 */
export function coinOf(ledger: MemoryLedger): { readonly there: bigint; readonly due: bigint } {
  let there = 0n
  for (const contract of ledger.active.values()) if (isCoin(contract)) there += coinIn(contract)
  let due = 0n
  const contracts = new Map<ContractId, Contract>()
  for (const { nodes } of ledger.history) {
    for (const [position, node] of nodes.entries()) {
      const parent = parentOf(nodes, position)
      if (node.kind === 'create') {
        contracts.set(node.contract.contractId, node.contract)
        if (isCoin(node.contract) && parent === undefined) due += coinIn(node.contract)
      } else if (node.choice === 'AmuletRules_Mint') {
        due += units((node.argument as DamlRecord)['amount'] as string)
      } else if (node.choice === 'Archive' && isCoin(node) && burns(parent)) {
        due -= coinIn(contracts.get(node.contractId) as Contract)
      }
    }
  }
  return { there, due }
}

/**
 * Whether the archival of coin under this parent node burns the coin. Under any other parent, a new contract takes over
 * the coin.
 */
function burns(parent: Exercise | undefined): boolean {
  return parent === undefined || parent.choice.startsWith('AnsRules_Collect')
}

function parentOf(nodes: readonly Node[], position: number): Exercise | undefined {
  for (let at = position - 1; at >= 0; at--) {
    const node = nodes[at]
    if (node?.kind === 'exercise' && node.lastDescendantNodeId >= position) return node
  }
  return undefined
}
