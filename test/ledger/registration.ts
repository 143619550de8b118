import type { Command, Submission } from '../../src/ledger/command.ts'
import { decimal } from '../../src/ledger/daml/decimal.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Contract, Transaction } from '../../src/ledger/update.ts'
import type { ContractId, Micros, Party } from '../../src/ledger/value.ts'
import { foundingCommands } from './founding.ts'
import { createdBy, transactionOf } from './submissions.ts'

export interface Network {
  readonly dso: Party
  readonly ansRules: Contract
  readonly amuletRules: Contract
  readonly round: Contract
}

/**
 * Founds a network on a ledger. If the ledger has a network already, the ledger takes the submission as a duplicate,
 * and the function returns that network.
 */
export async function foundNetwork(ledger: Ledger, now: Micros): Promise<Network> {
  const dso = await ledger.partyOf('dso', 'DSO')
  const synchronizerId = `global-domain::1220${'0'.repeat(64)}`
  const amuletPrice = decimal('0.005')
  const commands = foundingCommands({ dso, synchronizerId, acronym: 'cns', amuletPrice, now })
  const founded = transactionOf(await ledger.submit(submissionOf('founding', dso, commands)))
  const [ansRules, amuletRules, round] = createdBy(founded) as [Contract, Contract, Contract]
  return { dso, ansRules, amuletRules, round }
}

export async function tap(
  ledger: Ledger,
  network: Network,
  user: Party,
  amount: string,
  commandId: string,
): Promise<ContractId> {
  const tapped = await ledger.submit(tapOf(network, user, amount, commandId))
  return only(transactionOf(tapped), 'Splice.Amulet:Amulet').contractId
}

function tapOf(network: Network, user: Party, amount: string, commandId: string): Submission {
  const { amuletRules, round } = network
  const command = exercise(amuletRules, 'AmuletRules_DevNet_Tap', {
    receiver: user,
    amount,
    openRound: round.contractId,
  })
  return submissionOf(commandId, user, [command], shown(network))
}

export interface Registered {
  readonly entry: Contract
  /** The coin that was left after the payment. */
  readonly change: ContractId
  /** The transactions of the request, of the acceptance and of the collection. */
  readonly transactions: readonly [Transaction, Transaction, Transaction]
}

/**
 * Registers a name in three submissions, whose command ids begin with `commandId`. The ledger detects duplicates by
 * command id, so calls with the same arguments have the same result.
 */
export async function registerName(
  ledger: Ledger,
  network: Network,
  user: Party,
  coin: ContractId,
  name: string,
  commandId: string,
): Promise<Registered> {
  const submit = async (submission: Submission) => transactionOf(await ledger.submit(submission))
  const requested = await submit(requestOf(network, user, name, `${commandId}/request`))
  const request = only(requested, 'Splice.Wallet.Subscriptions:SubscriptionRequest')
  const context = only(requested, 'Splice.Ans:AnsEntryContext')
  const accepted = await submit(acceptOf(network, user, coin, request, `${commandId}/accept`))
  const payment = only(accepted, 'Splice.Wallet.Subscriptions:SubscriptionInitialPayment')
  const collected = await submit(collectOf(network, context, payment, `${commandId}/collect`))
  return {
    entry: only(collected, 'Splice.Ans:AnsEntry'),
    change: only(accepted, 'Splice.Amulet:Amulet').contractId,
    transactions: [requested, accepted, collected],
  }
}

function requestOf(network: Network, user: Party, name: string, commandId: string): Submission {
  const argument = { name, url: 'https://name.example', description: '', user }
  return submissionOf(
    commandId,
    user,
    [exercise(network.ansRules, 'AnsRules_RequestEntry', argument)],
    shown(network),
  )
}

function acceptOf(
  network: Network,
  user: Party,
  coin: ContractId,
  request: Contract,
  commandId: string,
): Submission {
  const { amuletRules, round } = network
  const context = {
    openMiningRound: round.contractId,
    issuingMiningRounds: [],
    validatorRights: [],
    featuredAppRight: null,
  }
  const command = exercise(request, 'SubscriptionRequest_AcceptAndMakePayment', {
    inputs: [{ tag: 'InputAmulet', value: coin }],
    context: { amuletRules: amuletRules.contractId, context },
    walletProvider: user,
  })
  return submissionOf(commandId, user, [command], shown(network))
}

function collectOf(
  { dso, ansRules, amuletRules, round }: Network,
  context: Contract,
  payment: Contract,
  commandId: string,
): Submission {
  const transferContext = {
    amuletRules: amuletRules.contractId,
    openMiningRound: round.contractId,
    featuredAppRight: null,
  }
  const command = exercise(context, 'AnsEntryContext_CollectInitialEntryPayment', {
    paymentCid: payment.contractId,
    transferContext,
    ansRulesCid: ansRules.contractId,
  })
  return submissionOf(commandId, dso, [command])
}

function exercise(
  { contractId, templateId }: Contract,
  choice: string,
  argument: Command['argument'],
): Command {
  const template = templateId.slice(templateId.indexOf(':') + 1)
  return { kind: 'exercise', template, contractId, choice, argument }
}

function shown({ ansRules, amuletRules, round }: Network): Submission['disclosed'] {
  return [ansRules, amuletRules, round].map(({ contractId, createdEventBlob }) => ({
    contractId,
    createdEventBlob,
  }))
}

function submissionOf(
  commandId: string,
  party: Party,
  commands: readonly Command[],
  disclosed: Submission['disclosed'] = [],
): Submission {
  return { commandId, userId: 'registrar', actAs: [party], readAs: [], workflowId: '', commands, disclosed }
}

function only(transaction: Transaction, template: string): Contract {
  const archived = new Set(
    transaction.nodes.flatMap((node) =>
      node.kind === 'exercise' && node.consuming ? [node.contractId] : [],
    ),
  )
  const found = createdBy(transaction).filter(
    ({ contractId, templateId }) => templateId.endsWith(`:${template}`) && !archived.has(contractId),
  )
  if (found.length !== 1) throw new Error(`${found.length} contracts of ${template} were created`)
  return found[0] as Contract
}
